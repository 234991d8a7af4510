/* meta.c - an array's metadata in one model: fill bytes, sizes, chunk keys. No Zarr format is known
 * here. */
#include "metadata/metadata/metadata_internal.h"
#include <stdio.h>
#include <stdlib.h>

static void free_shards(vz_meta *meta)
{
    for (unsigned i = 0; meta->shards && i < meta->shard_levels; i++) {
        vz_codecs_clear(&meta->shards[i].index_codecs);
        vz_codecs_clear(&meta->shards[i].behind);
    }
    free(meta->shards);
}

static void free_edges(vz_meta_edges **edges, unsigned rank)
{
    for (unsigned d = 0; *edges && d < rank; d++)
        free((*edges)[d].runs);
    free(*edges);
    *edges = NULL;
}

void vz_meta_free(vz_meta *meta)
{
    if (!meta)
        return;
    vz_dtype_free(meta->dtype);
    if (!meta->fill_shared)
        free(meta->fill);
    free(meta->fill_item);
    vz_codecs_clear(&meta->codecs);
    free_shards(meta);
    free_edges(&meta->edges, meta->rank);
    free_edges(&meta->shard_edges, meta->rank);
    free(meta);
}

static bool copy_shards(vz_meta *copy, const vz_meta *meta, vz_error *err)
{
    if (!(copy->shards = calloc(meta->shard_levels, sizeof *meta->shards)))
        return vz_fail_memory(err);
    for (unsigned i = 0; i < meta->shard_levels; i++) {
        const vz_meta_shard_level *from = &meta->shards[i];
        vz_meta_shard_level *to = &copy->shards[i];
        *to = *from;
        to->index_codecs = to->behind = (vz_codecs){0};
        if (!vz_codecs_append_all(&to->index_codecs, &from->index_codecs, err) ||
            !vz_codecs_append_all(&to->behind, &from->behind, err))
            return false;
    }
    return true;
}

static bool copy_edges(vz_meta_edges **copy, const vz_meta_edges *edges, unsigned rank, vz_error *err)
{
    if (!(*copy = calloc(rank, sizeof **copy)))
        return vz_fail_memory(err);
    for (unsigned d = 0; d < rank; d++) {
        const vz_meta_edges *from = &edges[d];
        vz_meta_run *runs = malloc(from->count * sizeof *runs);
        if (!runs)
            return vz_fail_memory(err);
        memcpy(runs, from->runs, from->count * sizeof *runs);
        (*copy)[d] = (vz_meta_edges){from->count, runs, from->uniform};
    }
    return true;
}

static bool copy_parts(vz_meta *copy, const vz_meta *meta, vz_error *err)
{
    if (!(copy->dtype = vz_dtype_copy(meta->dtype, err)))
        return false;
    if (!vz_codecs_append_all(&copy->codecs, &meta->codecs, err))
        return false;
    if ((meta->shards && !copy_shards(copy, meta, err)) ||
        (meta->edges && !copy_edges(&copy->edges, meta->edges, meta->rank, err)) ||
        (meta->shard_edges && !copy_edges(&copy->shard_edges, meta->shard_edges, meta->rank, err)))
        return false;
    if (!(meta->fill_zero ? vz_meta_set_zero_fill(copy, err) : vz_meta_set_fill(copy, meta->fill, err)))
        return false;
    copy->fill_defined = meta->fill_defined;
    return true;
}

vz_meta *vz_meta_new(vz_meta_parse parse, const vz_json *document, vz_error *err)
{
    vz_meta *meta = calloc(1, sizeof *meta);
    if (!meta) {
        vz_fail_memory(err);
        return NULL;
    }
    if (parse(meta, document, err))
        return meta;
    vz_meta_free(meta);
    return NULL;
}

bool vz_meta_extent_fits(const vz_meta *meta)
{
    uint64_t size = meta->dtype->size ? meta->dtype->size : 1;
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(size, meta->shape[d] ? meta->shape[d] : 1, &size) || size > INT64_MAX)
            return false;
    return true;
}

bool vz_meta_complete_outline(vz_meta *meta, bool chunked, size_t element_size, vz_error *err)
{
    if (!meta->dtype)
        meta->dtype = vz_dtype_new(VZ_DTYPE_RAW, element_size, false, err);
    if (!meta->dtype)
        return false;
    vz_meta_set_order(meta, false);
    if (!vz_meta_extent_fits(meta))
        return vz_fail(err, VZ_LIMIT, "\"shape\" makes an array of more than 2^63 bytes");
    if (!chunked)
        free_edges(&meta->edges, meta->rank);
    for (unsigned d = 0; !chunked && d < meta->rank; d++)
        meta->chunks[d] = meta->shape[d] ? meta->shape[d] : 1;
    vz_error ignored = VZ_ERROR_NONE;
    if (!vz_meta_measure_chunk(meta, &ignored)) { /* more than a chunk may have: it is no grid to
                                                   * rely on */
        for (unsigned d = 0; d < meta->rank; d++)
            meta->chunks[d] = 1;
        if (!vz_meta_measure_chunk(meta, err))
            return false;
    }
    return vz_meta_set_fill(meta, NULL, err);
}

