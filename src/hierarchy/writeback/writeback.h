/* writeback.h - what is dirty goes to the store. */
#ifndef VZ_WRITEBACK_WRITEBACK_H
#define VZ_WRITEBACK_WRITEBACK_H

#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node.h"

/* writeback.c */
/* Everything dirty goes to the store: chunks, arrays, groups. Keys changed by another process since are kept unless we
 * changed them. */
bool vz_hierarchy_write(vz_hierarchy *hierarchy, vz_error *err);

/* The same, and the end of this process cannot take it any more: a zip file is written. sync: nor can a power cut. */
bool vz_hierarchy_flush(vz_hierarchy *hierarchy, bool sync, vz_error *err);

/* Before a file is closed: the same as a flush, and consolidated metadata. Where something fails it may be called
 * again; `give_up`: what cannot be written does not keep the rest from it, and is dropped if nobody does. */
bool vz_hierarchy_finish(vz_hierarchy *hierarchy, bool give_up, vz_error *err);

/* Writes one node and what is above it that does not exist yet; in a zip file all. */
bool vz_node_flush(vz_node *node, vz_error *err);

/* Tells that a write made `node` hold dirty chunks; writes some back when the store's dirty_max is passed. */
bool vz_node_wrote(vz_node *node, vz_error *err);
bool vz_node_flush_chunks(vz_node *node, vz_error *err);

/* before_write.c */
/* What conventions do before documents are written: all of them, or those of `only` and of groups above it that are not
 * there yet. Nothing where nothing is dirty, or that is at work. */
bool vz_hierarchy_prepare(vz_hierarchy *hierarchy, vz_node *only, vz_error *err);

/* refresh.c */
/* Drops what is clean, so that the next look sees what another process wrote. */
bool vz_node_refresh(vz_node *node, vz_error *err);

/* move_log_begin.c */
/* A node and what is below go from one path to another (NULL: are deleted), and what is stored must find it. This is
 * called before the name changes in the store, with the keys there; vz_move_log_add (move_log.h) after it. */
bool vz_move_log_begin(vz_hierarchy *hierarchy, const char *from, const char *to, const char *from_key,
                       const char *to_key, vz_error *err);

/* -- Write early --
 * documents of new arrays that lie in a group which nobody else sees yet: they are put where they
 * wait, beside the program, when enough others were made after them. A flush then has little left to write. In memory
 * nothing is different: the array is new until its documents are written, and what changes it meanwhile has them
 * printed anew. */
/* Before a node gets a name: those that were left long enough ago are put. What fails is left to the flush. */
void vz_early_documents_put(vz_hierarchy *hierarchy);

#endif
