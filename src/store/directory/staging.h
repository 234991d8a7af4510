/* staging.h - where a directory store keeps what is not finished: new nodes until their documents are written, nodes
 * without a name, arrays that are written anew, documents until they are whole. It is a directory of its own, beside
 * the store's where that can be, so that no reader of the store meets it, with the lease in it that tells whether its
 * writer lives (lease.h).
 *
 * Keys stay what they are: a prefix that was begun here stands in the stage until it is published, and then in the
 * store, in one step with all that is below it. */
#ifndef VZ_DIRECTORY_STAGING_H
#define VZ_DIRECTORY_STAGING_H

#include "store/store/lease.h"
#include "store/directory/staging_queue_internal.h"
#include "store/store/call.h"

typedef struct vz_staging vz_staging;
struct stat;

/* ---- staging_open.c ---- */

/* For a directory store that is written. Nothing is made on the disk until something is staged. */
vz_staging *vz_stage_new(vz_store *store, vz_error *err);
/* Removes what is staged, unless this is a forked child: then it is the parent's. NULL is fine. */
void vz_stage_free(vz_staging *stage);
/* The store in which staged keys lie, made if need be; NULL with err set. */
vz_store *vz_stage_store(vz_staging *stage, vz_error *err);
/* A name for a file that is not finished, in `directory` (a key of the store, "" for its root): it carries the lease's
 * id, and the lease notes the directory, so that the next writer finds it if we die. */
bool vz_stage_name_partial(vz_staging *stage, const char *directory, char *name, size_t size, vz_error *err);
/* As vz_store_begin_shape_change, vz_store_end_shape_change. */
bool vz_stage_begin_shape_change(vz_staging *stage, const char *prefix, vz_error *err);
void vz_stage_end_shape_change(vz_staging *stage, const char *prefix);

/* What waits (staging_queue_internal.h) is done when this returns, or fails: if the call of that ticket is among it. */
bool vz_stage_drain(vz_staging *stage, uint64_t ticket, vz_error *err);

/* ---- staging_put.c ---- */

/* As put_later of a store. */
bool vz_stage_put(vz_staging *stage, const char *key, vz_parts value, bool *done, vz_error *err);
/* Does anything wait that belongs to the node at the key ("": anything at all)? */
bool vz_stage_owes(vz_staging *stage, const char *prefix);

/* ---- staging_recover.c ---- */

/* Removes what dead writers left: stages beside the store, and what their leases note. Of changes of
 * shapes that did not end vz_stage_each_shape_change tells. */
void vz_stage_sweep(vz_staging *stage);
/* Of a store whose directory, `root`, was just made: there is nothing in it, and what lies above is kept in mind until
 * the first stage is made. Stages that are met then, of a store that was there before, are swept. */
void vz_stage_begin_new(vz_staging *stage, const struct stat *root);
/* It is, and is no group. */
bool vz_stage_knows_above(const vz_staging *stage);
/* The same of the stage `name` in the store's root. */
void vz_stage_sweep_inside(vz_staging *stage, const char *name);
/* As vz_store_each_shape_change, vz_store_del_left. */
void vz_stage_each_shape_change(vz_staging *stage, vz_shape_change_visit visit, void *context);
bool vz_stage_del_left(vz_staging *stage, const vz_dead_writer *writer, const char *key, vz_error *err);

/* ---- staging_inspect.c ---- */

/* As each_leftover of a directory store. */
bool vz_directory_each_leftover(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err);

/* ---- staging.c ---- */

/* False with err set only for want of memory or of a stage. Prefixes without a name that lie in the root
 * (vz_partial_name) are always staged. */
bool vz_stage_place(vz_staging *stage, const char *key, vz_key_location *place, vz_error *err);
/* A value was put under the key: it must be there when it is moved. */
void vz_stage_wrote(vz_staging *stage, const char *key);
bool vz_stage_begin(vz_staging *stage, const char *prefix, vz_error *err);
bool vz_stage_publish(vz_staging *stage, const char *prefix, vz_error *err);
bool vz_stage_spells_otherwise(vz_staging *stage, const char *key);
bool vz_stage_hides(vz_staging *stage, const char *key);
bool vz_stage_give_way(vz_staging *stage, const char *prefix, vz_error *err);
bool vz_stage_rename(vz_staging *stage, const char *from, const char *to, vz_error *err);
bool vz_stage_exchange(vz_staging *stage, const char *a, const char *b, bool *done, vz_error *err);
bool vz_stage_del_tree(vz_staging *stage, const char *prefix, vz_error *err);

#endif
