/* walk_levels.c - keys of a store in their bytewise order, level by level: one listing is held for
 * each prefix on the way to a key. On a web server such a listing is what the metadata tells. */
#include "command/sync/walk_internal.h"
#include "base/os/file.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Of "a" and "a-b" the prefix "a/" comes last, as its keys do. */
static int by_key(const void *one, const void *other)
{
    const vz_sync_member *a = one, *b = other;
    const size_t a_length = strlen(a->name), b_length = strlen(b->name);
    const size_t common = a_length < b_length ? a_length : b_length;
    const int order = memcmp(a->name, b->name, common);
    if (order)
        return order;
    const int a_next = common < a_length ? (unsigned char)a->name[common] : a->is_prefix ? '/' : 0;
    const int b_next = common < b_length ? (unsigned char)b->name[common] : b->is_prefix ? '/' : 0;
    return a_next - b_next;
}

static bool sort_members(vz_sync_walk *walk, vz_sync_level *l, vz_error *err)
{
    const bool may_be_both = !walk->side->is_directory && !walk->web;
    l->members = calloc(2 * l->entry_count + 1, sizeof *l->members);
    if (!l->members)
        return vz_fail_memory(err);
    for (size_t i = 0; i < l->entry_count; i++) {
        const vz_entry *entry = &l->entries[i];
        if (!entry->is_prefix || may_be_both)
            l->members[l->count++] = (vz_sync_member){entry->name, false};
        if (entry->is_prefix)
            l->members[l->count++] = (vz_sync_member){entry->name, true};
    }
    qsort(l->members, l->count, sizeof *l->members, by_key);
    return true;
}

static void leave_level(vz_sync_walk *walk)
{
    vz_sync_level *l = &walk->levels[--walk->depth];
    free(l->members);
    vz_entries_free(l->entries, l->entry_count);
    *l = (vz_sync_level){0};
}

/* The walk's key is the prefix, with a slash at its end unless it is the root. */
bool vz_sync_walk_enter(vz_sync_walk *walk, vz_error *err)
{
    if (walk->depth == VZ_SYNC_DEPTH_MAX)
        return vz_fail(err, VZ_LIMIT, "nested deeper than %d", VZ_SYNC_DEPTH_MAX);
    vz_sync_level *l = &walk->levels[walk->depth++];
    char *text = (char *)walk->key.data;
    l->length = walk->key.size;
    if (l->length)
        text[l->length - 1] = '\0';
    const char *prefix = l->length ? text : "";
    const bool ok = walk->web ? vz_sync_web_list(walk->web, prefix, &l->entries, &l->entry_count, err)
                              : vz_store_list(walk->side->store, prefix, &l->entries, &l->entry_count, err);
    if (l->length)
        text[l->length - 1] = '/';
    return ok && sort_members(walk, l, err);
}

/* A link may lead to the other side, whatever it is called. */
static bool check_prefix(vz_sync_walk *walk, const char *prefix, vz_error *err)
{
    char path[PATH_MAX];
    if (!vz_subject_enters(walk->side->store, prefix, &walk->links))
        return vz_fail(err, VZ_LIMIT, "%s: more than %d symbolic links to directories", prefix, VZ_LINKS_ENTERED_MAX);
    if (!walk->never || !walk->never->store || !walk->never->is_directory || !walk->side->is_directory)
        return true;
    const int length = snprintf(path, sizeof path, "%s/%s", walk->side->store->path, prefix);
    return length < 0 || (size_t)length >= sizeof path || !vz_store_is_at(walk->never->store, path) ||
           vz_fail(err, VZ_INVALID, "%s leads to %s, which would be copied into itself", prefix, walk->never->name);
}

static bool set_key(vz_sync_walk *walk, const vz_sync_level *l, const vz_sync_member *m, vz_error *err)
{
    walk->key.size = l->length;
    if (!vz_buffer_append(&walk->key, m->name, strlen(m->name), err) || !vz_buffer_append(&walk->key, "", 1, err))
        return false;
    walk->key.size--;
    return true;
}

static bool go_down(vz_sync_walk *walk, vz_error *err)
{
    if (!check_prefix(walk, (const char *)walk->key.data, err))
        return false;
    if (!vz_buffer_append(&walk->key, "/", 2, err))
        return false;
    walk->key.size--;
    return vz_sync_walk_enter(walk, err);
}

/* The walk's key becomes the next one that may have a value. */
bool vz_sync_walk_key(vz_sync_walk *walk, bool *found, vz_error *err)
{
    *found = false;
    while (walk->depth > 0) {
        vz_sync_level *l = &walk->levels[walk->depth - 1];
        if (l->at == l->count) {
            leave_level(walk);
            continue;
        }
        const vz_sync_member *m = &l->members[l->at++];
        if (!set_key(walk, l, m, err))
            return false;
        *found = !m->is_prefix;
        if (*found)
            return true;
        if (!go_down(walk, err))
            return false;
    }
    return true;
}

void vz_sync_walk_leave(vz_sync_walk *walk)
{
    while (walk->depth > 0)
        leave_level(walk);
}
