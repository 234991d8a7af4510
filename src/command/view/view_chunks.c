/* view_chunks.c - from places of a dataset's chunks to references of its array. */
#include "array/array/array.h"
#include "base/os/file.h"
#include "command/view/view_internal.h"
#include <stdlib.h>

/* ---- lists, copies ---- */

/* The list of an array is opened before its first chunk. */
static bool open_list(vz_view *view, vz_view_array *array, vz_error *err)
{
    if (!view->out.into || array->has_list)
        return true;
    array->has_list = true;
    return vz_view_list_begin(&view->out, array->prefix, err) &&
           vz_strmap_put(view->listed, array->prefix, array->node, err);
}

/* Its chunks that were copied go to the list as well, so that all are in one place. */
static bool close_list(vz_view *view, vz_view_array *array, bool ok, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *unused;
    if (!array->has_list)
        return ok;
    ok = ok && !array->is_wrong;
    while (ok && vz_strmap_next(array->copied, &cursor, &name, &unused)) {
        char *key = vz_document_key_join(array->prefix, name, err);
        ok = key && vz_view_write_value(view, key, name, err) && vz_strmap_put(view->skipped, key, view, err);
        free(key);
    }
    array->has_list = false;
    return vz_view_list_end(&view->out, array->prefix, ok, err) || (array->is_wrong && (!err || err->class == VZ_OK));
}

/* Chunks that were copied have the codecs of the array in the store: then all of them must. */
static bool check_copies(vz_view *view, vz_view_array *array, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *unused;
    bool ok = true;
    while (ok && array->own_meta && !array->is_wrong && !array->is_linked &&
           vz_strmap_next(array->copied, &cursor, &name, &unused)) {
        char *key = vz_document_key_join(array->prefix, name, err);
        ok = key && (vz_strmap_get(view->skipped, key) || vz_view_mark_wrong(view, array, err));
        free(key);
    }
    return ok;
}

/* ---- chunks ---- */

/* *wrong: no chunk of the array begins there. */
static void chunk_at(const vz_view_array *array, const uint64_t *start, uint64_t chunk[VZ_MAX_RANK], bool *wrong)
{
    memset(chunk, 0, VZ_MAX_RANK * sizeof *chunk);
    *wrong = false;
    for (unsigned i = 0; i < array->rank; i++) {
        chunk[i] = start[i] / array->meta->chunks[i];
        *wrong |= start[i] % array->meta->chunks[i] != 0 || start[i] >= array->meta->shape[i];
    }
}

/* The copy of a chunk goes: its reference stands in the view. */
static bool skip_copy(vz_view *view, const vz_view_array *array, const uint64_t *chunk, vz_error *err)
{
    char *key = vz_view_chunk_key(array, chunk, err);
    const bool ok = key && vz_strmap_put(view->skipped, key, view, err);
    free(key);
    return ok;
}

static bool write_one(vz_view *view, vz_view_array *array, const uint64_t *chunk, uint64_t offset, uint64_t size,
                      vz_error *err)
{
    char name[VZ_VIEW_CHUNK_NAME];
    return open_list(view, array, err) && vz_meta_chunk_key(array->meta, "", chunk, name, sizeof name, err) &&
           vz_view_output_range(&view->out, array->start, name, array->end, offset, size, err) &&
           (!vz_strmap_get(array->copied, name) || skip_copy(view, array, chunk, err));
}

static bool write_stored(vz_view *view, vz_view_array *array, const vz_convert_place *place, vz_error *err)
{
    uint64_t chunk[VZ_MAX_RANK], end;
    bool wrong;
    chunk_at(array, place->start, chunk, &wrong);
    if (!vz_add(place->address, place->size, &end) || end > view->request->source->size)
        return vz_fail(err, VZ_CORRUPT, "a chunk of %.300s is said to lie behind the file's end", array->path);
    wrong |= array->meta->codecs.count == 0 && place->size != array->meta->chunk_size;
    return wrong ? vz_view_mark_wrong(view, array, err)
                 : write_one(view, array, chunk, place->address, place->size, err);
}

/* ---- contiguous elements ---- */

/* Chunks of whole rows lie one behind the other. One dimension is divided; those before it are gone
 * through one by one, and those behind it are whole. */
static bool divides_in_order(const vz_view_array *array)
{
    bool divided = false;
    for (unsigned i = 0; i < array->meta->rank; i++) {
        if (divided && array->chunks[i] != array->meta->shape[i])
            return false;
        divided = divided || array->chunks[i] != 1;
    }
    return true;
}

