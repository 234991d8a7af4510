/* prefetch.c - values that were read before they are asked for. */
#include "store/store/prefetch_internal.h"
#include "base/util/hash.h"
#include <stdlib.h>

#define AHEAD_BYTES_MAX ((uint64_t)64 << 20) /* of all that is kept */

struct vz_values_ahead {
    vz_strmap *by_key;
    vz_strmap *lists; /* by prefix; NULL: none */
    uint64_t bytes;
    size_t refused; /* values that are missing as far as a refusal says so */
    bool keeps;
};

typedef struct list_ahead {
    vz_entry *entries;
    size_t count;
} list_ahead;

static void free_list(void *data)
{
    list_ahead *list = data;
    vz_entries_free(list->entries, list->count);
    free(list);
}

typedef struct value_ahead {
    bool found;
    vz_version version;
    vz_buffer bytes;
    uint64_t whole;  /* the bytes are a part of what this stands for; 0: they are all */
    bool is_refused; /* not found, as request->is_refused says */
} value_ahead;

static value_ahead *find_any(const vz_store *store, const char *key)
{
    return store->ahead ? vz_strmap_get(store->ahead->by_key, key) : NULL;
}

/* A part is told to who asks for parts. */
static value_ahead *find(const vz_store *store, const char *key)
{
    value_ahead *value = find_any(store, key);
    if (value && value->is_refused)
        vz_refusal_told();
    return value && !value->whole ? value : NULL;
}

static void free_value(void *data)
{
    value_ahead *value = data;
    vz_buffer_clear(&value->bytes);
    free(value);
}

struct vz_values_ahead *vz_ahead_table(vz_store *store)
{
    if (store->ahead)
        return store->ahead;
    struct vz_values_ahead *table = calloc(1, sizeof *table);
    if (table && !(table->by_key = vz_strmap_new())) {
        free(table);
        table = NULL;
    }
    return store->ahead = table;
}

bool vz_ahead_keep(struct vz_values_ahead *table, const char *key, bool found, const vz_version *version,
                   vz_buffer *bytes, vz_error *err)
{
    if (table->bytes + bytes->size > AHEAD_BYTES_MAX || vz_strmap_get(table->by_key, key))
        return true;
    value_ahead *value = calloc(1, sizeof *value);
    if (!value)
        return vz_fail_memory(err);
    if (!vz_strmap_put(table->by_key, key, value, err)) {
        free(value);
        return false;
    }
    *value = (value_ahead){.found = found, .version = *version, .bytes = *bytes};
    *bytes = (vz_buffer){0};
    table->bytes += value->bytes.size;
    return true;
}

bool vz_ahead_keep_answer(struct vz_values_ahead *table, const vz_request *request, vz_buffer *bytes, vz_error *err)
{
    const bool was_known = vz_strmap_get(table->by_key, request->key) != NULL;
    if (!vz_ahead_keep(table, request->key, request->found, &request->version, bytes, err))
        return false;
    value_ahead *value = request->is_refused && !was_known ? vz_strmap_get(table->by_key, request->key) : NULL;
    if (value) {
        value->is_refused = true;
        table->refused++;
    }
    return true;
}

void vz_store_forget_refused(vz_store *store)
{
    struct vz_values_ahead *table = store->ahead;
    while (table && table->refused > 0) {
        size_t cursor = 0;
        const char *key = NULL;
        void *value = NULL;
        while (vz_strmap_next(table->by_key, &cursor, &key, &value) && !((const value_ahead *)value)->is_refused)
            ;
        if (!value || !((const value_ahead *)value)->is_refused)
            break; /* told meanwhile */
        free_value(vz_strmap_remove(table->by_key, key));
        table->refused--;
    }
}

bool vz_store_keep_ahead(vz_store *store, vz_error *err)
{
    vz_store_forget_ahead(store, NULL);
    struct vz_values_ahead *table = vz_ahead_table(store);
    if (!table)
        return vz_fail_memory(err);
    table->keeps = true;
    return true;
}

bool vz_store_see_ahead(vz_store *store, const char *key, vz_buffer *out, bool *found, vz_version *version)
{
    const value_ahead *value = find(store, key);
    if (!value || !store->ahead->keeps || !vz_buffer_append(out, value->bytes.data, value->bytes.size, NULL))
        return false;
    *found = value->found;
    *version = value->version;
    return true;
}