vz_meta *vz_meta_copy(const vz_meta *meta, vz_error *err)
{
    vz_meta *copy = malloc(sizeof *copy);
    if (!copy) {
        vz_fail_memory(err);
        return NULL;
    }
    *copy = *meta;
    copy->dtype = NULL;
    copy->fill = copy->fill_item = NULL;
    copy->fill_shared = false;
    copy->codecs = (vz_codecs){0};
    copy->shards = NULL;
    copy->edges = copy->shard_edges = NULL;
    if (copy_parts(copy, meta, err))
        return copy;
    vz_meta_free(copy);
    return NULL;
}

/* The item's bytes are copied, with a NUL behind them, so that text is text. An item that is there
 * but empty keeps a pointer; a missing one does not. */
static bool copy_item(const vz_item *item, vz_item *copy, vz_error *err)
{
    *copy = (vz_item){0};
    if (!item->data)
        return true;
    uint8_t *data = item->size < SIZE_MAX ? malloc((size_t)item->size + 1) : NULL;
    if (!data)
        return vz_fail_memory(err);
    memcpy(data, item->data, (size_t)item->size);
    data[item->size] = 0;
    *copy = (vz_item){.data = data, .size = item->size};
    return true;
}

static void forget_fill(vz_meta *meta)
{
    if (!meta->fill_shared)
        free(meta->fill);
    free(meta->fill_item);
    meta->fill = meta->fill_item = NULL;
    meta->fill_shared = false;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

bool vz_meta_set_zero_fill(vz_meta *meta, vz_error *err)
{
    const size_t size = meta->dtype->size;
    const bool shared = size > VZ_FILL_FREE_SIZE;
    uint8_t *fill = shared ? (uint8_t *)vz_zeros(size) : calloc(1, size ? size : 1);
    if (!fill)
        return vz_fail_memory(err);
    forget_fill(meta);
    meta->fill = fill;
    meta->fill_shared = shared;
    meta->fill_zero = meta->fill_defined = true;
    return true;
}

static bool set_item(vz_meta *meta, const void *bytes, vz_error *err)
{
    vz_item given, item = {0};
    uint8_t *fill = calloc(1, sizeof item);
    if (!fill)
        return vz_fail_memory(err);
    if (bytes)
        memcpy(&given, bytes, sizeof given);
    if (bytes && !copy_item(&given, &item, err)) {
        free(fill);
        return false;
    }
    memcpy(fill, &item, sizeof item);
    forget_fill(meta);
    meta->fill = fill;
    meta->fill_item = (uint8_t *)item.data;
    meta->fill_zero = false;
    meta->fill_defined = bytes != NULL;
    return true;
}

bool vz_meta_set_fill(vz_meta *meta, const void *bytes, vz_error *err)
{
    const size_t size = meta->dtype->size;
    if (meta->dtype->kind == VZ_DTYPE_OBJECT)
        return set_item(meta, bytes, err);
    if (!bytes || is_zero(bytes, size)) {
        const bool ok = vz_meta_set_zero_fill(meta, err);
        meta->fill_defined = ok && bytes != NULL;
        return ok;
    }
    uint8_t *fill = malloc(size);
    if (!fill)
        return vz_fail_memory(err);
    memcpy(fill, bytes, size);
    forget_fill(meta);
    meta->fill = fill;
    meta->fill_zero = false;
    meta->fill_defined = true;
    return true;
}

bool vz_meta_fill_check(const vz_dtype *dtype, const vz_json *value, bool *zero, vz_error *err)
{
    size_t length = 0;
    const vz_json_kind kind = vz_json_kind_of(value);
    const char *text = vz_json_get_string(value, &length);
    *zero = text && length == 0 && (dtype->kind == VZ_DTYPE_BYTES || dtype->kind == VZ_DTYPE_UNICODE);
    if (!text)
        length = vz_json_length(value);
    if (*zero || dtype->size <= VZ_FILL_FREE_SIZE || dtype->size / VZ_FILL_RATIO <= length)
        return true;
    if (kind != VZ_JSON_STRING && kind != VZ_JSON_ARRAY && kind != VZ_JSON_OBJECT)
        return true; /* no such element has a fill value of another kind: who parses it says so */
    return vz_fail(err, VZ_LIMIT, "fill_value: other than zeros, of an element of %zu bytes", dtype->size);
}

bool vz_meta_measure_chunk(vz_meta *meta, vz_error *err)
{
    uint64_t count = 1, size;
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(count, meta->chunks[d], &count))
            return vz_fail(err, VZ_LIMIT, "chunks: too many elements in a chunk");
    if (count > VZ_CHUNK_MAX_SIZE || !vz_mul(count, meta->dtype->size, &size) || size > VZ_CHUNK_MAX_SIZE)
        return vz_fail(err, VZ_LIMIT, "chunks: a chunk has more than %zu bytes", VZ_CHUNK_MAX_SIZE);
    meta->chunk_count = count;
    meta->chunk_size = (size_t)size;
    return true;
}

