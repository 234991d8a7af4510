/* hierarchy.h - what the files of the hierarchy share among themselves; nobody outside src/hierarchy includes it (unit
 * tests do, to open a hierarchy over a memory store). */
#ifndef VZ_HIERARCHY_HIERARCHY_H
#define VZ_HIERARCHY_HIERARCHY_H

#include "hierarchy/alike.h"
#include "hierarchy/names.h"
#include "hierarchy/node.h"
#include "mpi/comm.h"
#include "store/location.h"
#include "util/nummap.h"

struct vz_hierarchy {
    vz_hierarchy *next; /* registry */
    uint32_t opens;
    long owner;                 /* the process that opened it, or took it over: a forked child only reads */
    struct vz_process *process; /* the same, watched (owner.c); NULL: opened for reading */
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
    bool leaves_early;         /* while documents are written: names of what is not yet there wait (early_names.c) */
    bool wrote_documents;
    bool consolidates;        /* closing leaves consolidated metadata behind: it was there, or the store is new */
    vz_strmap *old_copies;    /* consolidated metadata that was dropped: prefix of its group -> copy (format 2: null) */
    vz_strmap *own_documents; /* of arrays that were made here, while it finishes (own_documents.c): key -> text; NULL:
                                 none */
    struct vz_tree_early *tree_early;          /* what the copy needs, asked for early (tree_early.c); NULL: nothing */
    struct vz_alike alike_read, alike_printed; /* documents of arrays that are alike (alike.h) */
    vz_nummap known_texts;                     /* documents that were printed here, by hash (known_texts.c) */
    struct vz_told *told; /* of a store that is far away and written: what its copy told (told.c); NULL: nothing */
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
    int rank_turn[VZ_AGREE_NUMBERS];      /* of the leader, in its turn: what others told (ranks.c) */
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
    struct vz_deferred *deferred; /* values of attributes that are not JSON yet (deferred.c) */
    struct vz_unwritten *unwritten;
    struct vz_unwritten *early_next;  /* of those that document_early.c has not looked at the oldest one */
    size_t early_waiting;             /* and how many they are */
    uint64_t early_put, early_missed; /* arrays whose documents were put early, and how many of them changed again */
    size_t early_kept;                /* arrays of which that is kept */
    bool puts_early;                  /* while they are printed */
    uint64_t unwritten_bytes;         /* of chunks, as last told */
    struct vz_document_round *round;  /* documents are gathered to be written at once (document_write.c); NULL: no */
    uint64_t changes;                 /* grows whenever something changes, or may have */
};

/* A member of a group: what is known of it before it is loaded. */
typedef enum vz_member_state {
    VZ_MEMBER_UNKNOWN, /* a directory that nobody looked into */
    VZ_MEMBER_ARRAY,
    VZ_MEMBER_GROUP,
    VZ_MEMBER_NODE,       /* an array or a group: nobody read its document, which alone tells */
    VZ_MEMBER_IMPLICIT,   /* a directory without a document, but with nodes below */
    VZ_MEMBER_UNREADABLE, /* shown; loading it tells why */
    VZ_MEMBER_LINK,       /* no directory: any kind but VZ_LINK_NODE */
} vz_member_state;

typedef struct vz_member {
    vz_link link; /* first, so that a link is its member */
    vz_member_state state;
    bool is_asked;               /* by its name, of a group that is not listed */
    bool in_block;               /* its memory is the group's (vz_members.block) */
    const vz_spelling *spelling; /* of its document; NULL until one was looked for */
    char *document;              /* text that told the state, kept until the node is loaded; NULL: none */
    size_t document_size;
    vz_version *version; /* of the same, in a store that is far away; NULL: not known */
    /* VZ_LINK_ALIAS: */
    vz_node *group;                              /* it is a member of */
    vz_node *leads_to;                           /* NULL until looked for */
    struct vz_member *next_name, *previous_name; /* of leads_to */
} vz_member;

