/* memory_store.c - a store in memory: values in one array sorted by key, so that what lies below
 * a prefix is one range. */
#include "base/os/file.h"
#include "store/store/request.h"
#include "base/os/thread.h"
#include <stdlib.h>

struct value {
    char *key;
    uint8_t *data;
    size_t size;
    uint64_t version; /* fresh for each put: the stamp's inode */
};

struct memory {
    vz_store base;
    vz_os_rwlock lock;
    struct value *values;
    size_t count, capacity;
    uint64_t versions;
};

static struct memory *memory_of(vz_store *store)
{
    return (struct memory *)store;
}

/* The first position whose key is not before the first `length` characters of `key`. */
static size_t lower_bound(const struct memory *memory, const char *key, size_t length)
{
    size_t low = 0, high = memory->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *other = memory->values[middle].key;
        const int order = strncmp(other, key, length);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct value *find(const struct memory *memory, const char *key)
{
    const size_t position = lower_bound(memory, key, strlen(key) + 1);
    if (position == memory->count || strcmp(memory->values[position].key, key) != 0)
        return NULL;
    return &memory->values[position];
}

/* The keys below a prefix: those that begin with "prefix/", all for "". */
struct range {
    size_t first, end;
};

static bool find_below(const struct memory *memory, const char *prefix, struct range *range, vz_error *err)
{
    const size_t length = strlen(prefix);
    char *text = malloc(length + 2);
    if (!text)
        return vz_fail_memory(err);
    memcpy(text, prefix, length);
    if (length) { /* from "prefix/" to before "prefix0": '0' follows '/' */
        text[length] = '/';
        range->first = lower_bound(memory, text, length + 1);
        text[length] = '/' + 1;
        range->end = lower_bound(memory, text, length + 1);
    } else {
        *range = (struct range){.first = 0, .end = memory->count};
    }
    free(text);
    return true;
}

static void value_clear(struct value *value)
{
    free(value->key);
    free(value->data);
}

static void remove_range(struct memory *memory, struct range range)
{
    for (size_t i = range.first; i < range.end; i++)
        value_clear(&memory->values[i]);
    if (range.first < range.end)
        memmove(&memory->values[range.first], &memory->values[range.end],
                (memory->count - range.end) * sizeof *memory->values);
    memory->count -= range.end - range.first;
}

/* ---- reading ---- */

static bool append_range(const struct value *value, vz_range range, vz_buffer *out, vz_error *err)
{
    uint64_t offset;
    size_t size = 0;
    return vz_os_range_resolve(value->size, range, &offset, &size, err) && vz_os_range_room(out, size, err) &&
           vz_buffer_append(out, value->data + offset, size, err);
}

static bool memory_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    struct memory *memory = memory_of(store);
    vz_os_rwlock_read(&memory->lock);
    const struct value *value = find(memory, key);
    *found = value != NULL;
    const bool ok = !value || append_range(value, range, out, err);
    vz_os_rwlock_unlock(&memory->lock);
    return ok;
}

static vz_stamp stamp_of(const struct value *value)
{
    return value ? (vz_stamp){.exists = true, .size = value->size, .inode = value->version} : (vz_stamp){0};
}

static bool memory_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    (void)err;
    struct memory *memory = memory_of(store);
    vz_os_rwlock_read(&memory->lock);
    const struct value *value = find(memory, key);
    *stamp = stamp_of(value);
    vz_os_rwlock_unlock(&memory->lock);
    return true;
}

/* ---- listing ---- */

static bool same_name(const vz_entry *entry, const char *name, size_t length)
{
    return strncmp(entry->name, name, length) == 0 && entry->name[length] == '\0';
}

/* Keys of one member need not lie together ("a", "a-b", "a/c"). But those below it do, and the
 * member's own key comes before them. So a look back among the entries that begin equal is
 * enough. */
static vz_entry *find_entry(vz_entry *entries, size_t count, const char *name, size_t length)
{
    for (size_t i = count; i-- > 0 && strncmp(entries[i].name, name, length) == 0;)
        if (same_name(&entries[i], name, length))
            return &entries[i];
    return NULL;
}

static bool list_range(const struct memory *memory, struct range range, size_t skip, vz_entry *entries, size_t *count,
                       vz_error *err)
{
    for (size_t i = range.first; i < range.end; i++) {
        const char *name = memory->values[i].key + skip;
        const size_t length = strcspn(name, "/");
        const bool is_prefix = name[length] == '/';
        vz_entry *entry = find_entry(entries, *count, name, length);
        if (entry) {
            entry->is_prefix |= is_prefix;
            continue;
        }
        char *copy = strndup(name, length);
        if (!copy)
            return vz_fail_memory(err);
        if (vz_partial_is_name(copy)) {
            free(copy);
            continue;
        }
        entries[(*count)++] = (vz_entry){.name = copy, .is_prefix = is_prefix};
    }
    return true;
}

static bool list_locked(const struct memory *memory, const char *prefix, vz_entry **entries, size_t *count,
                        vz_error *err)
{
    struct range range;
    if (!find_below(memory, prefix, &range, err))
        return false;
    if (range.first == range.end)
        return true;
    vz_entry *list = calloc(range.end - range.first, sizeof *list);
    if (!list)
        return vz_fail_memory(err);
    size_t number = 0;
    if (!list_range(memory, range, *prefix ? strlen(prefix) + 1 : 0, list, &number, err)) {
        vz_entries_free(list, number);
        return false;
    }
    *entries = list;
    *count = number;
    return true;
}

static bool memory_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    struct memory *memory = memory_of(store);
    vz_os_rwlock_read(&memory->lock);
    const bool ok = list_locked(memory, prefix, entries, count, err);
    vz_os_rwlock_unlock(&memory->lock);
    return ok;
}

