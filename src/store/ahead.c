/* ahead.c - values that were read before they are asked for. */
#include "store/ahead.h"
#include "store/request.h"
#include "util/strmap.h"
#include <stdlib.h>

#define AHEAD_VALUE_MAX ((uint64_t)1 << 20)  /* bytes of a value that is kept */
#define AHEAD_BYTES_MAX ((uint64_t)64 << 20) /* of all of them */

struct vz_values_ahead {
    vz_strmap *by_key;
    vz_strmap *lists; /* by prefix; NULL: none */
    uint64_t bytes;
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
} value_ahead;

static void free_value(void *data)
{
    value_ahead *value = data;
    vz_buffer_clear(&value->bytes);
    free(value);
}

static struct vz_values_ahead *table_of(vz_store *store)
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

/* Takes the bytes over where they are kept. */
static bool keep(struct vz_values_ahead *table, const char *key, bool found, const vz_version *version,
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
    *value = (value_ahead){found, *version, *bytes};
    *bytes = (vz_buffer){0};
    table->bytes += value->bytes.size;
    return true;
}

static bool read_all(vz_store *store, vz_request *requests, vz_buffer *bytes, size_t count, vz_error *err)
{
    vz_buffer unused = {0};
    vz_batch *batch = vz_batch_open(store, requests, count, err);
    bool ok = batch != NULL;
    for (vz_request *request; ok && (request = vz_batch_next(batch, &unused));)
        ok = request->failed != VZ_OK ||
             keep(store->ahead, request->key, request->found, &request->version, &bytes[request->tag], err);
    if (batch && !ok)
        vz_batch_stop(batch);
    if (batch)
        vz_batch_close(batch, NULL); /* what failed is told when it is asked for */
    vz_buffer_clear(&unused);
    return ok;
}

bool vz_store_read_ahead(vz_store *store, const char *const *keys, size_t count, vz_error *err)
{
    return vz_store_read_ahead_up_to(store, keys, count, AHEAD_VALUE_MAX, err);
}

bool vz_store_read_ahead_up_to(vz_store *store, const char *const *keys, size_t count, size_t most, vz_error *err)
{
    vz_request *requests = calloc(count + 1, sizeof *requests);
    vz_buffer *bytes = calloc(count + 1, sizeof *bytes);
    bool ok = (requests && bytes && table_of(store)) || vz_fail_memory(err);
    for (size_t i = 0; ok && i < count; i++) {
        bytes[i].limit = most;
        requests[i] = (vz_request){.key = keys[i], .into = &bytes[i], .tag = i};
    }
    ok = ok && (count == 0 || read_all(store, requests, bytes, count, err));
    for (size_t i = 0; bytes && i < count; i++)
        vz_buffer_clear(&bytes[i]);
    free(requests);
    free(bytes);
    return ok;
}

bool vz_store_keep_ahead(vz_store *store, vz_error *err)
{
    vz_store_forget_ahead(store, NULL);
    struct vz_values_ahead *table = table_of(store);
    if (!table)
        return vz_fail_memory(err);
    table->keeps = true;
    return true;
}

bool vz_store_see_ahead(vz_store *store, const char *key, vz_buffer *out, bool *found, vz_version *version)
{
    const value_ahead *value = store->ahead && store->ahead->keeps ? vz_strmap_get(store->ahead->by_key, key) : NULL;
    if (!value || !vz_buffer_append(out, value->bytes.data, value->bytes.size, NULL))
        return false;
    *found = value->found;
    *version = value->version;
    return true;
}

bool vz_store_take_ahead(vz_store *store, const char *key, vz_buffer *out, bool *found, vz_version *version)
{
    if (store->ahead && store->ahead->keeps)
        return vz_store_see_ahead(store, key, out, found, version);
    value_ahead *value = store->ahead ? vz_strmap_remove(store->ahead->by_key, key) : NULL;
    if (!value)
        return false;
    const size_t limit = out->limit;
    store->ahead->bytes -= value->bytes.size;
    *found = value->found;
    *version = value->version;
    *out = value->bytes;
    out->limit = limit;
    free(value);
    return true;
}