struct vz_members {
    vz_strmap *by_name; /* name -> vz_member; the names are the members' */
    vz_member *block;   /* memory of members: of those that were listed, as a group of thousands is freed at once */
    size_t block_size, block_used;
    vz_entry_names *names; /* and of their names */
    vz_strmap *escaped;    /* segment -> vz_member, of links whose segment is not their name */
    vz_strmap *hidden;     /* segments of directories that are no nodes */
    vz_error *unlisted;    /* why the store does not list them: others are found by their names; NULL: these are all */
    vz_strmap *gone;       /* names in "L" of nodes that were deleted: no members, and not written again; NULL: none */
    size_t unknown;        /* members in VZ_MEMBER_UNKNOWN */
    size_t others;         /* members that are no directories */
    vz_link **sorted;      /* by name; NULL: to be made */
    vz_link **created;     /* by creation order; NULL: to be made */
};

/* What of a node is not yet written. Exists while anything is, in the hierarchy's list. */
struct vz_unwritten {
    vz_node *node;
    struct vz_unwritten *next, *previous;
    vz_strmap *attributes; /* names set or removed */
    vz_strmap *unlinked;   /* names of links removed (groups) */
    bool annotation;
    bool meta;
    bool links;                       /* members came, went or were renamed */
    bool waits;                       /* document_early.c has not looked at it */
    bool put_attributes;              /* .zattrs, or what holds them, was put before the node appears */
    struct vz_early_documents *early; /* documents that are put and still right; NULL: none */
    uint64_t chunk_bytes;
};

/* hierarchy_state.c, as what else a hierarchy tells of itself. May there be copies of documents (consolidated.h), as
 * far as is known; will closing leave the root's? */
bool vz_hierarchy_may_have_copies(const vz_hierarchy *hierarchy);
bool vz_hierarchy_leaves_copy(const vz_hierarchy *hierarchy);

/* named.c: where the store is, and how it is asked there: for the names in it. */
void vz_hierarchy_take_place(vz_hierarchy *hierarchy, const vz_location *at);

/* hierarchy.c */
void vz_hierarchy_free(vz_hierarchy *hierarchy); /* takes the store down with it; unregisters nothing */
/* Over any store, not registered: reads (or with `create` writes) the root. The store is taken, also on failure. Closed
 * by vz_hierarchy_close. */
vz_hierarchy *vz_hierarchy_over(vz_store *store, const char *path, const vz_options *options, bool writable,
                                bool create, vz_error *err);
/* The same of a store that is created. `leaves`: the root's documents are left to the first flush. `claims`: where
 * another program has put the root's document before, this is VZ_EXISTS (EEXIST), and nothing more is written. */
vz_hierarchy *vz_hierarchy_over_new(vz_store *store, const char *path, const vz_options *options, bool leaves,
                                    bool claims, vz_error *err);
/* True in a child; what is dirty is then only read. */
bool vz_hierarchy_keep_inherited(vz_hierarchy *hierarchy);

/* owner.c */
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

/* ranks.c */
/* May who opens a store that is open in this process, with those ranks (NULL: alone), have it, too? VZ_BUSY. */
bool vz_ranks_may_join(const vz_hierarchy *hierarchy, const struct vz_comm *comm, bool writable, vz_error *err);
/* A hierarchy that was just opened for writing is those ranks' from now on, who all call this. Takes `comm` over,
 * unless it fails. */
bool vz_ranks_join(vz_hierarchy *hierarchy, struct vz_comm *comm, vz_error *err);
/* ranks_names.c */
/* A name for a node without one, the same on all ranks. */
bool vz_ranks_name(vz_hierarchy *hierarchy, char *name, size_t size, vz_error *err);
/* Nobody holds the nameless node here any more. Does its data stay, as another rank may hold it, or as this one removes
 * nothing? */
bool vz_ranks_keep_unlinked(const vz_node *top);
/* After a node was deleted that nobody holds here, but another rank does: it is forgotten, its data stays. */
void vz_node_forget_detached(vz_node *top);
/* When the store is closed by all ranks: such data goes, unless somebody still holds some. */
void vz_ranks_delete_unlinked(vz_hierarchy *hierarchy);

/* registry.c */
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

/* lock.c */
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

/* node.c */
vz_node *vz_node_new(vz_hierarchy *hierarchy, vz_node_kind kind, vz_error *err); /* refs 0, in no list */
/* The same without attributes and annotation, which reading it brings. */
vz_node *vz_node_new_unread(vz_hierarchy *hierarchy, vz_node_kind kind, vz_error *err);
bool vz_node_no_attributes(vz_node *node, vz_error *err); /* of such a node: it has none */

