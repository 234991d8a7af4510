/* copy_tree.c - see store.h. */
#include "store/store/store.h"
#include <stdio.h>
#include <stdlib.h>

#define COPY_DEPTH_MAX 256 /* levels of prefixes below the one that moves */

/* From one store to another, or the same. */
struct way {
    vz_store *from, *to;
};

static bool copy_value(const struct way *way, const char *from, const char *to, bool *found, vz_error *err)
{
    vz_buffer value = {0};
    bool ok = way->from->class->get(way->from, from, VZ_WHOLE, &value, found, err);
    if (ok && *found)
        ok = way->to->class->put(way->to, to, (vz_bytes){.data = value.data, .size = value.size}, err);
    vz_buffer_clear(&value);
    return ok;
}

static char *join(const char *prefix, const char *name, vz_error *err)
{
    char *key = NULL;
    if (asprintf(&key, "%s/%s", prefix, name) < 0) {
        vz_fail_memory(err);
        return NULL;
    }
    return key;
}

static bool copy_below(const struct way *way, const char *from, const char *to, unsigned depth, bool *found,
                       vz_error *err);

static bool copy_entry(const struct way *way, const char *from, const char *to, const vz_entry *entry, unsigned depth,
                       vz_error *err)
{
    char *source = join(from, entry->name, err);
    char *target = source ? join(to, entry->name, err) : NULL;
    bool found;
    const bool ok = target && copy_value(way, source, target, &found, err) &&
                    (!entry->is_prefix || copy_below(way, source, target, depth + 1, &found, err));
    free(source);
    free(target);
    return ok;
}

/* Copies all that lies below a prefix; *found: there was something. */
static bool copy_below(const struct way *way, const char *from, const char *to, unsigned depth, bool *found,
                       vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    if (depth > COPY_DEPTH_MAX)
        return vz_fail(err, VZ_LIMIT, "nested deeper than %d", COPY_DEPTH_MAX);
    bool ok = way->from->class->list(way->from, from, &entries, &count, err);
    for (size_t i = 0; i < count && ok; i++)
        ok = copy_entry(way, from, to, &entries[i], depth, err);
    *found = count > 0;
    vz_entries_free(entries, count);
    return ok;
}

static bool check_free(vz_store *store, const char *key, vz_error *err)
{
    vz_stamp stamp = {0};
    vz_entry *entries = NULL;
    size_t count = 0;
    if (!store->class->stat(store, key, &stamp, err) || !store->class->list(store, key, &entries, &count, err))
        return false;
    vz_entries_free(entries, count);
    return (!stamp.exists && !count) || vz_fail(err, VZ_EXISTS, "\"%.100s\" exists", key);
}

bool vz_store_move_by_copy(vz_store *store, const char *from, const char *to, vz_error *err)
{
    bool value = false, below = false;
    const struct way way = {.from = store, .to = store};
    if (!check_free(store, to, err))
        return false;
    const bool ok = copy_value(&way, from, to, &value, err) && copy_below(&way, from, to, 0, &below, err);
    if (!ok) {
        store->class->del_tree(store, to, NULL); /* half a copy is worse than none */
        return false;
    }
    if (!value && !below)
        return vz_fail(err, VZ_NOT_FOUND, "nothing to rename");
    return store->class->del_tree(store, from, err);
}

bool vz_store_copy_tree(vz_store *from_store, const char *from, vz_store *to_store, const char *to, vz_error *err)
{
    bool value = false, below = false;
    const struct way way = {.from = from_store, .to = to_store};
    return copy_value(&way, from, to, &value, err) && copy_below(&way, from, to, 0, &below, err);
}
