/* dataset_grow.c - widening the text members of a compound array, and text that turns out not to be UTF-8. */
#include "map/dataset_grow.h"

#include "map/dataset_view.h"
#include "map/types_layout.h"

#include <stdlib.h>

/* Chunks of the old array, decoded, with their coordinates: what must be written again. */
typedef struct kept_chunk {
    uint64_t chunk[VZ_MAX_RANK];
    uint8_t *elements;
    struct kept_chunk *next;
} kept_chunk;

typedef struct rewrite {
    vz_node *node;
    vz_array *io;
    kept_chunk *chunks;
    vz_error *err;
    bool failed;
} rewrite;

static void free_chunks(kept_chunk *chunk)
{
    while (chunk) {
        kept_chunk *next = chunk->next;
        free(chunk->elements);
        free(chunk);
        chunk = next;
    }
}

static bool list_chunk(void *context, const uint64_t *chunk, uint64_t size)
{
    (void)size;
    rewrite *r = context;
    kept_chunk *kept = calloc(1, sizeof *kept);
    if (!kept) {
        r->failed = !vz_fail_memory(r->err);
        return false;
    }
    memcpy(kept->chunk, chunk, r->node->meta->rank * sizeof *chunk);
    kept->next = r->chunks;
    r->chunks = kept;
    return true;
}

/* Decodes every stored chunk into memory, in the new dtype. */
static bool read_chunks(rewrite *r, const vz_dtype *to, vz_error *err)
{
    const vz_array_meta *meta = r->node->meta;
    if (!vz_array_flush(r->io, err) || !vz_array_each_chunk(r->io, false, list_chunk, r, err) || r->failed)
        return false;
    for (kept_chunk *kept = r->chunks; kept; kept = kept->next) {
        vz_buffer old = {0};
        bool found;
        uint64_t size = 0;
        bool ok = vz_array_get_chunk(r->io, kept->chunk, VZ_CHUNK_DECODED, &old, &found, err);
        if (ok && !vz_mul(meta->chunk_count, to->size, &size))
            ok = vz_fail(err, VZ_LIMIT, "a chunk of the widened array is too large");
        kept->elements = ok ? malloc(size) : NULL;
        if (ok && !kept->elements)
            ok = vz_fail_memory(err);
        if (ok)
            vz_type_regrow(meta->dtype, to, old.data, meta->chunk_count, kept->elements);
        vz_buffer_clear(&old);
        if (!ok)
            return false;
    }
    return true;
}

/* The shuffle filter counts bytes of an element. */
static bool fit_filters(vz_array_meta *meta, vz_error *err)
{
    for (size_t i = 0; i < vz_json_length(meta->filters); i++) {
        vz_json *filter = vz_json_at(meta->filters, i);
        if (vz_json_is(vz_json_get(filter, "id"), "shuffle") &&
            !vz_json_set(filter, "elementsize", vz_json_uint64(meta->dtype->size, err), err))
            return false;
    }
    return true;
}

static bool set_object_codec(vz_array_meta *meta, const char *id, vz_error *err)
{
    vz_json *codec = vz_json_at(meta->filters, 0);
    return codec && vz_json_set(codec, "id", vz_json_text(id, err), err);
}

/* Puts the dtype in place (taken, also on failure) with the fill value in it. */
static bool replace_dtype(vz_node *node, vz_dtype *to, vz_error *err)
{
    vz_array_meta *meta = node->meta;
    vz_dtype *from = meta->dtype;
    uint8_t *fill = calloc(1, to->size);
    bool ok = fill ? true : vz_fail_memory(err);
    if (ok && to->kind == VZ_DTYPE_OBJECT)
        memcpy(fill, meta->fill, sizeof(vz_item)); /* the same items, under another codec */
    else if (ok)
        vz_type_regrow(from, to, meta->fill, 1, fill);
    meta->dtype = to;
    ok = ok && (!meta->fill_defined || vz_meta_set_fill(meta, fill, err)) &&
         (to->kind != VZ_DTYPE_OBJECT || set_object_codec(meta, "vlen-bytes", err)) && fit_filters(meta, err) &&
         vz_meta_settle(meta, err);
    vz_dtype_free(from);
    free(fill);
    return ok;
}

static bool note_type(vz_node *node, hid_t shown, vz_error *err)
{
    vz_json *note = NULL;
    if (!vz_type_note(node->meta->dtype, shown, &note, err))
        return false;
    return vz_note_set(node, "t", note, err); /* and with it the guard */
}

static bool write_chunks(rewrite *r, vz_error *err)
{
    r->io = vz_dataset_io(r->node, err);
    if (!r->io)
        return false;
    for (kept_chunk *kept = r->chunks; kept; kept = kept->next) {
        vz_bytes bytes = {kept->elements, r->node->meta->chunk_size};
        if (!vz_array_put_chunk(r->io, kept->chunk, VZ_CHUNK_DECODED, bytes, err))
            return false;
    }
    return true;
}

/* The array as it is, under the new dtype. The document follows the chunks at once where there were any. */
static bool change(vz_node *node, vz_dtype *to, vz_error *err)
{
    rewrite r = {.node = node, .io = vz_dataset_io(node, err), .err = err};
    bool same_chunks = to->kind == VZ_DTYPE_OBJECT;
    bool ok = r.io && (same_chunks ? vz_array_flush(r.io, err) : read_chunks(&r, to, err));
    if (!ok) {
        vz_dtype_free(to);
        free_chunks(r.chunks);
        return false;
    }
    vz_array_close(node->io);
    node->io = NULL;
    const vz_dataset_view *view = vz_dataset_view_of(node, err); /* goes with the old dtype */
    hid_t type = view ? H5Tcopy(view->shown) : H5I_INVALID_HID;
    if (type < 0)
        vz_type_refused(err, "copy a datatype");
    ok = type >= 0;
    if (!ok)
        vz_dtype_free(to);
    ok = ok && replace_dtype(node, to, err) && note_type(node, type, err) && write_chunks(&r, err) &&
         vz_node_meta_changed(node, err) && (!r.chunks || node->is_new || vz_node_flush(node, err));
    free_chunks(r.chunks);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

static bool is_empty(vz_node *node, bool *empty, vz_error *err)
{
    rewrite any = {.node = node, .io = vz_dataset_io(node, err), .err = err};
    bool ok = any.io && vz_array_flush(any.io, err) && vz_array_each_chunk(any.io, false, list_chunk, &any, err) &&
              !any.failed;
    *empty = any.chunks == NULL;
    free_chunks(any.chunks);
    return ok;
}

bool vz_dataset_grow(vz_node *node, hid_t shown, const void *elements, size_t count, bool *grown, vz_error *err)
{
    vz_dtype *to = NULL;
    bool empty;
    *grown = false;
    if (!vz_type_fit(node->meta->dtype, shown, elements, count, false, &to, err))
        return false;
    if (!to)
        return true;
    vz_dtype_free(to);
    to = NULL;
    if (!is_empty(node, &empty, err) || !vz_type_fit(node->meta->dtype, shown, elements, count, empty, &to, err))
        return false;
    *grown = true;
    return change(node, to, err);
}
