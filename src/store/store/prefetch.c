/* prefetch.c - the table of prefetched values and listings. */
#include "store/store/request_internal.h"
#include "base/util/hash.h"
#include <stdlib.h>

#define PREFETCH_BYTES_MAX ((uint64_t)64 << 20) /* of all that is kept */

struct vz_prefetch_table {
    vz_strmap *by_key;
    vz_strmap *lists; /* by prefix; NULL: none */
    uint64_t bytes;
    size_t refused; /* values that are missing as far as a refusal says so */
    size_t chunks;  /* values that are chunks */
    bool keeps;
};

typedef struct prefetched_list {
    vz_entry *entries;
    size_t count;
} prefetched_list;

static void free_list(void *data)
{
    prefetched_list *list = data;
    vz_entries_free(list->entries, list->count);
    free(list);
}

typedef struct prefetched_value {
    bool found;
    vz_version version;
    vz_buffer bytes;
    uint64_t whole;  /* the bytes are a part of what this stands for; 0: they are all */
    bool is_refused; /* not found, as request->is_refused says */
    bool is_chunk;
} prefetched_value;

static prefetched_value *find_any(const vz_store *store, const char *key)
{
    return store->prefetched ? vz_strmap_get(store->prefetched->by_key, key) : NULL;
}

/* A part is reported to who asks for parts. */
static prefetched_value *find(const vz_store *store, const char *key)
{
    prefetched_value *value = find_any(store, key);
    if (value && value->is_refused)
        vz_refusals_count();
    return value && !value->whole ? value : NULL;
}

static void free_value(void *data)
{
    prefetched_value *value = data;
    vz_buffer_clear(&value->bytes);
    free(value);
}

struct vz_prefetch_table *vz_prefetch_table_of(vz_store *store)
{
    if (store->prefetched)
        return store->prefetched;
    struct vz_prefetch_table *table = calloc(1, sizeof *table);
    if (table && !(table->by_key = vz_strmap_new())) {
        free(table);
        table = NULL;
    }
    return store->prefetched = table;
}

bool vz_prefetch_keep(struct vz_prefetch_table *table, const char *key, bool found, const vz_version *version,
                      vz_buffer *bytes, vz_error *err)
{
    if (table->bytes + bytes->size > PREFETCH_BYTES_MAX || vz_strmap_get(table->by_key, key))
        return true;
    prefetched_value *value = calloc(1, sizeof *value);
    if (!value)
        return vz_fail_memory(err);
    if (!vz_strmap_put(table->by_key, key, value, err)) {
        free(value);
        return false;
    }
    *value = (prefetched_value){.found = found, .version = *version, .bytes = *bytes};
    *bytes = (vz_buffer){0};
    table->bytes += value->bytes.size;
    return true;
}

bool vz_prefetch_keep_answer(struct vz_prefetch_table *table, const vz_request *request, vz_buffer *bytes,
                             vz_error *err)
{
    const bool was_known = vz_strmap_get(table->by_key, request->key) != NULL;
    if (!vz_prefetch_keep(table, request->key, request->found, &request->version, bytes, err))
        return false;
    prefetched_value *value = request->is_refused && !was_known ? vz_strmap_get(table->by_key, request->key) : NULL;
    if (value) {
        value->is_refused = true;
        table->refused++;
    }
    return true;
}

void vz_store_forget_refused(vz_store *store)
{
    struct vz_prefetch_table *table = store->prefetched;
    while (table && table->refused > 0) {
        size_t cursor = 0;
        const char *key = NULL;
        void *value = NULL;
        while (vz_strmap_next(table->by_key, &cursor, &key, &value) && !((const prefetched_value *)value)->is_refused)
            ;
        if (!value || !((const prefetched_value *)value)->is_refused)
            break; /* reported meanwhile */
        table->chunks -= ((const prefetched_value *)value)->is_chunk;
        free_value(vz_strmap_remove(table->by_key, key));
        table->refused--;
    }
}

bool vz_store_pin_prefetched(vz_store *store, vz_error *err)
{
    vz_store_forget_prefetched(store, NULL);
    struct vz_prefetch_table *table = vz_prefetch_table_of(store);
    if (!table)
        return vz_fail_memory(err);
    table->keeps = true;
    return true;
}

bool vz_store_see_prefetched(vz_store *store, const char *key, vz_buffer *out, bool *found, vz_version *version)
{
    const prefetched_value *value = find(store, key);
    if (!value || !store->prefetched->keeps || !vz_buffer_append(out, value->bytes.data, value->bytes.size, NULL))
        return false;
    *found = value->found;
    *version = value->version;
    return true;
}

bool vz_store_take_prefetched(vz_store *store, const char *key, vz_buffer *out, bool *found, vz_version *version)
{
    if (store->prefetched && store->prefetched->keeps)
        return vz_store_see_prefetched(store, key, out, found, version);
    prefetched_value *value = find(store, key);
    if (!value)
        return false;
    vz_strmap_remove(store->prefetched->by_key, key);
    const size_t limit = out->limit;
    store->prefetched->bytes -= value->bytes.size;
    store->prefetched->refused -= value->is_refused;
    store->prefetched->chunks -= value->is_chunk;
    *found = value->found;
    *version = value->version;
    *out = value->bytes;
    out->limit = limit;
    free(value);
    return true;
}

bool vz_store_has_prefetched(vz_store *store, const char *key, bool *found, vz_bytes *bytes)
{
    const prefetched_value *value = find(store, key);
    if (!value)
        return false;
    *found = value->found;
    *bytes = (vz_bytes){value->bytes.data, value->bytes.size};
    return true;
}