/* A version is told by a request, which costs a local store a call more. */
static bool get(vz_store *store, const char *key, vz_buffer *out, bool *found, vz_version *version, vz_error *err)
{
    vz_request request = {.key = key, .into = out};
    *version = (vz_version){0};
    if (store->capabilities & VZ_STORE_CHEAP)
        return vz_store_get(store, key, VZ_WHOLE, out, found, err);
    if (!vz_request_do(store, &request, NULL, err))
        return false;
    *found = request.found;
    *version = request.version;
    return true;
}

bool vz_store_peek(vz_store *store, const char *key, vz_buffer *out, bool *found, vz_error *err)
{
    vz_buffer copy = {0};
    vz_version version;
    if (!vz_store_take_ahead(store, key, out, found, &version) && !get(store, key, out, found, &version, err))
        return false;
    const bool ok = (table_of(store) || vz_fail_memory(err)) && vz_buffer_append(&copy, out->data, out->size, err) &&
                    keep(store->ahead, key, *found, &version, &copy, err);
    vz_buffer_clear(&copy);
    return ok;
}

bool vz_store_knows_ahead(vz_store *store, const char *key, bool *found, vz_bytes *bytes)
{
    const value_ahead *value = store->ahead ? vz_strmap_get(store->ahead->by_key, key) : NULL;
    if (!value)
        return false;
    *found = value->found;
    *bytes = (vz_bytes){value->bytes.data, value->bytes.size};
    return true;
}

/* ---- listings ---- */

/* Takes the entries. */
static bool keep_list(struct vz_values_ahead *table, const char *prefix, vz_entry *entries, size_t count, vz_error *err)
{
    list_ahead *list = calloc(1, sizeof *list), *old = table->lists ? vz_strmap_get(table->lists, prefix) : NULL;
    uint64_t bytes = count * sizeof *entries;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(entries[i].name);
    const bool fits = table->bytes + bytes <= AHEAD_BYTES_MAX;
    if (!list || !fits || !vz_strmap_put(table->lists, prefix, list, err)) {
        vz_entries_free(entries, count);
        free(list);
        return list ? !fits : vz_fail_memory(err);
    }
    *list = (list_ahead){entries, count};
    table->bytes += bytes;
    if (old)
        free_list(old);
    return true;
}

static bool list_all(vz_store *store, vz_request *requests, size_t count, vz_error *err)
{
    vz_buffer unused = {0};
    bool ok = true;
    vz_batch *batch = vz_batch_open(store, requests, count, err);
    for (vz_request *request; batch && (request = vz_batch_next(batch, &unused));)
        if (request->failed == VZ_OK)
            ok = keep_list(store->ahead, request->key, request->entries, request->entry_count, err) && ok;
    if (batch)
        vz_batch_close(batch, NULL); /* what failed is told when it is asked for */
    vz_buffer_clear(&unused);
    return batch && ok;
}

bool vz_store_list_ahead(vz_store *store, const char *const *prefixes, size_t count, vz_error *err)
{
    vz_request *requests = calloc(count + 1, sizeof *requests);
    struct vz_values_ahead *table = table_of(store);
    bool ok = requests && table && (table->lists || (table->lists = vz_strmap_new()));
    for (size_t i = 0; ok && i < count; i++)
        requests[i] = (vz_request){.op = VZ_REQUEST_LIST, .key = prefixes[i]};
    ok = ok ? count == 0 || list_all(store, requests, count, err) : vz_fail_memory(err);
    free(requests);
    return ok;
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
        (*entries)[*count] = list->entries[*count];
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
    if (table_of(store))
        keep(store->ahead, key, false, &unknown, &nothing, NULL);
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
            free_value(value);
        }
        return;
    }
    vz_values_ahead_free(store->ahead);
    store->ahead = NULL;
}
