/* web_names.c - names below a prefix of a store on a web server: documents as its metadata names
 * them, chunks as the grids of its arrays do. */
#include "array/selection/selection.h"
#include "command/sync/web_internal.h"
#include <stdlib.h>

typedef struct names {
    vz_entry *entries;
    size_t count, capacity;
} names;

static bool add(names *n, const char *name, bool is_prefix, vz_error *err)
{
    if (n->count == n->capacity) {
        const size_t capacity = n->capacity ? 2 * n->capacity : 64;
        vz_entry *entries = capacity > 2 * VZ_SYNC_NAMES_MAX ? NULL : realloc(n->entries, capacity * sizeof *entries);
        if (!entries)
            return vz_fail_memory(err);
        n->entries = entries;
        n->capacity = capacity;
    }
    char *copy = strdup(name);
    if (!copy)
        return vz_fail_memory(err);
    n->entries[n->count++] = (vz_entry){.name = copy, .is_prefix = is_prefix};
    return true;
}

/* Attributes that the copy does not name may be there. So may documents of a root. */
static bool add_documents(const vz_sync_web *web, const char *prefix, names *n, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool is_node = false, ok = vz_store_list(web->documents, prefix, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++) {
        is_node = is_node || !entries[i].is_prefix;
        ok = add(n, entries[i].name, entries[i].is_prefix, err);
    }
    vz_entries_free(entries, count);
    if (ok && is_node && web->zarr_format->attributes)
        ok = add(n, web->zarr_format->attributes, false, err);
    for (int i = 0; ok && !*prefix && i < VZ_SYNC_ROOTS; i++)
        ok = add(n, vz_sync_root_names[i], false, err);
    return ok;
}

bool vz_sync_web_check_grid(const vz_meta *meta, vz_error *err)
{
    uint64_t dims[VZ_MAX_RANK], most = 0;
    vz_grid_stored(meta, dims);
    const uint64_t chunks = vz_grid_count(meta->rank, dims);
    if (chunks > VZ_SYNC_ASKED_MAX)
        return vz_fail(err, VZ_LIMIT, "an array of %llu chunks on a web server, which would be asked for one by one",
                       (unsigned long long)chunks);
    for (unsigned d = 0; d < meta->rank; d++)
        most = dims[d] > most ? dims[d] : most;
    return (meta->separator == '/' ? most : chunks) <= VZ_SYNC_NAMES_MAX ||
           vz_fail(err, VZ_LIMIT, "an array of more than %d chunks in one prefix, on a web server", VZ_SYNC_NAMES_MAX);
}

/* All numbers of a key in one name: "0.1" or "c.0.1". */
static bool add_flat(const vz_meta *meta, const uint64_t *dims, names *n, vz_error *err)
{
    static const uint64_t zero[VZ_MAX_RANK];
    uint64_t at[VZ_MAX_RANK] = {0};
    char key[VZ_SYNC_KEY_MAX];
    do {
        if (!vz_meta_chunk_key(meta, "", at, key, sizeof key, err) || !add(n, key, false, err))
            return false;
    } while (meta->rank > 0 && vz_grid_next(meta->rank, zero, dims, at));
    return true;
}

/* Numbers along one dimension; `rest` has those before it. */
static bool add_numbers(const vz_meta *meta, const uint64_t *dims, const char *rest, names *n, vz_error *err)
{
    char digits[VZ_DECIMAL_SIZE + 1];
    unsigned d = 0;
    if (meta->key_c) {
        if (!*rest)
            return add(n, "c", meta->rank > 0, err);
        if (*rest != 'c' || (rest[1] && rest[1] != '/'))
            return true;
        rest += rest[1] ? 2 : 1;
    }
    for (; *rest; d++) { /* a member of the array that is no chunk has no chunks below it */
        const size_t length = strspn(rest, "0123456789");
        if (length == 0 || (rest[length] && rest[length] != '/'))
            return true;
        rest += length + (rest[length] == '/');
    }
    if (meta->rank == 0)
        return meta->key_c || d > 0 || add(n, "0", false, err);
    if (d >= meta->rank)
        return true;
    for (uint64_t i = 0; i < dims[d]; i++) {
        digits[vz_decimal(i, digits)] = '\0';
        if (!add(n, digits, d + 1 < meta->rank, err))
            return false;
    }
    return true;
}

/* The array at the prefix, or around it; *rest: behind its own prefix. */
static const vz_meta *array_above(const vz_sync_web *web, const char *prefix, const char **rest)
{
    char path[VZ_SYNC_KEY_MAX];
    size_t length = strlen(prefix);
    if (length >= sizeof path)
        return NULL;
    memcpy(path, prefix, length + 1);
    for (;;) {
        const vz_meta *meta = vz_strmap_get(web->arrays, path);
        *rest = prefix + length + (length > 0 && prefix[length] == '/');
        if (meta || length == 0)
            return meta;
        const char *slash = strrchr(path, '/');
        length = slash ? (size_t)(slash - path) : 0;
        path[length] = '\0';
    }
}

static bool add_chunks(const vz_sync_web *web, const char *prefix, names *n, vz_error *err)
{
    const char *rest;
    const vz_meta *meta = array_above(web, prefix, &rest);
    uint64_t dims[VZ_MAX_RANK];
    if (!meta)
        return true;
    vz_grid_stored(meta, dims);
    if (vz_grid_count(meta->rank, dims) == 0)
        return true;
    if (meta->separator == '/')
        return add_numbers(meta, dims, rest, n, err);
    return *rest || add_flat(meta, dims, n, err);
}

static int by_name(const void *one, const void *other)
{
    const vz_entry *a = one, *b = other;
    const int order = strcmp(a->name, b->name);
    return order ? order : (int)a->is_prefix - (int)b->is_prefix;
}

static void remove_doubles(names *n)
{
    size_t kept = 0;
    qsort(n->entries, n->count, sizeof *n->entries, by_name);
    for (size_t i = 0; i < n->count; i++)
        if (kept > 0 && by_name(&n->entries[kept - 1], &n->entries[i]) == 0)
            free(n->entries[i].name);
        else
            n->entries[kept++] = n->entries[i];
    n->count = kept;
}

bool vz_sync_web_list(const vz_sync_web *web, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    names n = {0};
    const bool ok = add_documents(web, prefix, &n, err) && add_chunks(web, prefix, &n, err);
    if (ok && n.count > 0)
        remove_doubles(&n);
    *entries = n.entries;
    *count = n.count;
    if (!ok)
        vz_error_where(err, NULL, prefix);
    return ok;
}