/* node_free.c */
void vz_node_free(vz_node *node);                 /* with everything below */
void vz_members_free(struct vz_members *members); /* the nodes too */
/* Frees what the rooms above worked out about the node; it is worked out again when needed. */
void vz_node_forget_view(vz_node *node);

/* node_place.c */
bool vz_node_is_linked(const vz_node *node); /* up to the root */
size_t vz_node_depth(const vz_node *node);
vz_node *vz_node_top(vz_node *node);        /* the root, or the unlinked node above */
bool vz_node_has_refs(const vz_node *node); /* it or a loaded node below */
/* Of the members of a group those that are loaded, one after the other: *cursor starts at 0, NULL ends. The current one
 * may leave the group meanwhile, no other one. Borrowed. */
vz_node *vz_node_next_below(const vz_node *node, size_t *cursor);
bool vz_node_make_unlinked(vz_node *node, vz_error *err); /* gives it a partial prefix and a place in the list */
void vz_node_leave_unlinked(vz_node *node);
/* The path of a name in a group; NULL without an error when the group is unlinked. Caller frees. */
char *vz_path_of_name(const vz_node *group, const char *name, vz_error *err);
/* After a prefix above changed: tells it to every open array in the subtree. */
bool vz_node_reprefix(vz_node *node, vz_error *err);

void vz_node_leave_idle(vz_node *node); /* nothing if it is not idle */

/* idle.c */
/* Nobody holds the node any more: its chunk cache goes, and the node itself once enough others were left behind it. */
void vz_node_left(vz_node *node);
#define VZ_IDLE_NODES 4096 /* nodes without a handle that a hierarchy remembers */

/* node_refs.c */
/* In a tree without a name: a group that nobody holds, itself or a group above, is gone although somebody holds a
 * member. So are the further names in it, and they count no more. */
void vz_node_drop_names(vz_node *node);
/* Takes a link out of the table. In a group that became empty the numbers of creation order begin again, as native's
 * do. */
void vz_group_forget_link(vz_node *group, vz_link *link);

/* node_load.c */
vz_node *vz_node_load_member(vz_node *group, vz_member *member, vz_error *err);
vz_node *vz_node_load_root(vz_hierarchy *hierarchy, vz_error *err);
/* Reads the attributes anew into `node`. */
bool vz_node_load_attributes(vz_node *node, vz_error *err);
/* Why there is no metadata; class VZ_OK: there is. */
void vz_node_set_meta_error(vz_node *node, const vz_error *failed);
/* Parses an array's document into meta (or meta_error); text is what was read. */
bool vz_node_parse_document(vz_node *node, const char *text, size_t size, vz_error *err);

/* node_attributes.c */
/* Takes the three, as vz_annotation_detach left them, for the node's. */
void vz_node_replace_attributes(vz_node *node, vz_json *attributes, vz_json *annotation, vz_json *value);
/* Takes `attributes` for the node's; hash as attributes_hash. */
bool vz_node_set_attributes(vz_node *node, vz_json *attributes, uint64_t hash, vz_error *err);

/* attribute_order.c: each change of names tells it. A name that goes is told of while it is there. */
void vz_attribute_order_drop(vz_node *node);
void vz_attribute_order_added(vz_node *node, const char *name);
void vz_attribute_order_leaves(vz_node *node, const char *name);

/* annotation.c */
/* Moves VZ_ANNOTATION out of `attributes`, and into it what it has of VZ_ANNOTATION_UNSEEN: *value as it stood (NULL:
 * none), *annotation an object. */
bool vz_annotation_detach(vz_json *attributes, vz_json **annotation, vz_json **value, vz_error *err);
/* The attributes as they are written: a copy without those that only the annotation tells. */
vz_json *vz_attributes_seen(const vz_node *node, vz_error *err);
/* What VZ_ANNOTATION must say for `annotation`, given what the store says now; *value NULL: nothing. */
bool vz_annotation_print(const vz_json *annotation, const vz_json *current, vz_json **value, vz_error *err);

