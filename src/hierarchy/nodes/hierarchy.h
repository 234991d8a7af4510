/* hierarchy.h - a store in memory: its state, its owner, its locks, its ranks. Only src/hierarchy and its unit tests
 * include it. */
#ifndef VZ_NODES_HIERARCHY_H
#define VZ_NODES_HIERARCHY_H

#include "base/mpi/comm.h"
#include "base/util/hash.h"
#include "hierarchy/documents/cache.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/node.h"
#include "store/store/kind.h"
#include "store/store/store.h"
#include <stdint.h>

struct vz_hierarchy {
    vz_hierarchy *next; /* registry */
    uint32_t opens;
    long owner;                 /* the process that opened it, or took it over: a forked child only reads */
    struct vz_process *process; /* the same, watched (process_owner.c); NULL: opened for reading */
    vz_store *store;
    char *path; /* as the first opener gave it */
    vz_options options;
    bool is_remote;
    vz_options asked_as;               /* of a remote one: how its server is asked, as what named it may have it */
    const vz_conventions *conventions; /* of the rooms above; NULL: none */
    const struct vz_writer *writer;    /* of the dialect of what is written; NULL: nothing was said */
    const vz_spelling *spelling;       /* of the root, and so of new nodes */
    bool writable;
    bool array_root;           /* the store is one array: `root` is made up, its only member has the empty prefix */
    bool preparing;            /* conventions->before_writing is at work */
    bool names_gone;           /* an object lost a name: links to it must be looked at again */
    unsigned due;              /* VZ_DUE_*: what is to be done before documents are written */
    bool kept;                 /* in a forked child: vz_hierarchy_keep_inherited was here */
    bool has_aliases;          /* some node has more than one name, or had */
    uint64_t names_changed;    /* grows when paths, or further names of nodes, may have changed */
    uint64_t names_reconciled; /* what it was when both sides of such names were put right */
    bool moved_aliases;        /* such a name moved since names were written last: its old place may be used again */
    bool left_aliases;         /* such a name moved or was deleted since documents were written last */
    bool keeps_unlinked;       /* while they are written with the old names beside the new ones */
    bool leaves_early;         /* while documents are written: names of what is not yet there wait (deferred_links.c) */
    bool wrote_documents;
    bool consolidates;        /* closing leaves consolidated metadata behind: it was there, or the store is new */
    vz_strmap *old_copies;    /* consolidated metadata that was dropped: prefix of its group -> copy (format 2: null) */
    vz_strmap *own_documents; /* of arrays that were made here, while it finishes (written_cache.c): key -> text; NULL:
                                 none */
    struct vz_tree_early *tree_early; /* what the copy needs, asked for early (consolidate_prefetch.c); NULL: nothing */
    struct vz_alike alike_read, alike_printed; /* documents of arrays that are alike (cache.h) */
    vz_nummap known_texts;                     /* documents that were printed here, by hash (printed_cache.c) */
    struct vz_told
        *told; /* of a store that is far away and written: what its copy told (consolidated_hint.c); NULL: nothing */
    uint64_t own_bytes;   /* of those texts */
    bool just_made;       /* and nothing was written since: nobody else put anything there */
    bool claims;          /* of programs that create a store in one directory, the first root's document decides */
    bool finishes;        /* all that is written now is followed by the copy of all documents */
    bool met_foreign;     /* another process changed a document under us */
    bool gave_up;         /* what could not be written is to be dropped */
    bool holds_back;      /* chunks could not be written: new arrays that lack some do not appear */
    struct vz_comm *comm; /* of the ranks that write the store together; NULL: this process is alone */
    bool apart;           /* they know different things of it, as a change failed on some: no further ones */
    bool leader_owes;     /* the last flush failed: documents that a rank that follows takes for written may not be */
    bool without_locks;   /* none keeps the ranks apart: parts of chunks are written together only */
    char rank_names[VZ_LEFTOVER_ID_SIZE]; /* what names of nodes without a name begin with on all of them, */
    uint64_t rank_changes;                /* in memory, by this rank, since the store was opened */
    int rank_name_count;                  /* and how many there were */
    int rank_turn[VZ_AGREE_NUMBERS];      /* of the leader, in its turn: what others told (rank_turns.c) */
    bool rank_holds_deleted;  /* what this turn deletes is held by somebody: here; of the leader: anywhere */
    bool ranks_hold_unlinked; /* of the leader: another one held something without a name when it told last */
    vz_strmap *unlinked_left; /* prefixes of nodes that nobody holds here, but perhaps on another rank; NULL: none */
    vz_store_lock lock;       /* by option `locking` */
    unsigned document_locks;  /* times that vz_documents_lock was granted and not yet given back */
    uint64_t identity;        /* of the store, for tokens; stays when a commit makes another file of it */
    vz_node *root;
    vz_node *unlinked;               /* anonymous and deleted nodes that have handles */
    vz_node *idle_first, *idle_last; /* the one that is idle for longest comes first */
    size_t idle_count;
    struct vz_moves *moves;       /* the move log: names that went (move_log.c); NULL: to be read */
    vz_strmap *spelled;           /* names of which only a journal tells how the store spells them; NULL: none */
    bool moves_unwritten;         /* the root's annotation does not have all of them yet */
    bool moves_announced;         /* the root's document in the store says that moves are logged */
    bool moves_stored;            /* it has the whole log */
    uint64_t unconfirmed;         /* number of the move that the journal tells of as begun; 0: none */
    struct vz_deferred *deferred; /* values of attributes that are not JSON yet (pending_value.c) */
    struct vz_unwritten *unwritten;
    struct vz_members *with_links;    /* of all groups in memory that have links */
    struct vz_unwritten *early_next;  /* of those that write_early.c has not looked at the oldest one */
    size_t early_waiting;             /* and how many they are */
    uint64_t early_put, early_missed; /* arrays whose documents were put early, and how many of them changed again */
    size_t early_kept;                /* arrays of which that is kept */
    bool puts_early;                  /* while they are printed */
    uint64_t unwritten_bytes;         /* of chunks, as last told */
    struct vz_document_round *round;  /* documents are gathered to be written at once (write_document.c); NULL: no */
    uint64_t changes;                 /* grows whenever something changes, or may have */
};

