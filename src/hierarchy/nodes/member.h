/* member.h - members of a group, and the table of links in the annotation. */
#ifndef VZ_NODES_MEMBER_H
#define VZ_NODES_MEMBER_H

#include "hierarchy/nodes/hierarchy.h"

/* -- Group members --
 * the members of a group in memory, and how they are listed and found. */
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
    bool is_asked;                     /* by its name, of a group that is not listed */
    bool in_block;                     /* its memory is the group's (vz_members.block) */
    const vz_zarr_format *zarr_format; /* of its document; NULL until one was looked for */
    char *document;                    /* document that gave the state, kept until the node is
                                        * loaded; NULL: none */
    size_t document_size;
    vz_version *version; /* of `document`, in a remote store; NULL: not known */
    /* VZ_LINK_ALIAS: */
    vz_node *group;                              /* it is a member of */
    vz_node *leads_to;                           /* NULL until looked for */
    struct vz_member *next_name, *previous_name; /* of leads_to */
} vz_member;

struct vz_members {
    vz_strmap *by_name; /* name -> vz_member; the names are the members' */
    vz_member *block;   /* memory of members: of those that were listed, as a group of thousands is
                         * freed at once */
    size_t block_size, block_used;
    vz_entry_names *names;              /* and of their names */
    vz_strmap *escaped;                 /* segment -> vz_member, of links whose segment is not their
                                         * name */
    vz_strmap *hidden;                  /* segments of directories that are no nodes */
    vz_error *unlisted;                 /* why the store does not list them: others are found by
                                         * their names; NULL: these are all */
    vz_strmap *gone;                    /* names in "L" of nodes that were deleted: no members, and
                                         * not written again; NULL: none */
    bool is_completed;                  /* vz_conventions.complete was called, or is at work */
    size_t unknown;                     /* members in VZ_MEMBER_UNKNOWN */
    size_t others;                      /* members that are no directories */
    vz_node *group;                     /* whose members they are, or are to be */
    struct vz_members *next, *previous; /* in the hierarchy's list of groups with links, if there
                                         * are `others` */
    vz_link **sorted;                   /* by name; NULL: to be made */
    vz_link **created;                  /* by creation order; NULL: to be made */
};

/* An entry of VZ_ANNOTATION_DIMENSIONS: the array's document, its attributes, its place in the
 * order of creation. */
#define VZ_DIMENSION_DOCUMENT   "d"
#define VZ_DIMENSION_ATTRIBUTES "a"
#define VZ_DIMENSION_PLACE      "i"

/* group_members.c */
struct vz_members *vz_members_new(vz_node *group, vz_error *err);
/* A new member, in state UNKNOWN without a node (of another kind than VZ_LINK_NODE: in state
 * LINK). Takes the strings of `link`, also on failure. */
vz_member *vz_members_add(struct vz_members *members, vz_link link, vz_error *err);
void vz_link_clear(vz_link *link);                                     /* its strings */
void vz_members_remove(struct vz_members *members, vz_member *member); /* frees it, not its node */
vz_link **vz_members_in_order(struct vz_members *members, vz_link_order order, vz_error *err);

/* The segment `name` gets in this group: escaped, and hashed if taken. Caller frees. */
char *vz_members_segment(struct vz_members *members, const char *name, vz_error *err);

/* The member's directory is called so from now on. */
bool vz_members_rename_case(struct vz_members *members, vz_member *member, const char *segment, vz_error *err);
vz_member *vz_members_by_segment(const struct vz_members *members, const char *segment);

/* find_member.c: as vz_group_find, for who does not open it. Where a look is cheap no document is
 * read. */
vz_link *vz_members_find_unread(vz_node *group, const char *name, vz_error *err);

/* list_members.c */
bool vz_members_load(vz_node *group, vz_error *err);

bool vz_members_probe_all(vz_node *group, vz_error *err);

/* The name of the attribute that tells links to readers of a convention; NULL: there is none. */
const char *vz_links_attribute(const vz_node *group);

/* A directory that is no node stands where a new one shall be. If a deleted array left it, it is
 * removed. Any other one is in the way of an array or a move (VZ_EXISTS), not of a new group. */
bool vz_node_clear_leftover(vz_store *store, const char *prefix, bool is_group, vz_error *err);

/* -- Link table -- "L" in the annotation of a group. It holds the facts of links that directories
 * do not show, and the links that are no directories (link_table.c; one entry: link_record.c). */
#define VZ_ANNOTATION_LINKS "L" /* links of a group: docs/format.md */

typedef struct vz_link_facts {
    char *name;
    uint64_t order; /* VZ_NO_ORDER */
    bool has_charset, utf8;
} vz_link_facts;
#define VZ_NO_ORDER UINT64_MAX

/* Is there, or must there be, such a list? */
bool vz_link_list_is_needed(const vz_node *group);

/* Which links of a group its document gets. */
typedef enum vz_links_mode {
    VZ_LINKS_ALL,      /* those that it has */
    VZ_LINKS_DEFER,    /* but for those to objects that are not in the store yet
                        * (deferred_links.c) */
    VZ_LINKS_KEEP_OLD, /* but for these, and with the old names beside the new ones */
} vz_links_mode;

/* Rewrites "L" in `annotation` for the group as it is; entries it does not know are kept but for
 * those unlinked. */
bool vz_link_list_write(vz_node *group, vz_json *annotation, vz_links_mode mode, vz_error *err);

/* Must the link wait until what it leads to is in the store? */
bool vz_link_is_deferred(const vz_node *group, const vz_link *link);

/* link_record.c: one entry of "L" */
/* The entry's name on the heap; NULL + VZ_CORRUPT if it has none that a link can have. */
char *vz_link_entry_name(const vz_json *entry, vz_error *err);

/* Does it tell of a directory (true), or of a link that is none? */
bool vz_link_entry_is_node(const vz_json *entry);
uint64_t vz_link_entry_order(const vz_json *entry); /* VZ_NO_ORDER: it has none */

/* A link that is no directory, from its entry. On failure `err` says that the entry is wrong
 * (VZ_CORRUPT), or that its kind is not known (VZ_UNSUPPORTED). Then the link is to be cleared,
 * too. */
bool vz_link_entry_read(const vz_json *entry, vz_link *link, vz_error *err);

vz_json *vz_link_entry_print(const vz_link *link, bool tracked, vz_error *err);

/* Adds the link of an entry, unless it is a directory's or the name is taken. */
bool vz_link_entry_add(vz_node *group, struct vz_members *members, const vz_json *entry, vz_error *err);

#endif
