/* writeback_internal.h - one flush: what it writes and in which way, and what of it failed.
 *
 * The caller of a flush makes it, its steps (writeback.c) are given it. It ends with the call. */
#ifndef VZ_WRITEBACK_WRITEBACK_INTERNAL_H
#define VZ_WRITEBACK_WRITEBACK_INTERNAL_H

#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/writeback/document.h"
#include "hierarchy/writeback/writeback.h"

/* One bit each, so that a step can name several. */
typedef enum vz_flush_scope {
    VZ_FLUSH_NODE = 1,   /* one node, and the groups above it that are new */
    VZ_FLUSH_ALL = 2,    /* everything dirty */
    VZ_FLUSH_STORE = 4,  /* and a store that keeps back its changes publishes them */
    VZ_FLUSH_CLOSE = 8,  /* and consolidated metadata is written; it is the last flush */
    VZ_FLUSH_EARLY = 16, /* documents of some arrays that others do not see yet (write_early.c) */
} vz_flush_scope;

struct vz_deferred_links;

typedef struct vz_flush {
    vz_hierarchy *hierarchy;
    vz_node *node; /* of VZ_FLUSH_NODE; else NULL */
    vz_flush_scope scope;
    bool sync;                             /* what is written survives a power cut */
    bool discard_failed;                   /* a failure holds nothing back: what cannot be written
                                            * is dropped */
    bool hold_incomplete;                  /* some chunks could not be written: new arrays that lack
                                            * some stay unpublished */
    vz_links_mode links;                   /* which links documents get now */
    struct vz_deferred_links *deferred;    /* groups that were written without some of their
                                            * links */
    struct vz_flush_document_round *round; /* documents gathered for one round trip (write_round.c);
                                            * NULL: no */
    bool failed;                           /* some call failed ... */
    vz_error first;                        /* ... the first one for this reason */
    vz_error now;                          /* for the call that runs: vz_flush_note empties it */
} vz_flush;

/* flush.c */
void vz_flush_init(vz_flush *flush, vz_hierarchy *hierarchy, vz_flush_scope scope);

/* Notes how a call ended that was given `now`. Returns ok. The flush goes on. */
bool vz_flush_note(vz_flush *flush, bool ok);

/* Did everything succeed? Otherwise the first failure is put into `err`, unless one is there. */
bool vz_flush_result(const vz_flush *flush, vz_error *err);

/* flush_chunks.c. Failures are noted; false if there were any. */
/* Of arrays that nobody else knows: before them there is nothing to look at. */
bool vz_flush_new_chunks(vz_flush *flush);

/* Unlinked nodes keep their chunks in memory unless there are too many. */
bool vz_flush_all_chunks(vz_flush *flush, bool unlinked_too);

/* flush_documents.c. Failures are noted. */
void vz_flush_all_documents(vz_flush *flush);

/* A name that moved stands in two groups: in both places, before anything else can take the old
 * one. */
void vz_flush_moved_names(vz_flush *flush);

/* The documents of VZ_FLUSH_NODE, and of the groups above that are not there yet. */
void vz_flush_one_node(vz_flush *flush);

/* write_document.c: vz_flush_documents as a part of a flush. */
bool vz_flush_node_documents(vz_flush *flush, vz_node *node, vz_error *err);

/* deferred_links.c */
/* Before a node is written. A group with names that have to wait will be written without them, and
 * is entered in `deferred`. */
bool vz_flush_deferred_links_leave_out(vz_flush *flush, vz_node *node, vz_error *err);

/* The groups in `deferred`, which is emptied, have all their names again, and are dirty. `write`:
 * they are written, but for those some name of which still has to wait. Failures are noted; false
 * if there were any. */
bool vz_flush_deferred_links_put_back(vz_flush *flush, bool write);

/* -- Nodes that vanished, moves that are announced -- */
/* node_vanished.c */
bool vz_flush_node_holds_unwritten(const vz_node *node); /* it or a loaded node below */

/* Another process deleted it; open handles keep what is in memory. */
bool vz_flush_node_orphan(vz_node *node, vz_error *err);

/* Another process removed the node: open handles keep what is in memory, else it is freed. */
bool vz_flush_node_lost(vz_node *node, vz_error *err);

/* external_shrink.c. Another program made the array smaller: takes over the smaller shape. *lost:
 * chunks beyond it were to be written, and are dropped. */
bool vz_flush_follow_shrink(vz_node *node, bool *lost, vz_error *err);

/* resize_residue.c */
/* After chunks were written: the document says so, too. */
bool vz_residue_written(vz_node *node, vz_error *err);

/* Before documents are written: the note goes if nothing lies beyond the shape any more. */
void vz_residue_drop_if_gone(vz_node *node);

/* After they were written. */
void vz_residue_shape_written(vz_node *node, const char *prefix);

/* move_log_begin.c. After paths were stored: notes in the root's document that there may be a
 * journal. */
bool vz_flush_move_log_announce(vz_hierarchy *hierarchy, vz_error *err);

#endif
