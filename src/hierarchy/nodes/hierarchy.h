/* hierarchy.h - a store in memory: struct vz_hierarchy, its owner process, its locks, its ranks.
 * Only src/hierarchy and its unit tests include it. */
#ifndef VZ_NODES_HIERARCHY_H
#define VZ_NODES_HIERARCHY_H

#include "base/mpi/comm.h"
#include "base/util/hash.h"
#include "hierarchy/documents/cache.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/moves/move_log.h"
#include "hierarchy/nodes/node.h"
#include "hierarchy/nodes/conventions.h"
#include "store/store/kind.h"
#include "store/store/store.h"
#include <stdint.h>

/* Each sub-struct names the files that may write it; test/check_modules.py looks. */
struct vz_hierarchy {
    vz_store *store;
    char *path; /* as the first opener gave it */
    vz_options options;
    bool is_remote, is_lindi;
    vz_options asked_as;               /* of a remote one: the options of its server, with those
                                        * that named it */
    const vz_conventions *conventions; /* of the modules above; NULL: none */
    const struct vz_writer *writer;    /* of the dialect that is written; NULL: none was chosen */
    const vz_zarr_format *zarr_format; /* Zarr format of the root, and so of new nodes */
    vz_doc_cache *documents;           /* what is known of documents in the store
                                        * (documents/cache.h) */
    bool writable;
    bool array_root; /* the store is one array, the made-up root's only member, named "" */
    vz_node *root;
    vz_node *unlinked;             /* anonymous and deleted nodes that have handles */
    struct vz_members *with_links; /* of all groups in memory that have links */

    /* Written by resolve/open_stores, nodes/hierarchy_state, open/new_hierarchy, open/open. */
    struct {
        vz_hierarchy *next;
        uint32_t opens;
        uint64_t identity; /* for tokens; stays when a commit makes another file of the store */
    } registry;

    /* Written by nodes/process_owner, nodes/hierarchy_state, open/new_hierarchy. */
    struct {
        long owner;                 /* the process that opened it, or took it over */
        struct vz_process *watched; /* that process; NULL: opened for reading */
        bool kept;                  /* in a forked child: vz_hierarchy_keep_inherited was called */
    } process;

    /* Written by nodes/store_access, open/new_hierarchy. */
    struct {
        vz_store_lock lock;      /* by option `locking` */
        unsigned document_locks; /* times that vz_documents_lock was granted, not given back */
    } access;

    /* Written by open/new_hierarchy, writeback/writeback, writeback/send_document. */
    struct {
        bool just_made; /* nothing was written since: no other process put anything there */
        bool claims;    /* several programs may create the store: the first root document in it
                         * decides */
    } creation;

    /* Written by nodes/idle_nodes, nodes/node_path. */
    struct {
        vz_node *first, *last; /* `first` is idle for longest */
        size_t count;
    } idle;

    /* Written by nodes/dirty_nodes, nodes/pending_value, nodes/hierarchy_state,
     * nodes/root_move_log, edit/move_log_recover, resolve/token, writeback/before_write,
     * writeback/writeback, writeback/write_document, writeback/write_early. */
    struct {
        struct vz_unwritten *nodes;   /* the newest first */
        size_t unseen;                /* of them: so many became dirty since write_early.c looked */
        size_t early, in_vain;        /* arrays whose documents went early; that changed again */
        uint64_t chunk_bytes;         /* of their chunks, as reported last */
        uint64_t changes;             /* grows whenever something changes, or may have */
        uint64_t facts;               /* as `changes`, but not for elements of arrays */
        struct vz_deferred *deferred; /* values of attributes that are not JSON yet */
        unsigned due;                 /* VZ_DUE_*: steps to do before documents are written */
        bool preparing;               /* conventions->before_writing runs */
        bool names_gone;              /* an object lost a name: links to it are looked at again */
        bool given_up;                /* closing drops what is dirty: it could not be written */
    } dirty;

    /* Written by nodes/hard_link, nodes/hard_link_sync, nodes/link_record,
     * nodes/node_attributes, nodes/node_refs, edit/move, edit/unlink, resolve/token,
     * writeback/merge_annotation, writeback/refresh, writeback/flush_documents. */
    struct {
        bool any;                  /* some node has more than one name, or had */
        bool moved;                /* such a name moved since names were written last: its old place
                                    * may be reused */
        bool left;                 /* such a name moved or was deleted since documents were written
                                    * last */
        uint64_t names_changed;    /* grows when paths, or further hard links of nodes, may have
                                    * changed */
        uint64_t names_reconciled; /* names_changed when both sides of such names were put right */
    } hard_links;

    vz_move_log move_log; /* of the root; hierarchy/moves/move_log.c writes it */