/* hierarchy_state.c, as what else a hierarchy tells of itself. May there be copies of documents (consolidated.h), as
 * far as is known; will closing leave the root's? */
bool vz_hierarchy_may_have_copies(const vz_hierarchy *hierarchy);
bool vz_hierarchy_leaves_copy(const vz_hierarchy *hierarchy);

/* stored_name.c: where the store is, and how it is asked there: for the names in it. */
void vz_hierarchy_take_place(vz_hierarchy *hierarchy, const vz_location *at);

/* process_owner.c */
/* For a hierarchy that writes: from now on it is this process's. Reports memory only. */
bool vz_hierarchy_own(vz_hierarchy *hierarchy, vz_error *err);
void vz_hierarchy_disown(vz_hierarchy *hierarchy);
typedef enum vz_ownership {
    VZ_OWNED,           /* by this process: by now, if its owner has ended and left it as this process inherited it */
    VZ_OWNED_BY_PARENT, /* what is unwritten here, if anything, is for another process to write */
    VZ_OWNED_BY_NOBODY, /* + VZ_BUSY: what is unwritten here cannot be written */
} vz_ownership;
vz_ownership vz_hierarchy_ownership(vz_hierarchy *hierarchy, vz_error *err);

/* Does another rank change names and documents? */
static inline bool vz_hierarchy_follows(const vz_hierarchy *hierarchy)
{
    return hierarchy->comm && !vz_comm_leads(hierarchy->comm);
}

/* After a node was deleted that nobody holds here, but another rank does: it is forgotten, its data stays. */
void vz_node_forget_detached(vz_node *top);

/* When the store is closed by all ranks: such data goes, unless somebody still holds some. */
void vz_ranks_delete_unlinked(vz_hierarchy *hierarchy);

/* open_stores.c */
vz_hierarchy *vz_registry_find(const vz_identity *identity);

/* Does an open store have that identity? */
bool vz_registry_has_identity(uint64_t identity);

