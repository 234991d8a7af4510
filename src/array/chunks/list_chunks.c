/* list_chunks.c - lists the chunks that a store holds. */
#include "array/chunks/array_state.h"
#include "base/util/c_library.h"
#include "array/selection/selection.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct listing {
    vz_array *array;
    unsigned rank;
    uint64_t at[VZ_MAX_RANK];
    uint64_t *chunks;
    size_t count, capacity;
} listing;

/* A number as chunk keys have it: decimal, without leading zeros. *text moves behind it. */
static bool parse_number(const char **text, uint64_t *number)
{
    const char *p = *text;
    if (*p < '0' || *p > '9' || (*p == '0' && p[1] >= '0' && p[1] <= '9'))
        return false;
    uint64_t value = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        if (!vz_mul(value, 10, &value) || !vz_add(value, (uint64_t)(*p - '0'), &value))
            return false;
    *text = p;
    *number = value;
    return true;
}

/* Numbers for dimensions first..last-1, with dots between them and nothing behind. */
static bool parse_name(listing *l, const char *name, unsigned first, unsigned last)
{
    for (unsigned d = first; d < last; d++) {
        if (!parse_number(&name, &l->at[d]))
            return false;
        if (d + 1 < last && *name++ != '.')
            return false;
    }
    return *name == '\0';
}

static bool add_chunk(listing *l, vz_error *err)
{
    if (l->count == l->capacity) {
        const size_t capacity = l->capacity ? l->capacity * 2 : 64;
        uint64_t *larger = realloc(l->chunks, capacity * (l->rank + 1) * sizeof *larger);
        if (!larger)
            return vz_fail_memory(err);
        l->chunks = larger;
        l->capacity = capacity;
    }
    memcpy(&l->chunks[l->count * l->rank], l->at, l->rank * sizeof *l->at);
    l->count++;
    return true;
}

static bool list_level(listing *l, const char *prefix, unsigned d, vz_error *err);

static bool list_entry(listing *l, const char *prefix, const vz_entry *entry, unsigned d, vz_error *err)
{
    const bool nested = l->array->meta->separator == '/' && d + 1 < l->rank;
    const unsigned last = l->array->meta->separator == '/' ? (d < l->rank ? d + 1 : d) : l->rank;
    if (entry->is_prefix != nested)
        return true;
    const char *name = entry->name;
    if (l->rank == 0)
        return strcmp(name, l->array->meta->key_c ? "c" : "0") != 0 || add_chunk(l, err);
    if (l->array->meta->key_c && !nested && l->array->meta->separator == '.') {
        if (strncmp(name, "c.", 2) != 0)
            return true;
        name += 2;
    }
    if (!parse_name(l, name, d, last))
        return true;
    if (!nested)
        return add_chunk(l, err);
    char *below;
    if (asprintf(&below, "%s%s%s", prefix, *prefix ? "/" : "", entry->name) < 0)
        return vz_fail_memory(err);
    const bool ok = list_level(l, below, d + 1, err);
    free(below);
    return ok;
}

static bool list_level(listing *l, const char *prefix, unsigned d, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool ok = vz_store_list(l->array->store, prefix, &entries, &count, err);
    for (size_t i = 0; i < count && ok; i++)
        ok = list_entry(l, prefix, &entries[i], d, err);
    vz_entries_free(entries, count);
    return ok;
}

/* Format 3's keys begin with "c": a directory, where the separator is a slash. */
static bool list_from(listing *l, vz_error *err)
{
    const vz_meta *meta = l->array->meta;
    const char *prefix = l->array->prefix;
    char *below;
    if (!meta->key_c || meta->separator != '/' || l->rank == 0)
        return list_level(l, prefix, 0, err);
    if (asprintf(&below, "%s%sc", prefix, *prefix ? "/" : "") < 0)
        return vz_fail_memory(err);
    const bool ok = list_level(l, below, 0, err);
    free(below);
    return ok;
}

/* The chunks of one shard that are there, inside the array or not. */
static bool expand_shard(listing *l, const uint64_t *shard, vz_error *err)
{
    const vz_meta *meta = l->array->meta;
    uint64_t low[VZ_MAX_RANK], high[VZ_MAX_RANK];
    for (unsigned d = 0; d < l->rank; d++) {
        const uint64_t start = vz_grid_shard_start(meta, d, shard[d]);
        low[d] = start / meta->chunks[d];
        if (start == UINT64_MAX || (meta->shard_edges && start >= meta->shape[d]) ||
            !vz_add(low[d], vz_grid_shard_edge(meta, d, shard[d]) / meta->chunks[d], &high[d]))
            return true; /* no shard of this array is called so */
    }
    memcpy(l->at, low, l->rank * sizeof *low);
    do {
        uint64_t size;
        bool found;
        if (!l->array->source->size(l->array, l->at, &size, &found, err) || (found && !add_chunk(l, err)))
            return false;
    } while (vz_grid_next(l->rank, low, high, l->at));
    return true;
}

/* From shards to chunks. */
static bool expand(listing *l, vz_error *err)
{
    uint64_t *shards = l->chunks;
    const size_t count = l->count;
    bool ok = true;
    l->chunks = NULL;
    l->count = l->capacity = 0;
    vz_shards_begin(l->array);
    for (size_t i = 0; ok && i < count; i++)
        ok = expand_shard(l, &shards[i * l->rank], err);
    vz_shards_end(l->array);
    free(shards);
    return ok;
}

static int compare_chunks(const void *a, const void *b, void *rank)
{
    const uint64_t *x = a, *y = b;
    for (unsigned d = 0; d < *(const unsigned *)rank; d++)
        if (x[d] != y[d])
            return x[d] < y[d] ? -1 : 1;
    return 0;
}

static bool load(vz_array *array, bool of_shards, vz_chunk_list *list, vz_error *err)
{
    listing l = {.array = array, .rank = array->meta->rank};
    *list = (vz_chunk_list){0};
    if (!(array->store->capabilities & VZ_STORE_LIST))
        return vz_fail(err, VZ_UNSUPPORTED, "listing the chunks of a store that cannot list");
    if (!list_from(&l, err) || (of_shards && array->shards && l.rank > 0 && !expand(&l, err))) {
        free(l.chunks);
        return false;
    }
    if (l.rank && l.count)
        vz_sort(l.chunks, l.count, l.rank * sizeof *l.chunks, compare_chunks, &l.rank);
    *list = (vz_chunk_list){l.chunks, l.count};
    return true;
}

bool vz_chunk_list_load(vz_array *array, vz_chunk_list *list, vz_error *err)
{
    return load(array, true, list, err);
}

bool vz_chunk_list_load_stored(vz_array *array, vz_chunk_list *list, vz_error *err)
{
    return load(array, false, list, err);
}

void vz_chunk_list_clear(vz_chunk_list *list)
{
    free(list->chunks);
    *list = (vz_chunk_list){0};
}
