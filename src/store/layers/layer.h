/* layer.h - a store over another one: what is asked of it is asked of the one below, and a kind of stacked store
 * changes what it is there for (retry.c, write_behind.c; in the tests one that is slow and one that fails). */
#ifndef VZ_LAYERS_LAYER_H
#define VZ_LAYERS_LAYER_H

#include "store/store/request.h"

typedef struct vz_stacked {
    vz_store base;
    vz_store *below;
    vz_store_class class; /* base.class: hands every call on, until a kind puts functions of its own in */
    /* For kinds that only look at calls that are not part of a batch; NULL: nothing to do. Before a call, which is not
     * made if this fails. */
    bool (*before)(struct vz_stacked *stacked, const char *key, vz_error *err);
    /* After one that failed: is it made once more? `attempt`: calls so far. */
    bool (*again)(struct vz_stacked *stacked, unsigned attempt, const vz_error *failed);
} vz_stacked;

/* A stacked store that hands everything on, in zeroed memory of `size` bytes, which begins with a vz_stacked. It has
 * the identity, the capabilities and the path of `below`. Takes `below` over, which closes with it, or on failure
 * (NULL). */
vz_stacked *vz_stacked_new(vz_store *below, size_t size, const char *kind, vz_error *err);

/* retry.c: what fails for a moment (VZ_TRANSIENT) is asked again: `attempts` times in all, after a wait that begins
 * near `wait_ms` and doubles, none longer than VZ_RETRY_WAIT_MAX_MS. Of a conditional change whose answer was lost the
 * value tells whether it was made. Takes `below` over, also on failure. */
#define VZ_RETRY_ATTEMPTS    6
#define VZ_RETRY_WAIT_MS     100
#define VZ_RETRY_WAIT_MAX_MS 5000
vz_store *vz_store_retrying(vz_store *below, unsigned attempts, unsigned wait_ms, vz_error *err);

/* write_behind.c: what is put returns at once, and goes to the store in batches, as many requests at once as that likes.
 * What was put is what is read. Takes `below` over, also on failure. */
vz_store *vz_store_behind(vz_store *below, vz_error *err);

/* default_layers.c: what a store that is far away is used through: repeats, and, if it is written, puts behind. Any other
 * store is returned as it is. Takes `store` over, also on failure. */
vz_store *vz_store_for_use(vz_store *store, bool writable, vz_error *err);

/* -- Sub batch --
 * a batch of some of the requests of another batch, for stacked stores: what is answered is the original. */
typedef struct vz_part {
    vz_request *all;
    vz_request *copies; /* NULL: all are meant */
    vz_batch *batch;    /* NULL: not open */
} vz_part;

/* Asks `store` for all[chosen[i]], or (NULL) for the first `count` of `all`. `chosen` is not kept. */
bool vz_part_open(vz_part *part, vz_store *store, vz_request *all, const size_t *chosen, size_t count, vz_error *err);
vz_request *vz_part_next(vz_part *part, vz_buffer *scratch);
void vz_part_stop(vz_part *part);
/* As vz_batch_close; true for one that is not open. */
bool vz_part_close(vz_part *part, vz_error *err);
void vz_part_drop(vz_part *part);

#endif
