/* array_open.c - opening and closing an array's I/O state, its cache as a whole. */
#include "array/array/array_internal.h"
#include "array/array/ranks_internal.h"
#include "base/util/memory_budget.h"
#include <stdlib.h>

static const vz_dtype_field *find_object_field(const vz_dtype *dtype)
{
    for (size_t i = 0; i < dtype->field_count; i++) {
        const vz_dtype_field *field = &dtype->fields[i];
        if (field->dtype->kind == VZ_DTYPE_OBJECT || find_object_field(field->dtype))
            return field;
    }
    return NULL;
}

static bool check_dtype(const vz_dtype *dtype, vz_error *err)
{
    const vz_dtype_field *field = find_object_field(dtype);
    if (field)
        return vz_fail(err, VZ_UNSUPPORTED, "structured elements with objects in them (field \"%s\")", field->name);
    if (dtype->kind == VZ_DTYPE_OBJECT && (dtype->object == VZ_OBJECT_OTHER || dtype->object == VZ_OBJECT_NONE))
        return vz_fail(err, VZ_UNSUPPORTED, "objects encoded by \"%s\"", dtype->codec ? dtype->codec : "no codec");
    return true;
}

static bool open_chain(vz_array *array, vz_error *err)
{
    _Static_assert(VZ_CODEC_MAX_RANK == VZ_MAX_RANK, "codecs know chunks of every rank that arrays have");
    const vz_meta *meta = array->meta;
    const bool rows = meta->dtype->object == VZ_OBJECT_JSON && meta->dtype->item;
    vz_json *record = rows ? vz_dtype_print_v2(meta->dtype->item, err) : NULL;
    if (rows && !record)
        return false;
    uint64_t places[VZ_MAX_RANK];
    const vz_chain_chunk chunk = {.objects = array->objects,
                                  .big_endian = meta->dtype->big_endian,
                                  .element_size = meta->dtype->size,
                                  .element_count = meta->chunk_count,
                                  .kind = vz_chunk_kind(meta),
                                  .rank = meta->rank,
                                  .shape = vz_chunk_places(meta, meta->chunks, places),
                                  .record = record};
    const bool ok = vz_chain_open(&array->chain, &meta->codecs, &chunk, err);
    vz_json_free(record);
    return ok;
}

vz_array *vz_array_open(vz_store *store, const vz_meta *meta, const char *prefix, bool skip_fill, vz_error *err)
{
    if (!check_dtype(meta->dtype, err))
        return NULL;
    vz_array *array = calloc(1, sizeof *array);
    if (!array) {
        vz_fail_memory(err);
        return NULL;
    }
    array->store = store;
    array->meta = meta;
    array->skip_fill = skip_fill;
    array->chunk_max = VZ_CHUNK_FREE_SIZE;
    array->objects = meta->dtype->kind == VZ_DTYPE_OBJECT;
    array->source = meta->shard_levels > 0 ? &vz_chunks_in_shards : &vz_chunks_plain;
    vz_cache_init(&array->cache, meta->rank, meta->chunk_size, VZ_ARRAY_CACHE_DEFAULT);
    if (!open_chain(array, err) || (meta->shard_levels > 0 && !(array->shards = vz_shards_new(meta, err))) ||
        !vz_array_set_prefix(array, prefix, err)) {
        vz_array_close(array);
        return NULL;
    }
    array->raw = array->chain.count == 0 && !meta->edges;
    return array;
}

void vz_array_own_store(vz_array *array)
{
    array->owns_store = true;
}

void vz_array_close(vz_array *array)
{
    if (!array)
        return;
    vz_owners_end(array);
    vz_cache_clear(&array->cache);
    vz_chain_clear(&array->chain);
    vz_shards_free(array->shards);
    free(array->recent);
    if (array->owns_store)
        vz_store_close(array->store);
    free(array->prefix);
    free(array);
}

void vz_array_set_cache(vz_array *array, size_t bytes)
{
    if (bytes > array->cache.budget)
        array->cache.budget = bytes;
}

void vz_array_set_chunk_max(vz_array *array, uint64_t bytes)
{
    array->chunk_max = bytes;
}

void vz_array_set_keep(vz_array *array, bool may_keep)
{
    array->chain.may_keep = may_keep;
    array->keep_is_set = true;
}

bool vz_array_keep_is_set(const vz_array *array)
{
    return array->keep_is_set;
}

void vz_array_set_rounding(vz_array *array, const vz_rounding *rounding)
{
    array->rounding_is_set = true;
    array->rounds = rounding && vz_rounding_is_lossy(rounding) && rounding->size == array->meta->dtype->size;
    if (rounding)
        array->rounding = *rounding;
}

bool vz_array_rounding_is_set(const vz_array *array)
{
    return array->rounding_is_set;
}

void vz_array_watch(vz_array *array, const vz_chunks_document *document)
{
    array->document = *document;
}

void vz_array_set_new(vz_array *array, const bool *is_new)
{
    array->is_new = array->store->capabilities & VZ_STORE_CHEAP ? NULL : is_new;
}

void vz_array_begin_with_zeros(vz_array *array)
{
    array->zeros = true;
}

bool vz_array_set_prefix(vz_array *array, const char *prefix, vz_error *err)
{
    char *copy = strdup(prefix);
    if (!copy)
        return vz_fail_memory(err);
    free(array->prefix);
    array->prefix = copy;
    return true;
}

uint64_t vz_array_dirty_bytes(const vz_array *array)
{
    return array->cache.dirty_bytes + vz_shards_dirty_bytes(array);
}

bool vz_array_flush(vz_array *array, vz_error *err)
{
    vz_chunk_cache *cache = &array->cache;
    if (array->keep_dirty)
        return true;
    if (vz_array_dirty_bytes(array) > 0 && !vz_array_may_change(array, true, err))
        return false;
    if (cache->dirty_bytes == 0)
        return vz_shards_write(array, true, err);
    vz_cached **entries = malloc(cache->count * sizeof(vz_cached *));
    if (!entries)
        return vz_fail_memory(err);
    size_t count = 0;
    for (vz_cached *entry = cache->oldest; entry; entry = entry->newer)
        if (entry->dirty)
            entries[count++] = entry;
    const bool ok = vz_cached_write(array, entries, count, err);
    free(entries);
    return vz_shards_write(array, true, ok ? err : NULL) && ok;
}

void vz_array_keep_dirty(vz_array *array, bool keep)
{
    array->keep_dirty = keep;
}

void vz_array_drop_clean(vz_array *array)
{
    vz_shards_forget(array);
    for (vz_cached *entry = array->cache.oldest, *next; entry; entry = next) {
        next = entry->newer;
        if (!entry->dirty)
            vz_cache_remove(&array->cache, entry);
    }
}

void vz_array_drop_all(vz_array *array)
{
    vz_cache_clear(&array->cache);
    vz_shards_drop(array);
}

vz_array_counts vz_array_counted(const vz_array *array)
{
    return array->counts;
}
