/* view_chunks.c - from places of a dataset's chunks to references of its array. */
#include "array/array/array.h"
#include "base/os/file.h"
#include "command/view/view_internal.h"
#include <stdlib.h>

/* ---- an array ---- */

static void clear_array(vz_view_array *array)
{
    free(array->path);
    free(array->prefix);
    free(array->start);
    free(array->end);
    vz_strmap_free(array->copied, NULL);
    vz_meta_free(array->own_meta);
    if (array->node)
        vz_node_unref(array->node);
    *array = (vz_view_array){0};
}

static char *text_of(vz_buffer *text, vz_error *err)
{
    if (vz_buffer_append(text, "", 1, err))
        return (char *)text->data;
    vz_buffer_clear(text);
    return NULL;
}

/* Text before and behind the chunk's name in each line. */
static bool make_line(const vz_view *view, vz_view_array *array, vz_error *err)
{
    vz_buffer start = {0}, end = {0};
    const char *prefix = view->out.into ? "" : array->prefix; /* a list is of one array */
    bool ok = vz_view_text(&start, prefix, strlen(prefix), err);
    if (ok) {
        start.size--; /* the quotation mark at the end */
        ok = !*prefix || vz_buffer_append(&start, "/", 1, err);
    }
    ok = ok && vz_buffer_append(&end, "\": [", 4, err) &&
         vz_view_text(&end, view->request->name, strlen(view->request->name), err) &&
         vz_buffer_append(&end, ", ", 2, err);
    if (ok) {
        array->start = text_of(&start, err);
        array->end = text_of(&end, err);
        return array->start && array->end;
    }
    vz_buffer_clear(&start);
    vz_buffer_clear(&end);
    return false;
}

/* Can chunks of the dataset be chunks of the array? The axes of an array type follow, whole. */
static bool is_like(const vz_view_array *array)
{
    const vz_meta *meta = array->meta;
    bool is = meta->rank >= array->rank && !meta->edges && meta->shard_levels == 0 &&
              meta->dtype->kind != VZ_DTYPE_OBJECT && vz_meta_is_order(meta, false);
    for (unsigned i = array->rank; i < meta->rank; i++)
        is = is && meta->chunks[i] == meta->shape[i];
    return is;
}

/* Chunks that went through HDF5, and some that the connector stored as fill for readers that know
 * no fill value. */
static bool list_copied(const vz_view *view, vz_view_array *array, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    array->copied = vz_strmap_new();
    bool ok = array->copied || vz_fail_memory(err);
    ok = ok && vz_store_list(vz_hierarchy_store(view->request->root->hierarchy), array->prefix, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_zarr_is_document(entries[i].name) || vz_strmap_put(array->copied, entries[i].name, array, err);
    vz_entries_free(entries, count);
    return ok;
}

static bool mark_wrong(vz_view *view, vz_view_array *array, vz_error *err)
{
    array->is_wrong = true;
    return vz_strmap_put(view->request->by_value, array->path, view, err);
}

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
    while (ok && array->own_meta && !array->is_wrong && vz_strmap_next(array->copied, &cursor, &name, &unused)) {
        char *key = vz_document_key_join(array->prefix, name, err);
        ok = key && (vz_strmap_get(view->skipped, key) || mark_wrong(view, array, err));
        free(key);
    }
    return ok;
}

/* The codecs of the chunks in the source, where the list of places tells them. */
static bool take_codecs(vz_view *view, vz_view_array *array, const char *text, vz_error *err)
{
    if (!*text)
        return true;
    vz_json *list = vz_json_parse(text, strlen(text), err);
    char *copy = list ? strdup(text) : NULL;
    array->own_meta = copy ? vz_meta_copy(array->meta, err) : NULL;
    bool ok = array->own_meta != NULL;
    if (ok)
        vz_codecs_clear(&array->own_meta->codecs);
    for (size_t i = 0; ok && i < vz_json_length(list); i++)
        ok = vz_codecs_append_numcodecs(&array->own_meta->codecs, vz_json_at(list, i), err);
    ok = ok && vz_strmap_put(view->codecs, array->prefix, copy, err);
    if (!ok)
        free(copy);
    array->meta = ok ? array->own_meta : array->meta;
    vz_json_free(list);
    return ok;
}

/* The node of that name, by hard links; borrowed. */
static vz_node *follow(vz_node *root, const char *path, vz_error *err)
{
    vz_node *at = root;
    char *copy = strdup(path), *rest = copy;
    if (!copy)
        vz_fail_memory(err);
    while (copy && at && rest) {
        const char *part = strsep(&rest, "/");
        vz_link *link = *part ? vz_group_find(at, part, err) : NULL;
        if (*part)
            at = link ? vz_link_node(at, link, err) : NULL;
    }
    free(copy);
    return copy ? at : NULL;
}

static bool begin_array(vz_view *view, vz_view_array *array, const vz_convert_place *place, vz_error *err)
{
    clear_array(array);
    vz_node *node = follow(view->request->root, place->path, err);
    array->meta = node ? vz_node_understood(node) : NULL;
    array->rank = place->rank;
    array->path = strdup(place->path);
    array->prefix = node ? vz_node_prefix(node, err) : NULL;
    if (!array->path)
        return vz_fail_memory(err);
    if (!node || !array->prefix)
        return false;
    vz_node_ref(array->node = node);
    memcpy(array->chunks, array->meta->chunks, sizeof array->chunks);
    array->chunk_size = array->meta->chunk_size;
    if (!array->meta)
        return vz_fail(err, VZ_CORRUPT, "%.300s is no array in the copy", place->path);
    return is_like(array) ? take_codecs(view, array, place->codecs, err) && make_line(view, array, err) &&
                                list_copied(view, array, err)
                          : mark_wrong(view, array, err);
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
    return wrong ? mark_wrong(view, array, err) : write_one(view, array, chunk, place->address, place->size, err);
}

/* ---- contiguous elements ---- */

/* Chunks of whole rows lie one behind the other: one dimension is divided, those before it are gone
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

/* A chunk at the array's end has room that nobody looks at: bytes behind the elements stand there,
 * and where the file has no more of them the chunk is copied. */
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
        return mark_wrong(view, array, err);
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
           (same || mark_wrong(view, array, err));
}

static bool take(vz_view *view, vz_view_array *array, const vz_convert_place *place, vz_error *err)
{
    if (place->kind == VZ_CONVERT_PLACE_DATASET)
        return check_copies(view, array, err) && close_list(view, array, true, err) &&
               begin_array(view, array, place, err);
    if (array->is_wrong)
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
    clear_array(&array);
    vz_convert_places_close(places);
    return ok;
}
