/* writeback.h - dirty nodes go to the store. */
#ifndef VZ_WRITEBACK_WRITEBACK_H
#define VZ_WRITEBACK_WRITEBACK_H

#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node.h"

/* writeback.c */
/* Writes everything dirty: chunks, arrays, groups. Keys that another process changed are kept
 * unless we changed them. */
bool vz_flush_write(vz_hierarchy *hierarchy, vz_error *err);

/* As vz_flush_write; the data then survives the end of this process (a zip file is written).
 * sync: and a power cut. */
bool vz_flush_store(vz_hierarchy *hierarchy, bool sync, vz_error *err);

/* Before a file is closed: flushes and writes consolidated metadata. After a failure it may be
 * called again. `give_up`: what cannot be written does not stop the rest, and is dropped when
 * the file closes. */
bool vz_flush_finish(vz_hierarchy *hierarchy, bool give_up, vz_error *err);

/* Writes one node and the groups above it that are new; in a zip file everything. */
bool vz_flush_node(vz_node *node, vz_error *err);

/* After a write to `node`: writes chunks back if the dirty ones of the store pass dirty_max. */
bool vz_flush_after_write(vz_node *node, vz_error *err);
/* The first half of it, while other arrays of the store may be at work: what the array holds is
 * noted. The second half is due later if vz_flush_is_due says so. */
bool vz_flush_note_written(vz_node *node, vz_error *err);
bool vz_flush_is_due(const vz_hierarchy *hierarchy);
bool vz_flush_chunks(vz_node *node, vz_error *err);

/* write_early.c */
/* To be called before something new gets its name. Documents of arrays that the program has
 * finished go into the staging area while it makes others. Failures are left to the flush. */
void vz_flush_early(vz_hierarchy *hierarchy);

/* place_note.c: from now on the annotation of a changed array stands in that of its group, or in
 * the array's own document. Either of both is dirty if it says something new. */
bool vz_flush_note_to_group(vz_node *array, vz_error *err);
bool vz_flush_note_to_array(vz_node *array, vz_error *err);

/* before_write.c */
/* Runs vz_conventions.before_writing for all documents, or for `only` and the new groups above
 * it. Does nothing if nothing is dirty or it already runs. */
bool vz_flush_prepare(vz_hierarchy *hierarchy, vz_node *only, vz_error *err);

/* resize_residue.c: what may lie in the store beyond an array's shape */
/* False: there is none that fits the array. */
bool vz_residue_read(const vz_node *node, uint64_t *rest);
bool vz_residue_set(vz_node *node, const uint64_t *rest, vz_error *err);

/* Removes it; what of it lay in memory may still have to be written. */
bool vz_residue_remove(vz_node *node, vz_error *err);

/* Tries again to remove it. A failure changes nothing. */
void vz_residue_retry(vz_node *node);

/* refresh.c */
/* Drops clean state, so that the next access sees what another process wrote. */
bool vz_merge_refresh(vz_node *node, vz_error *err);

/* move_log_begin.c */
/* Begins a move of a subtree (to NULL: a deletion) in the log, with its keys. To be called
 * before the name changes in the store; vz_root_move_log_add (root_move_log.h) follows after. */
bool vz_flush_begin_move(vz_hierarchy *hierarchy, const char *from, const char *to, const char *from_key,
                         const char *to_key, vz_error *err);

#endif