/* What stood there is gone, and its tokens with it; not those of a store that is open. */
void vz_registry_forget_tokens(const vz_identity *identity);
void vz_registry_add(vz_hierarchy *hierarchy);
void vz_registry_remove(vz_hierarchy *hierarchy);

/* A registered store that is `directory`, holds it, or (below_too) lies in it; NULL: none. The path is a resolved one.
 */
vz_hierarchy *vz_registry_find_around(const char *directory, bool below_too);

/* store_access.c */
bool vz_lock_is_wanted_by_hdf5(void); /* not HDF5_USE_FILE_LOCKING=FALSE */

/* flock on the root's metadata by option and HDF5_USE_FILE_LOCKING; VZ_BUSY when somebody holds it. */
bool vz_lock_acquire(vz_hierarchy *hierarchy, vz_error *err);
bool vz_lock_is_wanted(const vz_options *options); /* would vz_lock_acquire lock anything? */

/* Between looking at a document and replacing it no other process of ours does so: flock on the store's directory, for
 * a moment. VZ_BUSY when somebody holds it for 10 s: then nothing may be replaced. May be taken again by who has it;
 * each success needs its unlock. True without a lock: the store is no directory, the whole of it is locked, or its file
 * system has no such locks. */
bool vz_documents_lock(vz_hierarchy *hierarchy, vz_error *err);
void vz_documents_unlock(vz_hierarchy *hierarchy);

/* Before a store is emptied: VZ_BUSY when somebody holds a lock on it, or writes it under SWMR. is_file: its lock
 * stands on the file, whatever is in it. */
bool vz_lock_check(vz_store *store, bool is_file, const vz_options *options, vz_error *err);

/* -- Find root --
 * which of the groups above a directory is the root of the store that it is in. */
/* The group that the root of `store` lies in, if what is in that group may be one store with it, opened to look into
 * it: NULL without an error where it is none, or belongs to somebody else, or others may write to it, or we may not
 * while we may write to `store`. */
vz_store *vz_group_above(vz_store *store, vz_error *err);

/* Does the group at that prefix say that it is the root of a store, by our mark, by what only a root's annotation has,
 * or as HDMF's stores do? */
bool vz_group_says_root(vz_store *store, const char *prefix, bool *says, vz_error *err);

/* Is there an array at the store's root? */
bool vz_root_is_array(vz_store *store);

/* -- Token paths --
 * numbers for paths, for the life of the process: a tree of names per store (spots) holds them, so that a
 * rename carries a whole subtree along and a deletion retires one. Numbers are never used twice. State of the module
 * instance; knows no nodes. */
typedef struct vz_spot {
    uint64_t token; /* 0: nobody asked */
    uint64_t identity;
    struct vz_spot *above; /* NULL: a store's root */
    char *name;
    vz_strmap *below; /* by their names; NULL: nothing */
} vz_spot;

/* The spot at "/a/b" of the store with that identity; NULL: there is none, or with `make` no memory. Borrowed until the
 * path, or one above it, is retired or moved. */
vz_spot *vz_spot_at(uint64_t identity, const char *path, bool make, vz_error *err);

/* Its number, made where it has none; 0 + err when out of memory. */
uint64_t vz_spot_token(uint64_t identity, const char *path, vz_error *err);

/* The same of the name below a spot. */
uint64_t vz_spot_token_below(vz_spot *above, const char *name, vz_error *err);

/* The path of a spot: heap, NULL when out of memory. */
char *vz_spot_path(const vz_spot *spot, vz_error *err);

/* The spot gets this number, one that was handed out; the one it had is nobody's. */
void vz_spot_take_token(vz_spot *spot, uint64_t token);
void vz_spots_retire(uint64_t identity, const char *path); /* with all below: the numbers are nobody's any more */

/* What was at `to` is retired. Out of memory: what moved is, too. */
void vz_spots_move(uint64_t identity, const char *from, const char *to);
void vz_spots_forget(uint64_t identity); /* the store was emptied or removed */

/* A number for what has no path: from the hash on the first that was never handed out. 0 + err when out of memory. */
uint64_t vz_token_new(uint64_t hash, vz_error *err);

/* Was the number handed out? *spot: where it is now; NULL: nowhere. */
bool vz_token_find(uint64_t token, vz_spot **spot);

#endif