bool vz_store_take_ahead(vz_store *store, const char *key, vz_buffer *out, bool *found, vz_version *version)
{
    if (store->ahead && store->ahead->keeps)
        return vz_store_see_ahead(store, key, out, found, version);
    value_ahead *value = find(store, key);
    if (!value)
        return false;
    vz_strmap_remove(store->ahead->by_key, key);
    const size_t limit = out->limit;
    store->ahead->bytes -= value->bytes.size;
    store->ahead->refused -= value->is_refused;
    *found = value->found;
    *version = value->version;
    *out = value->bytes;
    out->limit = limit;
    free(value);
    return true;
}

bool vz_store_knows_ahead(vz_store *store, const char *key, bool *found, vz_bytes *bytes)
{
    const value_ahead *value = find(store, key);
    if (!value)
        return false;
    *found = value->found;
    *bytes = (vz_bytes){value->bytes.data, value->bytes.size};
    return true;
}

bool vz_store_keep_part(vz_store *store, const char *key, vz_buffer *bytes, uint64_t whole, vz_error *err)
{
    const vz_version unknown = {0};
    vz_store_forget_ahead(store, key);
    if (!vz_ahead_table(store))
        return vz_fail_memory(err);
    if (!vz_ahead_keep(store->ahead, key, true, &unknown, bytes, err))
        return false;
    value_ahead *value = find_any(store, key);
    if (value)
        value->whole = whole;
    return true;
}

bool vz_store_see_part(const vz_store *store, const char *key, vz_bytes *bytes, uint64_t *whole)
{
    const value_ahead *value = find_any(store, key);
    if (!value || !value->whole)
        return false;
    *bytes = (vz_bytes){value->bytes.data, value->bytes.size};
    *whole = value->whole;
    return true;
}

/* ---- listings ---- */

/* Takes the entries. */
bool vz_ahead_keep_list(struct vz_values_ahead *table, const char *prefix, vz_entry *entries, size_t count,
                        vz_error *err)
{
    list_ahead *list = calloc(1, sizeof *list), *old = table->lists ? vz_strmap_get(table->lists, prefix) : NULL;
    uint64_t bytes = count * sizeof *entries;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(entries[i].name);
    const bool fits = table->bytes + bytes <= AHEAD_BYTES_MAX;
    if (list && fits && !table->lists)
        table->lists = vz_strmap_new();
    if (!list || !fits || !table->lists || !vz_strmap_put(table->lists, prefix, list, err)) {
        const bool is_passed_over = list && !fits;
        vz_entries_free(entries, count);
        free(list);
        return is_passed_over || vz_fail_memory(err);
    }
    *list = (list_ahead){entries, count};
    table->bytes += bytes;
    if (old)
        free_list(old);
    return true;
}

const vz_entry *vz_store_listed_ahead(vz_store *store, const char *prefix, size_t *count)
{
    static const vz_entry nothing;
    const list_ahead *list = store->ahead && store->ahead->lists ? vz_strmap_get(store->ahead->lists, prefix) : NULL;
    *count = list ? list->count : 0;
    return !list ? NULL : list->entries ? list->entries : &nothing;
}

static bool copy_list(const list_ahead *list, vz_entry **entries, size_t *count)
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
    struct vz_values_ahead *table = store->ahead;
    list_ahead *list = table && table->lists ? vz_strmap_get(table->lists, prefix) : NULL;
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
    if (vz_ahead_table(store))
        vz_ahead_keep(store->ahead, key, false, &unknown, &nothing, NULL);
}

bool vz_store_each_ahead(vz_store *store, bool (*visit)(void *context, const char *key, vz_error *err), void *context,
                         vz_error *err)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    bool ok = true;
    while (ok && store->ahead && vz_strmap_next(store->ahead->by_key, &cursor, &key, &value))
        ok = !((const value_ahead *)value)->found || visit(context, key, err);
    return ok;
}

void vz_store_move_ahead(vz_store *from, vz_store *to)
{
    if (to->ahead)
        return;
    to->ahead = from->ahead;
    from->ahead = NULL;
}

void vz_values_ahead_free(struct vz_values_ahead *ahead)
{
    if (!ahead)
        return;
    vz_strmap_free(ahead->by_key, free_value);
    vz_strmap_free(ahead->lists, free_list);
    free(ahead);
}

void vz_store_forget_ahead(vz_store *store, const char *key)
{
    if (!store->ahead)
        return;
    if (key) {
        value_ahead *value = vz_strmap_remove(store->ahead->by_key, key);
        if (value) {
            store->ahead->bytes -= value->bytes.size;
            store->ahead->refused -= value->is_refused;
            free_value(value);
        }
        return;
    }
    vz_values_ahead_free(store->ahead);
    store->ahead = NULL;
}
