/* skip_consolidated.c - the document of a group without the copy of others that may stand in it.
 * That copy is passed over while the document is read, in pieces, so that it takes no memory. */
#include "hierarchy/documents/documents.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

/* Bytes that are read at once; a smaller document is read whole. */
#define PIECE ((size_t)128 << 10)
_Static_assert(PIECE % VZ_HASH_STEP == 0, "the hash goes on from piece to piece");

/* A document that is open, and read from its beginning to its end. */
typedef struct reading {
    vz_store *store;
    const char *key;
    vz_store_value value;
    uint64_t at;
    vz_long_hash hash; /* of what was read */
} reading;

/* Appends the next bytes, so many at most; none at the end. */
static bool read_on(reading *r, size_t most, vz_buffer *out, vz_error *err)
{
    const uint64_t left = r->value.stamp.size - r->at;
    const vz_range range = {.kind = VZ_RANGE_AT, .offset = r->at, .size = left < most ? left : most};
    const size_t before = out->size;
    if (range.size == 0)
        return true;
    if (!vz_store_read_value(r->store, r->key, &r->value, &range, 1, out, err))
        return false;
    vz_hash_more(&r->hash, out->data + before, (size_t)range.size);
    r->at += range.size;
    return true;
}

/* Reads on to behind the copy, and puts what follows it in its last piece behind the text. */
static bool pass_over(reading *r, vz_json_skip *copy, vz_buffer *text, vz_error *err)
{
    vz_buffer piece = {0};
    bool ok = true;
    while (ok && !copy->ends && r->at < r->value.stamp.size) {
        piece.size = 0;
        ok = read_on(r, PIECE, &piece, err);
        const size_t length = ok ? vz_json_skip_on(copy, piece.data, piece.size) : 0;
        ok = ok && vz_buffer_append(text, piece.data + length, piece.size - length, err);
    }
    vz_buffer_clear(&piece);
    return ok;
}

/* All but a copy that begins in the first piece, and does not end there. *is_cut=false: there is
 * none. */
static bool read_around(reading *r, vz_buffer *text, bool *is_cut, vz_error *err)
{
    static const char nothing[] = "{}";
    size_t start, length;
    vz_json_skip copy = {0};
    if (!read_on(r, PIECE, text, err))
        return false;
    *is_cut = vz_json_find_object((const char *)text->data, text->size, VZ_CONSOLIDATED, &start, &length);
    if (*is_cut)
        vz_json_skip_on(&copy, text->data + start, text->size - start);
    *is_cut = *is_cut && !copy.ends;
    if (!*is_cut)
        return true;
    text->size = start;
    return vz_buffer_append(text, nothing, sizeof nothing - 1, err) && pass_over(r, &copy, text, err) &&
           read_on(r, SIZE_MAX, text, err);
}

static bool get_around(vz_store *store, const char *key, vz_buffer *text, uint64_t *hash, bool *is_cut, vz_error *err)
{
    reading r = {.store = store, .key = key};
    bool found;
    *is_cut = false;
    if (!vz_store_open_value(store, key, VZ_VALUE_READ, &r.value, &found, err))
        return false;
    if (!found)
        return true;
    const uint64_t size = r.value.stamp.size;
    vz_hash_begin(&r.hash, (size_t)size);
    const bool ok = size > VZ_DOCUMENT_MAX_SIZE || read_around(&r, text, is_cut, err);
    vz_store_close_value(store, &r.value);
    *hash = vz_hash_end(&r.hash) | 1;
    return ok;
}

/* A document of at most one piece is read as a whole. */
static bool get(vz_store *store, const char *key, vz_buffer *text, bool *found, uint64_t *hash, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool is_cut;
    text->limit = PIECE;
    if (vz_store_get(store, key, VZ_WHOLE, text, found, &failed))
        return true;
    text->limit = VZ_DOCUMENT_MAX_SIZE;
    if (failed.class != VZ_LIMIT) {
        if (err && err->class == VZ_OK)
            *err = failed;
        return false;
    }
    text->size = 0;
    *found = true;
    if (!get_around(store, key, text, hash, &is_cut, err) || is_cut)
        return is_cut;
    *hash = 0;
    text->size = 0;
    return vz_store_get(store, key, VZ_WHOLE, text, found, err);
}

/* Is the key known, or read otherwise? */
static bool is_read_whole(vz_store *store, const char *key, const char *document)
{
    bool found;
    vz_bytes bytes;
    return !vz_zarr_document_has_copy(document) || !store->class->reads_in_pieces ||
           vz_store_has_prefetched(store, key, &found, &bytes);
}

bool vz_document_get_around_copy(vz_store *store, const char *prefix, const char *document, vz_buffer *text,
                                 bool *found, uint64_t *hash, vz_error *err)
{
    vz_version version;
    vz_bytes part;
    char *key = vz_document_key_join(prefix, document, err);
    *hash = 0;
    bool ok = key != NULL;
    if (ok && vz_store_see_part(store, key, &part, hash)) {
        *found = true;
        ok = vz_buffer_append(text, part.data, part.size, err);
    } else if (ok && is_read_whole(store, key, document)) {
        ok = vz_document_get_first(store, prefix, document, text, found, &version, err);
    } else if (ok) {
        ok = get(store, key, text, found, hash, err);
    }
    free(key);
    return ok;
}

bool vz_document_peek_around_copy(vz_store *store, const char *document, vz_buffer *room, vz_bytes *bytes, bool *found,
                                  vz_error *err)
{
    uint64_t hash = 0;
    *found = true;
    if (vz_store_see_part(store, document, bytes, &hash))
        return true;
    if (is_read_whole(store, document, document))
        return vz_store_peek(store, document, room, bytes, found, err);
    if (!get(store, document, room, found, &hash, err))
        return false;
    if (!hash)
        return vz_store_keep_read(store, document, room, bytes, *found, err);
    if (!vz_store_keep_part(store, document, room, hash, err))
        return false;
    if (!vz_store_see_part(store, document, bytes, &hash))
        *bytes = (vz_bytes){room->data, room->size};
    return true;
}