/* members.c */
struct vz_members *vz_members_new(vz_error *err);
bool vz_members_reserve(struct vz_members *members, size_t count, vz_error *err); /* none is there yet */
void vz_member_free(vz_member *member);                                           /* not its node */
/* Keeps the text, which it takes, until the node is loaded. */
void vz_member_keep_document(vz_member *member, vz_buffer *text, const vz_version *version);
void vz_member_forget_document(vz_member *member);
/* A new member, in state UNKNOWN without a node (of another kind than VZ_LINK_NODE: in state LINK). Takes the strings
 * of `link`, also on failure. */
vz_member *vz_members_add(struct vz_members *members, vz_link link, vz_error *err);
void vz_members_change(void);                                          /* see vz_links_moment */
void vz_link_clear(vz_link *link);                                     /* its strings */
void vz_members_remove(struct vz_members *members, vz_member *member); /* frees it, not its node */
vz_link **vz_members_in_order(struct vz_members *members, vz_order order, vz_error *err);
/* The segment `name` gets in this group: escaped, and hashed if taken. Caller frees. */
char *vz_members_segment(const struct vz_members *members, const char *name, vz_error *err);
/* The member's directory is called so from now on. */
bool vz_members_respell(struct vz_members *members, vz_member *member, const char *segment, vz_error *err);
vz_member *vz_members_by_segment(const struct vz_members *members, const char *segment);

/* members_load.c */
bool vz_members_load(vz_node *group, vz_error *err);
/* Finds out what a member is, if that is not known; *is_node=false: it is no node, and was freed. */
bool vz_member_probe(vz_node *group, vz_member *member, bool *is_node, vz_error *err);
bool vz_members_probe_all(vz_node *group, vz_error *err);
bool vz_members_check_listed(const vz_node *group, vz_error *err); /* after loading: are all there are known? */
/* Of a group that is not listed: a member that is none yet. *member=NULL: there is none of that name. */
bool vz_member_ask(vz_node *group, const char *name, vz_member **member, vz_error *err);
/* The name of the attribute that tells links to readers of a convention; NULL: there is none. */
const char *vz_links_attribute(const vz_node *group);

/* probe.c */
/* Before all members of a group are looked at: reads their documents at once, where each would be a round trip. */
bool vz_probe_ahead(vz_node *group, vz_error *err);
/* Before a name is looked for in a group that was not listed yet: its documents and the listing, in one round. *read:
 * they were read; vz_probe_forget_name is called then where there is no such member, which may come to be. */
bool vz_probe_name_ahead(vz_node *group, const char *name, bool *read, vz_error *err);
void vz_probe_forget_name(vz_node *group, const char *name);
/* Looks which of the unknown members have a document, in a store where a look costs less than reading one: their states
 * say so from then on. The others stay unknown. */
bool vz_probe_names(vz_node *group, vz_error *err);
/* Finds out what a member is; *is_node=false: a directory that is none. */
bool vz_probe(vz_node *group, vz_member *member, bool *is_node, vz_error *err);
/* The same; `why` tells why the member cannot be read, where that is so. */
bool vz_probe_why(vz_node *group, vz_member *member, bool *is_node, vz_error *why, vz_error *err);
/* A directory that is no node stands where a new one shall be: what a deleted array left is removed, anything else is
 * in the way of an array or a move (VZ_EXISTS), not of a new group. */
bool vz_clear_leftover(vz_store *store, const char *prefix, bool is_group, vz_error *err);

/* unwritten.c */
struct vz_unwritten *vz_unwritten_of(vz_node *node, vz_error *err); /* makes it where there is none */
void vz_unwritten_drop(vz_node *node);
void vz_unwritten_drop_tree(vz_node *node);
bool vz_unwritten_name(vz_strmap **set, const char *name, vz_error *err); /* puts a name into a set */
void vz_unwritten_chunks(vz_node *node);                                  /* brings the accounts up to date */
bool vz_node_mark_new(vz_node *node, vz_error *err); /* the subtree's documents must be written (anew) */

/* shrunk.c */
/* Did another program make the array smaller? `known`: as this one read it last; `theirs`: as the store tells it. */
bool vz_node_is_cut_off(const vz_node *node, const vz_array_meta *known, const vz_array_meta *theirs);
/* Fails where that was found out (node->cut_off). */
bool vz_node_check_whole(const vz_node *node, vz_error *err);
/* Takes over the smaller shape; *lost: chunks beyond it were to be written, and are dropped. */
bool vz_node_follow_shrink(vz_node *node, bool *lost, vz_error *err);

