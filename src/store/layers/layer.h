/* layer.h - a store over another one. It hands every call on to the store below. A layer
 * replaces the functions that differ (retry.c, write_behind.c; two layers of the tests are slow,
 * or fail). */
#ifndef VZ_LAYERS_LAYER_H
#define VZ_LAYERS_LAYER_H

#include "store/store/request.h"

/* default_layers.c: what a remote store is used through: repeats, and, if it is written, puts
 * behind. Any other store is returned as it is. Takes `store` over, also on failure. */
vz_store *vz_layer_for_use(vz_store *store, bool writable, vz_error *err);

/* -- Sub batch --
 * a batch of some of the requests of another batch, for layers: what is answered is the
 * original. */
typedef struct vz_sub_batch {
    vz_request *all;
    vz_request *copies; /* NULL: all are meant */
    vz_batch *batch;    /* NULL: not open */
} vz_sub_batch;

/* Asks `store` for all[chosen[i]], or (NULL) for the first `count` of `all`. `chosen` is not
 * kept. */
bool vz_sub_batch_open(vz_sub_batch *part, vz_store *store, vz_request *all, const size_t *chosen, size_t count,
                       vz_error *err);
vz_request *vz_sub_batch_next(vz_sub_batch *part, vz_buffer *scratch);
void vz_sub_batch_stop(vz_sub_batch *part);

/* As vz_batch_close; true for one that is not open. */
bool vz_sub_batch_close(vz_sub_batch *part, vz_error *err);
void vz_sub_batch_drop(vz_sub_batch *part);

#endif