void vz_prefetch_mark_chunk(struct vz_prefetch_table *table, const char *key)
{
    prefetched_value *value = vz_strmap_get(table->by_key, key);
    if (!value || value->is_chunk)
        return;
    value->is_chunk = true;
    table->chunks++;
}

/* Asked for each chunk that is read, and mostly there are none. */
bool vz_store_take_chunk(vz_store *store, const char *key, vz_buffer *out, bool *found)
{
    vz_version unused;
    if (!store->prefetched || !store->prefetched->chunks)
        return false;
    const prefetched_value *value = find_any(store, key);
    return value && value->is_chunk && vz_store_take_prefetched(store, key, out, found, &unused);
}

bool vz_store_keep_part(vz_store *store, const char *key, vz_buffer *bytes, uint64_t whole, vz_error *err)
{
    const vz_version unknown = {0};
    vz_store_forget_prefetched(store, key);
    if (!vz_prefetch_table_of(store))
        return vz_fail_memory(err);
    if (!vz_prefetch_keep(store->prefetched, key, true, &unknown, bytes, err))
        return false;
    prefetched_value *value = find_any(store, key);
    if (value)
        value->whole = whole;
    return true;
}

bool vz_store_see_part(const vz_store *store, const char *key, vz_bytes *bytes, uint64_t *whole)
{
    const prefetched_value *value = find_any(store, key);
    if (!value || !value->whole)
        return false;
    *bytes = (vz_bytes){value->bytes.data, value->bytes.size};
    *whole = value->whole;
    return true;
}

/* ---- listings ---- */

/* Takes the entries. */
bool vz_prefetch_keep_list(struct vz_prefetch_table *table, const char *prefix, vz_entry *entries, size_t count,
                           vz_error *err)
{
    prefetched_list *list = calloc(1, sizeof *list), *old = table->lists ? vz_strmap_get(table->lists, prefix) : NULL;
    uint64_t bytes = count * sizeof *entries;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(entries[i].name);
    const bool fits = table->bytes + bytes <= PREFETCH_BYTES_MAX;
    if (list && fits && !table->lists)
        table->lists = vz_strmap_new();
    if (!list || !fits || !table->lists || !vz_strmap_put(table->lists, prefix, list, err)) {
        const bool is_passed_over = list && !fits;
        vz_entries_free(entries, count);
        free(list);
        return is_passed_over || vz_fail_memory(err);
    }
    *list = (prefetched_list){entries, count};
    table->bytes += bytes;
    if (old)
        free_list(old);
    return true;
}

const vz_entry *vz_store_prefetched_list(vz_store *store, const char *prefix, size_t *count)
{
    static const vz_entry nothing;
    const prefetched_list *list =
        store->prefetched && store->prefetched->lists ? vz_strmap_get(store->prefetched->lists, prefix) : NULL;
    *count = list ? list->count : 0;
    return !list ? NULL : list->entries ? list->entries : &nothing;
}

void vz_store_forget_list(vz_store *store, const char *prefix)
{
    struct vz_prefetch_table *table = store->prefetched;
    prefetched_list *list = table && table->lists ? vz_strmap_remove(table->lists, prefix) : NULL;
    if (list)
        free_list(list);
}

static bool copy_list(const prefetched_list *list, vz_entry **entries, size_t *count)
{
    *entries = calloc(list->count + 1, sizeof **entries);
    for (*count = 0; *entries && *count < list->count; ++*count) {
        (*entries)[*count].is_prefix = list->entries[*count].is_prefix;
        if (!((*entries)[*count].name = strdup(list->entries[*count].name))) {
            vz_entries_free(*entries, *count);
            *entries = NULL;
        }
    }
    return *entries != NULL;
}

bool vz_store_list_first(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    struct vz_prefetch_table *table = store->prefetched;
    prefetched_list *list = table && table->lists ? vz_strmap_get(table->lists, prefix) : NULL;
    if (!list || (table->keeps && !copy_list(list, entries, count)))
        return vz_store_list(store, prefix, entries, count, err);
    if (table->keeps)
        return true;
    *entries = list->entries;
    *count = list->count;
    vz_strmap_remove(table->lists, prefix);
    free(list);
    return true;
}

/* Without memory for it, it is looked for. */
void vz_store_know_missing(vz_store *store, const char *key)
{
    vz_buffer nothing = {0};
    const vz_version unknown = {0};
    if (vz_prefetch_table_of(store))
        vz_prefetch_keep(store->prefetched, key, false, &unknown, &nothing, NULL);
}

bool vz_store_each_prefetched(vz_store *store, bool (*visit)(void *context, const char *key, vz_error *err),
                              void *context, vz_error *err)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    bool ok = true;
    while (ok && store->prefetched && vz_strmap_next(store->prefetched->by_key, &cursor, &key, &value))
        ok = !((const prefetched_value *)value)->found || visit(context, key, err);
    return ok;
}

void vz_store_move_prefetched(vz_store *from, vz_store *to)
{
    if (to->prefetched)
        return;
    to->prefetched = from->prefetched;
    from->prefetched = NULL;
}

void vz_prefetch_table_free(struct vz_prefetch_table *prefetched)
{
    if (!prefetched)
        return;
    vz_strmap_free(prefetched->by_key, free_value);
    vz_strmap_free(prefetched->lists, free_list);
    free(prefetched);
}

void vz_store_forget_prefetched(vz_store *store, const char *key)
{
    if (!store->prefetched)
        return;
    if (key) {
        prefetched_value *value = vz_strmap_remove(store->prefetched->by_key, key);
        if (value) {
            store->prefetched->bytes -= value->bytes.size;
            store->prefetched->refused -= value->is_refused;
            store->prefetched->chunks -= value->is_chunk;
            free_value(value);
        }
        return;
    }
    vz_prefetch_table_free(store->prefetched);
    store->prefetched = NULL;
}