/* ---- writing ---- */

static bool insert(struct memory *memory, struct value value, vz_error *err)
{
    if (memory->count == memory->capacity) {
        const size_t capacity = memory->capacity ? 2 * memory->capacity : 64;
        struct value *values = realloc(memory->values, capacity * sizeof *values);
        if (!values)
            return vz_fail_memory(err);
        memory->values = values;
        memory->capacity = capacity;
    }
    const size_t position = lower_bound(memory, value.key, strlen(value.key) + 1);
    struct value *place = &memory->values[position];
    memmove(place + 1, place, (memory->count - position) * sizeof *place);
    *place = value;
    memory->count++;
    return true;
}

/* *version: of what was put, for who asks. */
static bool put_locked(struct memory *memory, const char *key, vz_bytes bytes, bool only_new, uint64_t *version,
                       vz_error *err)
{
    struct value *old = find(memory, key);
    if (old && only_new)
        return vz_fail(err, VZ_EXISTS, "the key exists");
    uint8_t *data = malloc(bytes.size ? bytes.size : 1);
    char *copy = old ? NULL : strdup(key);
    if (!data || (!old && !copy)) {
        free(data);
        free(copy);
        return vz_fail_memory(err);
    }
    if (bytes.size)
        memcpy(data, bytes.data, bytes.size);
    *version = ++memory->versions;
    if (old) {
        free(old->data);
        *old = (struct value){.key = old->key, .data = data, .size = bytes.size, .version = *version};
        return true;
    }
    struct value value = {.key = copy, .data = data, .size = bytes.size, .version = *version};
    if (insert(memory, value, err))
        return true;
    value_clear(&value);
    return false;
}

static bool put(vz_store *store, const char *key, vz_bytes bytes, bool only_new, uint64_t *version, vz_error *err)
{
    struct memory *memory = memory_of(store);
    vz_os_rwlock_write(&memory->lock);
    const bool ok = put_locked(memory, key, bytes, only_new, version, err);
    vz_os_rwlock_unlock(&memory->lock);
    return ok;
}

static bool memory_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    uint64_t version;
    return put(store, key, value, false, &version, err);
}

static bool memory_put_stamped(vz_store *store, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err)
{
    uint64_t version = 0;
    const bool ok = put(store, key, value, false, &version, err);
    *stamp = (vz_stamp){.exists = ok, .size = value.size, .inode = version};
    return ok;
}

static bool memory_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    uint64_t version;
    return put(store, key, value, true, &version, err);
}

static void del_locked(struct memory *memory, const char *key)
{
    const struct value *value = find(memory, key);
    if (!value)
        return;
    const size_t position = (size_t)(value - memory->values);
    remove_range(memory, (struct range){.first = position, .end = position + 1});
}

static bool memory_del(vz_store *store, const char *key, vz_error *err)
{
    (void)err;
    struct memory *memory = memory_of(store);
    vz_os_rwlock_write(&memory->lock);
    del_locked(memory, key);
    vz_os_rwlock_unlock(&memory->lock);
    return true;
}

static bool memory_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                          vz_version *after, vz_error *err)
{
    struct memory *memory = memory_of(store);
    uint64_t number;
    vz_os_rwlock_write(&memory->lock);
    const vz_stamp stamp = stamp_of(find(memory, key));
    const vz_version now = vz_version_of(&stamp, true);
    bool ok = vz_version_equal(&now, version) || vz_fail(err, VZ_CHANGED, "another thread changed it meanwhile");
    if (ok && value)
        ok = put_locked(memory, key, *value, false, &number, err);
    else if (ok)
        del_locked(memory, key);
    const vz_stamp put = stamp_of(find(memory, key));
    *after = vz_version_of(&put, true);
    vz_os_rwlock_unlock(&memory->lock);
    return ok;
}

static bool memory_del_tree(vz_store *store, const char *prefix, vz_error *err)
{
    struct memory *memory = memory_of(store);
    struct range range;
    vz_os_rwlock_write(&memory->lock);
    const bool ok = find_below(memory, prefix, &range, err);
    if (ok)
        remove_range(memory, range);
    del_locked(memory, prefix);
    vz_os_rwlock_unlock(&memory->lock);
    return ok;
}

static bool memory_sync(vz_store *store, vz_error *err)
{
    (void)store, (void)err;
    return true;
}

static void memory_close(vz_store *store)
{
    struct memory *memory = memory_of(store);
    remove_range(memory, (struct range){.first = 0, .end = memory->count});
    vz_os_rwlock_destroy(&memory->lock);
    free(memory->values);
    free(store->path);
    free(memory);
}

/* No rename_tree: the copy that store_read.c makes is cheap here, and tests go through it. */
static const vz_store_class memory_class = {
    .kind = "memory",
    .get = memory_get,
    .stat = memory_stat,
    .put = memory_put,
    .put_stamped = memory_put_stamped,
    .put_new = memory_put_new,
    .del = memory_del,
    .change = memory_change,
    .del_tree = memory_del_tree,
    .list = memory_list,
    .sync = memory_sync,
    .close = memory_close,
};

vz_store *vz_store_new_memory(vz_error *err)
{
    struct memory *memory = calloc(1, sizeof *memory);
    char *path = memory ? strdup("memory") : NULL;
    if (!path) {
        free(memory);
        vz_fail_memory(err);
        return NULL;
    }
    vz_os_rwlock_init(&memory->lock);
    memory->base.class = &memory_class;
    memory->base.path = path;
    memory->base.capabilities = VZ_STORE_WRITE | VZ_STORE_LIST | VZ_STORE_CHEAP | VZ_STORE_IN_ONE;
    return &memory->base;
}
