/* member_internal.h - members probed, their links read. */
#ifndef VZ_NODES_MEMBER_INTERNAL_H
#define VZ_NODES_MEMBER_INTERNAL_H

#include "hierarchy/nodes/member.h"

/* dimension_note.c: adds the members that the annotation of a listed group holds. */
bool vz_group_dimensions_read(vz_node *group, vz_error *err);

/* Keeps the text, which it takes, until the node is loaded. */
void vz_member_keep_document(vz_member *member, vz_buffer *text, const vz_version *version);
void vz_member_forget_document(vz_member *member);

/* The member is shown under a name that is free. */
bool vz_members_show_as(struct vz_members *members, vz_member *member, const char *name, vz_error *err);

/* Calls vz_conventions.complete where that was not done for this listing. */
bool vz_group_complete(vz_node *group, vz_error *err);

/* Of a group that is not listed: a member that is none yet. *member=NULL: there is none of that
 * name. */
bool vz_member_ask(vz_node *group, const char *name, vz_member **member, vz_error *err);

/* probe_directory.c */
/* Before all members of a group are looked at: reads their documents at once, where each would
 * be a round trip. */
bool vz_node_probe_prefetch(vz_node *group, vz_error *err);

/* Before a name is looked for in a group that was not listed yet: its documents and the listing,
 * in one round. *read: they were read; vz_node_probe_forget_name is called then where there is
 * no such member, which may come to be. */
bool vz_node_probe_name_prefetch(vz_node *group, const char *name, bool *read, vz_error *err);
void vz_node_probe_forget_name(vz_node *group, const char *name);

/* Looks which of the unknown members have a document, in a store where a look costs less than
 * reading one. Their states say so from then on. The others stay unknown. */
bool vz_node_probe_names(vz_node *group, vz_error *err);
/* Looks at one member alone, in that way. */
bool vz_node_probe_one_name(vz_node *group, vz_member *member, vz_error *err);

/* Finds out what a member is; *is_node=false: a directory that is none. */
bool vz_node_probe(vz_node *group, vz_member *member, bool *is_node, vz_error *err);

/* As vz_node_probe; `why` gets the reason if the member cannot be read. */
bool vz_node_probe_why(vz_node *group, vz_member *member, bool *is_node, vz_error *why, vz_error *err);

/* segment -> vz_link_facts (heap; vz_link_facts_free), only well-formed hard links. *tracked:
 * does the list keep an order? */
vz_strmap *vz_link_list_read(const vz_json *annotation, bool *tracked, vz_error *err);
void vz_link_facts_free(void *facts);

/* link_record.c */
bool vz_link_entry_has_odd_charset(const vz_link *link);
/* Is it what vz_link_entry_print makes of the link where order is tracked? False, too, where that
 * is not seen at once. */
bool vz_link_entry_tells(const vz_json *entry, const vz_link *link);

/* group_members.c, list_members.c */
/* none is there yet */
bool vz_members_reserve(struct vz_members *members, size_t count, vz_error *err);
/* after loading: are all there are known? */
bool vz_members_check_listed(const vz_node *group, vz_error *err);
void vz_members_change(void);                             /* see vz_links_moment */
void vz_members_forget_links(struct vz_members *members); /* before they are freed */
void vz_member_free(vz_member *member);                   /* not its node */

/* Finds out what a member is, if that is not known; *is_node=false: it is no node, and was
 * freed. */
bool vz_member_probe(vz_node *group, vz_member *member, bool *is_node, vz_error *err);

/* dimension_node.c: an array of the group's Zarr format that no document of its own says; takes
 * `meta`, also on failure. */
vz_node *vz_group_dimension_new(vz_node *group, vz_meta *meta, vz_error *err);
/* Makes it a member of that name, which must be free, with that place in the order of creation.
 * Takes the node, also on failure. */
bool vz_group_link_dimension(vz_node *group, const char *name, vz_node *node, uint64_t order, vz_error *err);

#endif
