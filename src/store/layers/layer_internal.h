/* layer_internal.h - the part of layer.h that only this module uses. */
#ifndef VZ_LAYERS_LAYER_INTERNAL_H
#define VZ_LAYERS_LAYER_INTERNAL_H

#include "store/layers/layer.h"

typedef struct vz_layer {
    vz_store base;
    vz_store *below;
    vz_store_class class; /* base.class: hands every call on, until a kind puts functions of its own in */
    /* For kinds that only look at calls that are not part of a batch; NULL: nothing to do. Before a call, which is not
     * made if this fails. */
    bool (*before)(struct vz_layer *layer, const char *key, vz_error *err);
    /* After one that failed: is it made once more? `attempt`: calls so far. */
    bool (*again)(struct vz_layer *layer, unsigned attempt, const vz_error *failed);
} vz_layer;

/* A stacked store that hands everything on, in zeroed memory of `size` bytes, which begins with a vz_layer. It has
 * the identity, the capabilities and the path of `below`. Takes `below` over, which closes with it, or on failure
 * (NULL). */
vz_layer *vz_layer_new(vz_store *below, size_t size, const char *kind, vz_error *err);

/* retry.c: what fails for a moment (VZ_TRANSIENT) is asked again: `attempts` times in all, after a wait that begins
 * near `wait_ms` and doubles, none longer than VZ_RETRY_WAIT_MAX_MS. Of a conditional change whose answer was lost the
 * value tells whether it was made. Takes `below` over, also on failure. */
#define VZ_RETRY_ATTEMPTS    6
#define VZ_RETRY_WAIT_MS     100
#define VZ_RETRY_WAIT_MAX_MS 5000
vz_store *vz_store_retrying(vz_store *below, unsigned attempts, unsigned wait_ms, vz_error *err);

/* write_behind.c: what is put returns at once, and goes to the store in batches, as many requests at once as that
 * likes. What was put is what is read. Takes `below` over, also on failure. */
vz_store *vz_store_write_behind(vz_store *below, vz_error *err);

#endif
