/* buffer_unnamed.c - what is put below a partial name: an object that has no name yet, and will
 * be renamed when it gets one. The table keeps it until then, as far as there is room, so that it
 * is sent once, under its name. Where that never comes, nothing is sent at all. */
#include "store/layers/write_behind_internal.h"
#include "base/util/bytes.h"
#include <stdio.h>
#include <stdlib.h>

/* The first part of the key, if it is a partial name. */
static bool partial_of(const char *key, char name[VZ_PARTIAL_SIZE])
{
    const size_t length = strcspn(key, "/");
    if (length == 0 || length >= VZ_PARTIAL_SIZE)
        return false;
    memcpy(name, key, length);
    name[length] = '\0';
    return vz_partial_is_name(name);
}

bool vz_write_buffer_keeps(const vz_write_buffer *b, const char *key)
{
    char name[VZ_PARTIAL_SIZE];
    return !b->layer.base.in_place && partial_of(key, name) && !vz_strmap_get(b->shown, name);
}

/* The values that wait below the prefix; the list is the caller's, NULL with err set. */
static vz_write_buffer_entry **list_below(const vz_write_buffer *b, const char *prefix, size_t *count, vz_error *err)
{
    vz_write_buffer_entry **list = malloc((vz_strmap_count(b->by_key) + 1) * sizeof *list);
    size_t cursor = 0;
    const char *key;
    void *value;
    *count = 0;
    if (!list)
        vz_fail_memory(err);
    while (list && vz_strmap_next(b->by_key, &cursor, &key, &value))
        if (((vz_write_buffer_entry *)value)->waits && vz_key_is_within(key, prefix))
            list[(*count)++] = value;
    return list;
}

bool vz_write_buffer_show(vz_write_buffer *b, const char *key, vz_error *err)
{
    char name[VZ_PARTIAL_SIZE];
    size_t cursor = 0;
    const char *other;
    void *value;
    if (!partial_of(key, name) || vz_strmap_get(b->shown, name))
        return true;
    if (!vz_strmap_put(b->shown, name, b, err))
        return false;
    while (vz_strmap_next(b->by_key, &cursor, &other, &value)) {
        vz_write_buffer_entry *entry = value;
        if (!entry->waits || !entry->unnamed || !vz_key_is_within(other, name))
            continue;
        const vz_write_buffer_value buffered = entry->waiting;
        entry->waiting.data = NULL; /* it stays */
        vz_write_buffer_wait_with(b, entry, buffered, false);
    }
    return true;
}

/* ---- names ---- */

static bool is_in_the_way(const vz_write_buffer *b, const char *to)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    while (vz_strmap_next(b->by_key, &cursor, &key, &value))
        if (vz_key_is_within(key, to) && vz_write_buffer_newest(value)->data)
            return true;
    return false;
}

/* Places in the table for the new keys. One that could not be used holds nothing and goes. */
static bool make_places(vz_write_buffer *b, vz_write_buffer_entry *const *list, size_t count, const char *from,
                        const char *to, vz_write_buffer_entry **places, vz_error *err)
{
    const size_t skipped = strlen(from);
    size_t made = 0;
    bool ok = true;
    for (; ok && made < count; made += ok) {
        char *key;
        if (asprintf(&key, "%s%s", to, list[made]->key + skipped) < 0)
            key = NULL;
        ok = (key || vz_fail_memory(err)) && (places[made] = vz_write_buffer_make(b, key, err));
        free(key);
    }
    for (size_t i = 0; !ok && i < made; i++)
        if (!places[i]->waits)
            vz_write_buffer_remove(b, places[i]);
    return ok;
}

bool vz_write_buffer_name(vz_write_buffer *b, const char *from, const char *to, vz_error *err)
{
    size_t count;
    vz_write_buffer_entry **list = list_below(b, from, &count, err);
    vz_write_buffer_entry **places = list ? malloc((count + 1) * sizeof *places) : NULL;
    bool ok = places || vz_fail_memory(err);
    if (ok && count == 0)
        ok = vz_fail(err, VZ_NOT_FOUND, "there is no such key");
    if (ok && is_in_the_way(b, to))
        ok = vz_fail(err, VZ_EXISTS, "the key exists");
    ok = ok && make_places(b, list, count, from, to, places, err);
    const bool unnamed = vz_write_buffer_keeps(b, to);
    for (size_t i = 0; ok && i < count; i++) {
        const uint64_t serial = list[i]->serial; /* what was reported of the version stays true */
        vz_write_buffer_wait_with(b, places[i], vz_write_buffer_take(b, list[i]), unnamed);
        places[i]->serial = serial;
    }
    if (ok)
        vz_write_buffer_send_enough(b);
    free(list);
    free(places);
    return ok;
}