/* link_place.c */
/* vz_link_rename, but a group that moves into itself is VZ_INVALID whatever it is called elsewhere (move.c). */
bool vz_node_move(vz_node *group, const char *name, vz_node *to_group, const char *to_name, bool utf8, vz_error *err);
bool vz_group_check(vz_node *group, vz_error *err); /* may it get a new member? */
bool vz_link_name_check(vz_node *group, const char *name, vz_error *err);
/* Makes the place `segment` below `group` free of what no node has left there. Caller frees the key it stands for. */
char *vz_place_prepare(vz_node *group, const char *segment, bool is_group, vz_error *err);
/* Moves what lies under one prefix to another; nothing there (nothing was written yet) is as good. */
bool vz_prefix_rename(vz_store *store, const char *from, const char *to, vz_error *err);
/* A link that leads to `node`, in the table of `group`. Takes `segment`, also on failure. */
vz_member *vz_group_add_link(vz_node *group, vz_node *node, const char *name, char *segment, bool utf8, vz_error *err);
/* A link that is no directory; the name is known to be free. */
vz_member *vz_group_add_value(vz_node *group, const char *name, bool utf8, vz_link_kind kind, int class, vz_bytes value,
                              vz_error *err);

/* respell.c */
/* The segment that a name gets instead of its own; NULL with err set if that is taken as well. Caller frees. */
char *vz_members_other_segment(const struct vz_members *members, const char *name, vz_error *err);
/* The key that a segment in this group stands for. Caller frees. */
char *vz_key_in(const vz_node *group, const char *segment, vz_error *err);
/* A new node that cannot be published, as the file system takes its name for another one's
 * (vz_store_spells_otherwise), waits under another segment from now on. */
bool vz_node_respell(vz_node *node, vz_error *err);

/* node_lost.c */
bool vz_node_holds_unwritten(const vz_node *node); /* it or a loaded node below */
/* Another process deleted it; whoever holds it keeps what is in memory. */
bool vz_node_orphan(vz_node *node, vz_error *err);
/* Another process took the node away: whoever holds it keeps what is in memory, else it is freed. */
bool vz_node_lost(vz_node *node, vz_error *err);

/* rest.c: what may lie in the store beyond an array's shape */
bool vz_rest_read(const vz_node *node, uint64_t *rest); /* false: there is none that fits the array */
bool vz_rest_set(vz_node *node, const uint64_t *rest, vz_error *err);
/* Removes it; what of it lay in memory may still have to be written. */
bool vz_rest_remove(vz_node *node, vz_error *err);
void vz_rest_retry(vz_node *node); /* what could not be removed before is tried again; a failure changes nothing */
bool vz_rest_written(vz_node *node, vz_error *err); /* after chunks were: it waits for its document again */
void vz_rest_drop_if_gone(vz_node *node); /* before documents are written: it goes if nothing lies there any more */
void vz_shape_written(vz_node *node, const char *prefix); /* after they were */

/* recover_shapes.c: removes chunks that writers which died left outside of arrays, where nobody else writes. What
 * cannot be removed is left to the next writer. */
void vz_shapes_recover(vz_store *store);

/* writeback.c */
bool vz_node_flush_chunks(vz_node *node, vz_error *err);

/* prepare.c */
/* What conventions do before documents are written: all of them, or those of `only` and of groups above it that are not
 * there yet. Nothing where nothing is dirty, or that is at work. */
bool vz_hierarchy_prepare(vz_hierarchy *hierarchy, vz_node *only, vz_error *err);

/* token.c */
void vz_token_moved(vz_hierarchy *hierarchy, const char *from, const char *to); /* paths; the subtree goes along */
void vz_token_deleted(vz_hierarchy *hierarchy, const char *path);
void vz_token_keep(vz_node *node, const char *path); /* a deleted subtree goes on with the numbers that it had there */
void vz_token_linked(vz_node *node);                 /* numbers that the subtree had while unlinked get their paths */

#endif