/* Bytes before the chunk's first element. */
static uint64_t offset_of(const vz_view_array *array, const uint64_t *chunk)
{
    uint64_t element = 0;
    for (unsigned i = 0; i < array->meta->rank; i++)
        element = element * array->meta->shape[i] + chunk[i] * array->chunks[i];
    return element * array->meta->dtype->size;
}

/* The next chunk in C order; false: there is none. */
static bool step(const vz_view_array *array, uint64_t *chunk)
{
    for (unsigned i = array->meta->rank; i-- > 0;) {
        if (++chunk[i] <= (array->meta->shape[i] - 1) / array->chunks[i])
            return true;
        chunk[i] = 0;
    }
    return false;
}

/* A chunk at the array's end has room that nobody looks at, and bytes behind the elements stand
 * there. Where the file has no such bytes the chunk is copied. */
static bool write_part(vz_view *view, vz_view_array *array, const uint64_t *chunk, uint64_t offset, vz_error *err)
{
    const size_t size = (size_t)array->chunk_size;
    if (offset <= view->request->source->size && size <= view->request->source->size - offset)
        return write_one(view, array, chunk, offset, size, err);
    vz_buffer bytes = {0};
    char *key = vz_view_chunk_key(array, chunk, err);
    bool ok = key && vz_buffer_reserve(&bytes, size, err) &&
              vz_view_read_source(view, offset, (size_t)(view->request->source->size - offset), &bytes, err);
    if (ok) {
        memset(bytes.data + bytes.size, 0, size - bytes.size);
        ok = open_list(view, array, err) && vz_view_output_bytes(&view->out, key, (vz_bytes){bytes.data, size}, err) &&
             vz_strmap_put(view->skipped, key, view, err);
    }
    free(key);
    vz_buffer_clear(&bytes);
    return ok;
}

static bool write_contiguous(vz_view *view, vz_view_array *array, const vz_convert_place *place, vz_error *err)
{
    const vz_meta *meta = array->meta;
    uint64_t chunk[VZ_MAX_RANK] = {0}, size = meta->dtype->size, end;
    for (unsigned i = 0; i < meta->rank; i++)
        if (!vz_mul(size, meta->shape[i], &size))
            size = UINT64_MAX;
    if (!vz_add(place->address, place->size, &end) || end > view->request->source->size)
        return vz_fail(err, VZ_CORRUPT, "%.300s is said to lie behind the file's end", array->path);
    if (size != place->size || meta->codecs.count > 0 || !divides_in_order(array))
        return vz_view_mark_wrong(view, array, err);
    bool ok = vz_view_choose_grid(view, array, err);
    do
        ok = ok && write_part(view, array, chunk, place->address + offset_of(array, chunk), err);
    while (ok && step(array, chunk));
    return ok;
}

/* ---- all ---- */

static bool take_witness(vz_view *view, vz_view_array *array, const vz_convert_place *place, vz_error *err)
{
    uint64_t chunk[VZ_MAX_RANK];
    bool wrong, same = false;
    chunk_at(array, place->start, chunk, &wrong);
    return !wrong && vz_view_compare_witness(view, array, place, chunk, &same, err) &&
           (same || vz_view_mark_wrong(view, array, err));
}

static bool take(vz_view *view, vz_view_array *array, const vz_convert_place *place, vz_error *err)
{
    if (place->kind == VZ_CONVERT_PLACE_DATASET)
        return check_copies(view, array, err) && close_list(view, array, true, err) &&
               vz_view_array_begin(view, array, place, err);
    if (array->is_wrong || array->is_linked)
        return true;
    if (place->kind == VZ_CONVERT_PLACE_WITNESS)
        return take_witness(view, array, place, err);
    return place->is_contiguous ? write_contiguous(view, array, place, err) : write_stored(view, array, place, err);
}

bool vz_view_write_chunks(vz_view *view, vz_error *err)
{
    vz_view_array array = {0};
    vz_convert_place place = {0};
    vz_convert_places *places = vz_convert_places_open(view->request->list, err);
    bool ok = places != NULL;
    while (ok && (ok = vz_convert_places_next(places, &place, err)) && place.kind != VZ_CONVERT_PLACE_END)
        ok = take(view, &array, &place, err);
    ok = ok && check_copies(view, &array, err);
    ok = close_list(view, &array, ok, err) && ok;
    vz_view_array_clear(&array);
    vz_convert_places_close(places);
    return ok;
}
