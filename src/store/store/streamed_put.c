/* streamed_put.c - see request.h. */
#include "store/store/request.h"
#include "store/store/call_internal.h"

vz_pieces *vz_pieces_begin(vz_store *store, const char *key)
{
    vz_store_key_location at;
    if (!store->class->begin_pieces || store->repeats || !vz_store_call_check_writable(store, NULL) ||
        !vz_store_call_check_key(store, key, NULL) || !vz_store_call_place(store, key, &at, NULL))
        return NULL;
    vz_pieces *pieces = at.store->class->begin_pieces(at.store, at.key, NULL);
    if (pieces)
        pieces->store = at.store;
    return pieces;
}

bool vz_pieces_write(vz_store *store, vz_pieces *pieces, uint64_t offset, vz_bytes bytes, vz_error *err)
{
    vz_store_call_count(store, VZ_COUNT_WRITTEN, bytes.size);
    return pieces->class->write(pieces, offset, bytes, err);
}

bool vz_pieces_read(vz_pieces *pieces, uint64_t offset, size_t size, vz_buffer *out, vz_error *err)
{
    return pieces->class->read(pieces, offset, size, out, err);
}

bool vz_pieces_put(vz_store *store, const char *key, vz_pieces *pieces, bool is_new, vz_error *err)
{
    vz_store_call_count(store, VZ_COUNT_PUT, 1);
    vz_store_call_note_write(store);
    const bool ok = pieces->class->put(pieces, is_new, err);
    if (ok && pieces->store != store)
        store->staging_operations->wrote(store->staging, key);
    pieces->is_in = pieces->is_in || ok;
    return vz_store_call_done(store, key, ok, err);
}

void vz_pieces_drop(vz_pieces *pieces)
{
    if (pieces)
        pieces->class->drop(pieces);
}
