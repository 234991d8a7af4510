/* group.h - the members of a group, as the modules above see them. node.h includes it. */
#ifndef VZ_NODES_GROUP_H
#define VZ_NODES_GROUP_H

#include "base/util/error.h"
#include "metadata/metadata/metadata.h"

typedef struct vz_node vz_node;
typedef struct vz_link vz_link;

/* Members of a group. The order of vz_group_link_at: by name, bytewise, or by creation order. Any
 * group has a creation order: tracked, or the order in which this process met the names. */
typedef enum vz_link_order { VZ_BY_NAME, VZ_BY_CREATION } vz_link_order;
bool vz_group_count(vz_node *group, uint64_t *count, vz_error *err);
/* NULL + VZ_NOT_FOUND. */
vz_link *vz_group_find(vz_node *group, const char *name, vz_error *err);
/* In a group that cannot be listed: reads the documents of members that will be looked for. */
bool vz_group_prefetch_names(vz_node *group, const char *const *names, size_t count, vz_error *err);
/* All of them in that order; borrowed until a link comes or goes. */
vz_link **vz_group_links(vz_node *group, vz_link_order order, uint64_t *count, vz_error *err);
/* A number that grows before a link comes or goes in any group in memory: what was borrowed is
 * there while it is the same. */
uint64_t vz_links_moment(void);
/* As vz_group_links, for callers that find each link by its name afterwards, which reads its
 * document. In a store where such a read is cheap no member was looked at, and some may turn out
 * to be no links. */
vz_link **vz_group_links_to_find(vz_node *group, vz_link_order order, uint64_t *count, vz_error *err);
/* The index-th in increasing order; O(1) amortised over a walk without changes. NULL +
 * VZ_NOT_FOUND beyond the end. */
vz_link *vz_group_link_at(vz_node *group, vz_link_order order, uint64_t index, vz_error *err);
/* Before all members of a listed group of a remote store are looked at, and those of groups above
 * it. Reads their documents as one batch. */
bool vz_group_prefetch_up(vz_node *group, vz_error *err);
/* Visits the links of a group in the order of their names, and looks at each only when its turn
 * comes. So the first one comes at once, however many there are. The visit changes nothing; it may
 * load nodes. False with err set, or as the visit says. */
typedef bool (*vz_link_visit)(void *context, vz_node *group, vz_link *link, vz_error *err);
bool vz_group_each_link(vz_node *group, vz_link_visit visit, void *context, vz_error *err);
/* Loads the node a link leads to; borrowed (ref it to keep). An array whose metadata is wrong
 * loads with meta NULL; a node whose .zattrs is wrong fails. VZ_INVALID for soft and
 * user-defined links: following them is the caller's. */
vz_node *vz_link_node(vz_node *group, vz_link *link, vz_error *err);

/* A member that was looked at, and needs not be loaded to know that it is no group. */
bool vz_link_is_array(const vz_link *link);
/* A link of another kind must be written anew. */
bool vz_group_links_changed(vz_node *group, vz_error *err);

/* ---- members that a convention adds ---- */

/* For a convention that reads links: the directories of a group that is just listed, none of which
 * was looked into. *cursor starts at 0; false ends. */
bool vz_group_next_listed(const vz_node *group, size_t *cursor, vz_link **link);
/* The attributes' document of such a directory, where they have one of their own, appended to
 * `text`. */
bool vz_link_read_attributes(const vz_node *group, const vz_link *link, vz_buffer *text, vz_error *err);
/* Such a directory stands for a soft link. */
bool vz_link_become_soft(vz_node *group, vz_link *link, const char *target, vz_error *err);
/* dimension_node.c: */
/* For vz_conventions.complete: a member that is an array without a document or data. Takes the
 * metadata, also on failure. VZ_EXISTS: the name is taken. */
vz_node *vz_group_add_dimension(vz_node *group, const char *name, vz_meta *meta, vz_error *err);
/* The link to a directory is shown under another name. Its place in the store stays. */
bool vz_group_show_as(vz_node *group, vz_link *link, const char *name, vz_error *err);

#endif
