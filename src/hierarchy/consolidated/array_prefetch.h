/* array_prefetch.h - what objects will ask a server for that are opened and read by their names:
 * found out beforehand, so that it is asked for together. */
#ifndef VZ_CONSOLIDATED_ARRAY_PREFETCH_H
#define VZ_CONSOLIDATED_ARRAY_PREFETCH_H

#include "hierarchy/nodes/node.h"

/* -- Names -- */
typedef struct vz_tree_name {
    vz_node *group;   /* the last one of the way that is in memory; NULL: there is no such way */
    const char *name; /* beyond it: of a member, or a path */
} vz_tree_name;

/* The way of a path by groups that are in memory. */
vz_tree_name vz_tree_name_of(vz_node *start, const char *path);

/* Would looking for the name ask a server? */
bool vz_tree_name_is_far(const vz_tree_name *at);

/* -- Documents --
 * An object is where its name says, most likely. If it is not, some answers are of no use. */
typedef enum vz_tree_kind { VZ_TREE_ARRAY, VZ_TREE_GROUP, VZ_TREE_ANY, VZ_TREE_LISTED } vz_tree_kind;

typedef struct vz_tree_place {
    char *prefix;
    vz_tree_kind kind; /* LISTED: a group that is in memory without its members */
    bool is_listed;    /* its members are wanted */
} vz_tree_place;

typedef struct vz_tree_wanted {
    vz_store *store; /* NULL: nothing is wanted */
    const vz_zarr_format *zarr_format;
    vz_tree_place *places; /* the way; the last one is the object's */
    size_t count;
} vz_tree_wanted;

/* False without memory. `wanted` was all zeros, and is to be cleared. */
bool vz_tree_want(vz_tree_wanted *wanted, const vz_tree_name *at, vz_tree_kind kind);
/* Below a group that is wanted itself. */
bool vz_tree_want_below(vz_tree_wanted *wanted, const vz_tree_wanted *group, const char *path, vz_tree_kind kind);
/* The object of another one, without its way. */
bool vz_tree_want_same(vz_tree_wanted *wanted, const vz_tree_wanted *other);
/* Forgets the answers that nobody took: another process may change what they say. */
void vz_tree_wanted_clear(vz_tree_wanted *wanted);

typedef struct vz_tree_keys {
    char **at;
    size_t count, room;
} vz_tree_keys;
void vz_tree_keys_clear(vz_tree_keys *keys);
/* Takes those from `first` on to the end of `to`. */
bool vz_tree_keys_move(vz_tree_keys *to, vz_tree_keys *from, size_t first);

/* Appends keys of documents that tell what is there, of attributes, and prefixes to be listed. */
bool vz_tree_wanted_keys(const vz_tree_wanted *wanted, vz_tree_keys *documents, vz_tree_keys *attributes,
                         vz_tree_keys *lists);
/* After they were fetched: where an array is there is no group. */
void vz_tree_wanted_conclude(const vz_tree_wanted *wanted);
/* Appends keys of documents of other Zarr formats, if it may be anything and has none of its
 * own. */
bool vz_tree_wanted_others(const vz_tree_wanted *wanted, vz_tree_keys *documents);

/* -- Chunks (chunk_prefetch.c) -- */
typedef struct vz_tree_box {
    unsigned rank; /* of the selection; meaningless for all of the array */
    bool is_whole;
    uint64_t first[VZ_MAX_RANK], last[VZ_MAX_RANK];
} vz_tree_box;

/* Appends the keys of chunks of an array whose document was fetched, if they are few and small.
 * *bytes: what they may take, decoded; it is lowered. False without memory. */
bool vz_tree_wanted_chunks(const vz_tree_wanted *array, const vz_tree_box *box, vz_tree_keys *chunks, uint64_t *bytes);

#endif