    /* Written by edit/rank_turns, edit/store_dimension, edit/unlink, nodes/rank_names,
     * open/open. */
    struct {
        struct vz_comm *comm;            /* of the ranks that write the store together; NULL: this
                                          * process is alone */
        bool apart;                      /* a change failed on some ranks only: no further
                                          * changes */
        bool leader_owes;                /* the leader's last flush failed: documents that a rank
                                          * takes for written may be missing */
        bool without_locks;              /* no locks keep the ranks apart: parts of chunks are
                                          * written collectively only */
        char names[VZ_LEFTOVER_ID_SIZE]; /* prefix of the names of nodes without a name, on all
                                          * ranks */
        int name_count;                  /* number of such names */
        uint64_t changes;                /* in memory, by this rank, since the store was opened */
        int turn[VZ_AGREE_NUMBERS];      /* of the leader, in its turn: the numbers of the others */
        bool wrote_dimension;            /* this rank wrote elements of a dimension without a
                                          * document, of which the leader may not know */
        bool holds_deleted;              /* a rank holds what this turn deletes: here; of the
                                          * leader: anywhere */
        bool others_hold_unlinked;       /* of the leader: another rank held a node without a name
                                          * in its last turn */
        vz_strmap *unlinked_left;        /* prefixes of nodes that nobody holds here, but perhaps
                                          * another rank; NULL: none */
    } ranks;

    /* Written by consolidated/consolidated, consolidated/dropped_metadata, open/new_hierarchy,
     * writeback/compare_stored. */
    struct {
        bool at_close;        /* closing writes consolidated metadata: the store had it, or is
                               * new */
        bool wrote_documents; /* since it was written or read */
        bool met_foreign;     /* another process changed a document under us */
        vz_strmap *dropped;   /* prefix of a group -> its dropped consolidated metadata (format 2:
                               * null) */
    } consolidation;
};

/* hierarchy_state.c: may there be consolidated metadata, as far as is known? Will closing write
 * that of the root? */
bool vz_hierarchy_may_have_copies(const vz_hierarchy *hierarchy);
bool vz_hierarchy_leaves_copy(const vz_hierarchy *hierarchy);

/* stored_name.c: records where the store is and the options of its server, for names in it. */
void vz_hierarchy_take_place(vz_hierarchy *hierarchy, const vz_location *at);

/* process_owner.c */
/* This process becomes the owner of a hierarchy that writes. Fails for want of memory only. */
bool vz_hierarchy_own(vz_hierarchy *hierarchy, vz_error *err);
void vz_hierarchy_disown(vz_hierarchy *hierarchy);
typedef enum vz_hierarchy_owner {
    VZ_OWNED,           /* by this process: by now, if its owner has ended and left it as this
                         * process inherited it */
    VZ_OWNED_BY_PARENT, /* what is unwritten here, if anything, is for another process to write */
    VZ_OWNED_BY_NOBODY, /* + VZ_BUSY: what is unwritten here cannot be written */
} vz_hierarchy_owner;
vz_hierarchy_owner vz_hierarchy_ownership(vz_hierarchy *hierarchy, vz_error *err);

/* Is another rank the leader, which changes names and documents? */
static inline bool vz_hierarchy_follows(const vz_hierarchy *hierarchy)
{
    return hierarchy->ranks.comm && !vz_comm_leads(hierarchy->ranks.comm);
}

/* Forgets a deleted node that another rank still holds. Its data stays. */
void vz_node_forget_detached(vz_node *top);

/* When all ranks close the store: removes such data, unless a rank still holds a node of it. */
void vz_hierarchy_delete_unlinked(vz_hierarchy *hierarchy);

/* store_access.c */
bool vz_lock_is_wanted_by_hdf5(void); /* not HDF5_USE_FILE_LOCKING=FALSE */

/* flock on the root's metadata by option and HDF5_USE_FILE_LOCKING; VZ_BUSY when somebody holds
 * it. */
bool vz_lock_acquire(vz_hierarchy *hierarchy, vz_error *err);
bool vz_lock_is_wanted(const vz_options *options); /* would vz_lock_acquire lock anything? */

/* Keeps other processes of ours from replacing a document between our read and our write: flock
 * on the store's directory. VZ_BUSY after 10 s: nothing may be replaced. It can be taken again
 * by its holder; each success needs an unlock. True without a lock if the store is no directory,
 * is locked as a whole, or its file system has no such locks. */
bool vz_documents_lock(vz_hierarchy *hierarchy, vz_error *err);
void vz_documents_unlock(vz_hierarchy *hierarchy);

/* Before a store is emptied: VZ_BUSY if a process holds a lock on it or writes it under SWMR.
 * is_file: the lock stands on the file. */
bool vz_lock_check(vz_store *store, bool is_file, const vz_options *options, vz_error *err);

/* The chunks of the array at that prefix, whose document has a list of references beside it. Their
 * keys are those in the hierarchy's store; for reading. No server is asked. */
vz_store *vz_node_references_open(vz_hierarchy *hierarchy, const char *prefix, vz_error *err);

#endif
