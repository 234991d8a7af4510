/* layer_internal.h - the head of every layer, and the two layers. */
#ifndef VZ_LAYERS_LAYER_INTERNAL_H
#define VZ_LAYERS_LAYER_INTERNAL_H

#include "store/layers/layer.h"

typedef struct vz_layer {
    vz_store base;
    vz_store *below;
    vz_store_class class; /* base.class: hands every call on, until a kind puts functions of its own
                           * in */
    /* For kinds that only look at calls that are not part of a batch; NULL: nothing to do.
     * Before a call, which is not made if this fails. */
    bool (*before)(struct vz_layer *layer, const char *key, vz_error *err);
    /* After one that failed: is it made once more? `attempt`: calls so far. */
    bool (*again)(struct vz_layer *layer, unsigned attempt, const vz_error *failed);
} vz_layer;

/* A new layer that hands every call on to `below`. The memory has `size` bytes, zeroed, and
 * begins with a vz_layer. Identity, capabilities and path are those of `below`. Takes `below`
 * over: it closes with the layer, or on failure (NULL). */
vz_layer *vz_layer_new(vz_store *below, size_t size, const char *kind, vz_error *err);

/* retry.c: repeats what failed for a moment (VZ_TRANSIENT): at most `attempts` calls in all. The
 * first wait is about `wait_ms` milliseconds. Each further one doubles, up to
 * VZ_RETRY_WAIT_MAX_MS. If the answer to a conditional change was lost, the stored value shows
 * whether it was made. Takes `below` over, also on failure. */
#define VZ_RETRY_ATTEMPTS    6
#define VZ_RETRY_WAIT_MS     100
#define VZ_RETRY_WAIT_MAX_MS 5000
vz_store *vz_layer_retrying(vz_store *below, unsigned attempts, unsigned wait_ms, vz_error *err);

/* write_behind.c: a put returns at once. The value is copied to the write-behind buffer and sent
 * later in a batch. Reads are answered from the buffer first. Takes `below` over, also on
 * failure. */
vz_store *vz_layer_write_behind(vz_store *below, vz_error *err);

#endif
