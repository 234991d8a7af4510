/* request_one.c - does one request in the caller's thread. */
#include "store/store/request_internal.h"

/* Of a store that has batches a request is one of those: calls of other kinds could take several
 * round trips. */
static bool do_as_batch(vz_store *store, vz_request *request, vz_buffer *scratch, vz_error *err)
{
    vz_buffer unused = {0};
    const bool borrows = request->op == VZ_REQUEST_GET && !request->into && scratch;
    if (borrows) {
        scratch->size = 0;
        scratch->limit = (size_t)request->most;
        request->into = scratch;
    }
    vz_batch *batch = vz_batch_open(store, request, 1, err);
    if (batch)
        vz_batch_next(batch, &unused);
    const bool ok = batch && vz_batch_close(batch, err);
    if (borrows) {
        scratch->limit = 0;
        request->into = NULL;
        request->bytes = (vz_bytes){scratch->data, scratch->size};
    }
    vz_buffer_clear(&unused);
    return ok;
}

bool vz_request_do(vz_store *store, vz_request *request, vz_buffer *scratch, vz_error *err)
{
    if (vz_request_is_repeated(store, request))
        return true;
    return store->class->batches ? do_as_batch(store, request, scratch, err)
                                 : vz_request_once(store, request, scratch, err);
}
