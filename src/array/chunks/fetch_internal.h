/* fetch_internal.h - a plan of chunks of several arrays, fetched one window of each array at a
 * time. */
#ifndef VZ_CHUNKS_FETCH_INTERNAL_H
#define VZ_CHUNKS_FETCH_INTERNAL_H

#include "array/chunks/array_state.h"
#include "array/chunks/chunks_internal.h"

/* The chunks of one array. */
typedef struct vz_fetch_part {
    vz_fetch_list *list;
    size_t *needed; /* numbers in the list of what is to be read, in its order */
    const uint64_t **chunks;
    size_t needed_count;
    /* the window: needed[first..first+count) is located and fetched at once */
    size_t first, count;
    vz_chunk_place *places;
    vz_request *requests;
    size_t request_count;
    bool *failed; /* by place in the window */
    vz_arena arena;
    vz_error error; /* of the first one that failed; under the plan's lock */
    bool is_open;   /* it has a window */
    bool unsent;    /* of which nothing could be asked for: the last of it that was looked at makes
                     * no sense */
    unsigned attempts;
} vz_fetch_part;

/* A chunk that is taken without asking the store. */
typedef struct vz_fetch_ready {
    vz_fetch_part *part;
    size_t number; /* in the list */
    size_t at;     /* in the window, or VZ_FETCH_NOWHERE */
} vz_fetch_ready;
#define VZ_FETCH_NOWHERE SIZE_MAX /* not needed: not in any window */

/* Tables of a plan, by part. */
typedef struct vz_fetch_tables {
    vz_fetch_part *parts;
    vz_fetch_part **open;       /* those that have a window now */
    vz_fetch_batch_list *asked; /* of each open part, as are: */
    vz_lookup *lookups;
} vz_fetch_tables;

typedef struct vz_fetch_plan {
    vz_fetch_tables of;
    size_t part_count, open_count;
    vz_fetch_ready *ready; /* room for all chunks of all parts */
    size_t ready_count;
    atomic_size_t next_ready;
    vz_os_mutex lock;
} vz_fetch_plan;

/* fetch_retry.c */
/* Where a chunk that fails may be another one by now, the others go on: some of them may be read
 * again with it. */
bool vz_fetch_goes_on(const vz_fetch_part *p);
/* After a window in which chunks failed. True: somebody changed what they lie in. The window then
 * begins with all chunks of these values, to be fetched once more, so that they are of one version.
 * False: it stays as it is. */
bool vz_fetch_restart_window(vz_fetch_part *p);
/* For a window without requests, because the place of a chunk makes no sense: was the place
 * changed? */
bool vz_fetch_may_move(vz_fetch_part *p);

/* fetch_window.c */
/* Asks for what is located of all open parts, and has each chunk taken; parts tell what failed in
 * them. False: something failed, but no chunk did. */
bool vz_fetch_windows(vz_fetch_plan *p, vz_error *err);

#endif
