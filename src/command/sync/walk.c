/* walk.c - the values of a store in the bytewise order of their keys, with what tells versions
 * apart. A bucket is walked page by page. Elsewhere one listing is held for each prefix on the way
 * to the value. */
#include "command/sync/sync_internal.h"
#include "base/os/file.h"
#include "remote/bucket/bucket.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define NS_PER_S INT64_C(1000000000)

/* A member of a prefix. A name that is both a value and a prefix is two. */
typedef struct member {
    const char *name;
    bool is_prefix;
} member;

typedef struct level {
    vz_entry *entries;
    member *members;
    size_t entry_count, count, at;
    size_t length; /* of the prefix, with its slash */
} level;

struct vz_sync_walk {
    vz_sync_side *side;
    const vz_sync_side *never;
    vz_bucket_walk *pages; /* of a bucket; else NULL */
    level levels[VZ_SYNC_DEPTH_MAX];
    size_t depth;
    vz_buffer key;
    uint64_t links;
    vz_sync_value value;
};

/* ---- levels ---- */

/* Of "a" and "a-b" the prefix "a/" comes last, as its keys do. */
static int by_key(const void *one, const void *other)
{
    const member *a = one, *b = other;
    const size_t a_length = strlen(a->name), b_length = strlen(b->name);
    const size_t common = a_length < b_length ? a_length : b_length;
    const int order = memcmp(a->name, b->name, common);
    if (order)
        return order;
    const int a_next = common < a_length ? (unsigned char)a->name[common] : a->is_prefix ? '/' : 0;
    const int b_next = common < b_length ? (unsigned char)b->name[common] : b->is_prefix ? '/' : 0;
    return a_next - b_next;
}

static bool sort_members(vz_sync_walk *walk, level *l, vz_error *err)
{
    const bool may_be_both = !walk->side->is_directory;
    l->members = calloc(2 * l->entry_count + 1, sizeof *l->members);
    if (!l->members)
        return vz_fail_memory(err);
    for (size_t i = 0; i < l->entry_count; i++) {
        const vz_entry *entry = &l->entries[i];
        if (!entry->is_prefix || may_be_both)
            l->members[l->count++] = (member){entry->name, false};
        if (entry->is_prefix)
            l->members[l->count++] = (member){entry->name, true};
    }
    qsort(l->members, l->count, sizeof *l->members, by_key);
    return true;
}

static void leave_level(vz_sync_walk *walk)
{
    level *l = &walk->levels[--walk->depth];
    free(l->members);
    vz_entries_free(l->entries, l->entry_count);
    *l = (level){0};
}

/* The walk's key is the prefix, with a slash at its end unless it is the root. */
static bool enter_level(vz_sync_walk *walk, vz_error *err)
{
    if (walk->depth == VZ_SYNC_DEPTH_MAX)
        return vz_fail(err, VZ_LIMIT, "nested deeper than %d", VZ_SYNC_DEPTH_MAX);
    level *l = &walk->levels[walk->depth++];
    char *text = (char *)walk->key.data;
    l->length = walk->key.size;
    if (l->length)
        text[l->length - 1] = '\0';
    const bool ok = vz_store_list(walk->side->store, l->length ? text : "", &l->entries, &l->entry_count, err);
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

static bool set_key(vz_sync_walk *walk, const level *l, const member *m, vz_error *err)
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
    return enter_level(walk, err);
}

/* ---- values ---- */

static void take_stamp(vz_sync_walk *walk, const vz_stamp *stamp)
{
    const vz_sync_side *side = walk->side;
    const uint64_t parts[] = {stamp->size, stamp->device, stamp->inode, (uint64_t)stamp->modified.tv_sec,
                              (uint64_t)stamp->modified.tv_nsec};
    const uint64_t of_file[] = {stamp->size, side->generation};
    walk->value = (vz_sync_value){.key = (const char *)walk->key.data,
                                  .size = stamp->size,
                                  .version = side->is_directory ? vz_hash(parts, sizeof parts, 0)
                                                                : vz_hash(of_file, sizeof of_file, 0),
                                  .has_time = side->is_directory,
                                  .modified = stamp->modified};
}

static bool next_by_levels(vz_sync_walk *walk, bool *found, vz_error *err)
{
    *found = false;
    while (walk->depth > 0) {
        level *l = &walk->levels[walk->depth - 1];
        if (l->at == l->count) {
            leave_level(walk);
            continue;
        }
        const member *m = &l->members[l->at++];
        vz_stamp stamp = {0};
        if (!set_key(walk, l, m, err))
            return false;
        if (m->is_prefix) {
            if (!go_down(walk, err))
                return false;
        } else if (!vz_store_stat(walk->side->store, (const char *)walk->key.data, &stamp, err)) {
            return false;
        } else if (stamp.exists) {
            take_stamp(walk, &stamp);
            *found = true;
            return true;
        }
    }
    return true;
}

/* Servers tell times in seconds. A part of the version stands for what is behind the second, so
 * that a file with this time is a copy of this version. */
static bool next_of_bucket(vz_sync_walk *walk, bool *found, vz_error *err)
{
    vz_bucket_walked w;
    if (!vz_bucket_walk_next(walk->pages, &w, found, err))
        return false;
    if (!*found)
        return true;
    const uint64_t number = vz_hash(w.version.bytes, w.version.size, w.size);
    walk->value = (vz_sync_value){
        .key = w.key,
        .size = w.size,
        .version = number,
        .demanded = w.version,
        .has_time = w.modified_ns > 0 && w.version.size > 0,
        .modified = {.tv_sec = (time_t)(w.modified_ns / NS_PER_S), .tv_nsec = (long)(number % (uint64_t)NS_PER_S)}};
    walk->value.has_md5 = vz_sync_md5_parse(w.etag, w.md5, walk->value.md5);
    return true;
}

bool vz_sync_walk_next(vz_sync_walk *walk, const vz_sync_value **value, vz_error *err)
{
    bool found;
    if (!(walk->pages ? next_of_bucket(walk, &found, err) : next_by_levels(walk, &found, err))) {
        vz_error_where(err, walk->side->name, NULL);
        return false;
    }
    *value = found ? &walk->value : NULL;
    return true;
}

/* ---- the whole ---- */

vz_sync_walk *vz_sync_walk_open(vz_sync_side *side, const vz_sync_side *never, vz_error *err)
{
    vz_sync_walk *walk = calloc(1, sizeof *walk);
    if (!walk) {
        vz_fail_memory(err);
        return NULL;
    }
    walk->side = side;
    walk->never = never;
    if (side->is_bucket)
        walk->pages = vz_bucket_walk_open(side->raw, err);
    if (side->is_bucket ? walk->pages != NULL : enter_level(walk, err))
        return walk;
    vz_error_where(err, side->name, NULL);
    vz_sync_walk_close(walk);
    return NULL;
}

void vz_sync_walk_close(vz_sync_walk *walk)
{
    if (!walk)
        return;
    while (walk->depth > 0)
        leave_level(walk);
    vz_bucket_walk_close(walk->pages);
    vz_buffer_clear(&walk->key);
    free(walk);
}
