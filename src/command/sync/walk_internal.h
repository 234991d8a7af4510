/* walk_internal.h - a walk over the values of a store, for the files that make it. */
#ifndef VZ_SYNC_WALK_INTERNAL_H
#define VZ_SYNC_WALK_INTERNAL_H

#include "command/sync/sync_internal.h"
#include "remote/bucket/bucket.h"

/* A member of a prefix. A name that is both a value and a prefix is two. */
typedef struct vz_sync_member {
    const char *name;
    bool is_prefix;
} vz_sync_member;

typedef struct vz_sync_level {
    vz_entry *entries;
    vz_sync_member *members;
    size_t entry_count, count, at;
    size_t length; /* of the prefix, with its slash */
} vz_sync_level;

struct vz_sync_walk {
    vz_sync_side *side;
    const vz_sync_side *never;
    vz_bucket_walk *pages; /* of a bucket; else NULL */
    vz_sync_level levels[VZ_SYNC_DEPTH_MAX];
    size_t depth;
    vz_buffer key;
    uint64_t links;
    vz_sync_value value;
    vz_sync_web *web;                /* of a web server; else NULL */
    vz_request looks[VZ_SYNC_LOOKS]; /* at its next keys */
    size_t look_count, look_at;
};

/* walk_levels.c */
/* Lists the walk's key, which is a prefix: with a slash at its end unless it is the root. */
bool vz_sync_walk_enter(vz_sync_walk *walk, vz_error *err);
/* The walk's key becomes the next one that may have a value; *found false: there is none. */
bool vz_sync_walk_key(vz_sync_walk *walk, bool *found, vz_error *err);
void vz_sync_walk_leave(vz_sync_walk *walk); /* all levels */

#endif