bool vz_meta_same_fill(const vz_meta *a, const vz_meta *b)
{
    if (a->fill_defined != b->fill_defined || !vz_dtype_equal(a->dtype, b->dtype))
        return false;
    if (a->fill_zero || b->fill_zero)
        return a->fill_zero == b->fill_zero;
    if (a->dtype->kind != VZ_DTYPE_OBJECT)
        return memcmp(a->fill, b->fill, a->dtype->size) == 0;
    vz_item x, y;
    memcpy(&x, a->fill, sizeof x);
    memcpy(&y, b->fill, sizeof y);
    return !x.data == !y.data && x.size == y.size && (x.size == 0 || memcmp(x.data, y.data, (size_t)x.size) == 0);
}

void vz_meta_set_order(vz_meta *meta, bool first_fastest)
{
    for (unsigned i = 0; i < meta->rank; i++)
        meta->axes[i] = (uint8_t)(first_fastest ? meta->rank - 1 - i : i);
}

bool vz_meta_is_order(const vz_meta *meta, bool first_fastest)
{
    for (unsigned i = 0; i < meta->rank; i++)
        if (meta->axes[i] != (first_fastest ? meta->rank - 1 - i : i))
            return false;
    return true;
}

bool vz_meta_same_order(const vz_meta *a, const vz_meta *b)
{
    return a->rank == b->rank && memcmp(a->axes, b->axes, a->rank) == 0;
}

static bool same_edges(const vz_meta_edges *a, const vz_meta_edges *b, unsigned rank)
{
    if (!a || !b)
        return !a == !b;
    for (unsigned d = 0; d < rank; d++)
        if (a[d].count != b[d].count || a[d].uniform != b[d].uniform ||
            memcmp(a[d].runs, b[d].runs, a[d].count * sizeof *a[d].runs) != 0)
            return false;
    return true;
}

bool vz_meta_same_edges(const vz_meta *a, const vz_meta *b)
{
    return a->rank == b->rank && same_edges(a->edges, b->edges, a->rank);
}

bool vz_meta_same_shards(const vz_meta *a, const vz_meta *b)
{
    if (a->shard_levels != b->shard_levels || a->rank != b->rank ||
        !same_edges(a->shard_edges, b->shard_edges, a->rank))
        return false;
    for (unsigned i = 0; i < a->shard_levels; i++) {
        const vz_meta_shard_level *x = &a->shards[i], *y = &b->shards[i];
        if (memcmp(x->shape, y->shape, sizeof x->shape) != 0 || memcmp(x->axes, y->axes, sizeof x->axes) != 0 ||
            memcmp(x->index_axes, y->index_axes, sizeof x->index_axes) != 0 || x->index_first != y->index_first ||
            x->index_big_endian != y->index_big_endian || !vz_codecs_equal(&x->index_codecs, &y->index_codecs) ||
            !vz_codecs_equal(&x->behind, &y->behind))
            return false;
    }
    return true;
}

bool vz_meta_same_grid(const vz_meta *a, const vz_meta *b)
{
    return a->rank == b->rank && memcmp(a->chunks, b->chunks, a->rank * sizeof a->chunks[0]) == 0 &&
           vz_meta_same_edges(a, b) && vz_codecs_equal(&a->codecs, &b->codecs) && vz_meta_same_order(a, b) &&
           a->separator == b->separator && a->key_c == b->key_c && a->is_referenced == b->is_referenced &&
           vz_meta_same_shards(a, b) && vz_dtype_equal(a->dtype, b->dtype);
}

/* Behind what is there, with room for a NUL. */
static bool put(char *key, size_t size, size_t *at, const char *text, size_t length)
{
    if (length >= size - *at)
        return false;
    memcpy(key + *at, text, length);
    *at += length;
    return true;
}

bool vz_meta_chunk_key(const vz_meta *meta, const char *prefix, const uint64_t *chunk, char *key, size_t size,
                       vz_error *err)
{
    const char *start = meta->key_c ? "c" : meta->rank == 0 ? "0" : "";
    size_t at = 0;
    bool fits = put(key, size, &at, prefix, strlen(prefix)) && put(key, size, &at, "/", *prefix ? 1 : 0) &&
                put(key, size, &at, start, strlen(start));
    for (unsigned d = 0; d < meta->rank && fits; d++) {
        char digits[VZ_DECIMAL_SIZE];
        const size_t length = vz_decimal(chunk[d], digits);
        fits =
            put(key, size, &at, &meta->separator, d > 0 || meta->key_c ? 1 : 0) && put(key, size, &at, digits, length);
    }
    if (!fits)
        return vz_fail(err, VZ_LIMIT, "the key of a chunk is longer than %zu bytes", size);
    key[at] = '\0';
    return true;
}

vz_json *vz_meta_print_sizes(const uint64_t *sizes, unsigned rank, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    for (unsigned d = 0; list && d < rank; d++)
        if (!vz_json_append(list, vz_json_uint64(sizes[d], err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}
