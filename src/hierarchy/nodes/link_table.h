/* link_table.h - "L" in the annotation of a group: what of its links their directories do not tell, and the links that
 * are no directories (link_table.c; one entry: link_record.c). */
#ifndef VZ_NODES_LINK_TABLE_H
#define VZ_NODES_LINK_TABLE_H

#include "hierarchy/nodes/hierarchy.h"

#define VZ_ANNOTATION_LINKS "L" /* links of a group: docs/format.md */

typedef struct vz_link_facts {
    char *name;
    uint64_t order; /* VZ_NO_ORDER */
    bool has_charset, utf8;
} vz_link_facts;
#define VZ_NO_ORDER UINT64_MAX
/* segment -> vz_link_facts (heap; vz_link_facts_free), only well-formed hard links. *tracked: does the list keep an
 * order? */
vz_strmap *vz_link_list_read(const vz_json *annotation, bool *tracked, vz_error *err);
void vz_link_facts_free(void *facts);
/* Is there, or must there be, such a list? */
bool vz_link_list_is_needed(const vz_node *group);
/* Rewrites "L" in `annotation` for the group as it is; entries it does not know are kept but for those unlinked. */
bool vz_link_list_write(vz_node *group, vz_json *annotation, vz_error *err);

/* Must the link wait until what it leads to is in the store (deferred_links.c)? */
bool vz_link_is_early(const vz_node *group, const vz_link *link);

/* link_record.c: one entry of "L" */
/* The entry's name on the heap; NULL without an error if it has none that a link can have. */
char *vz_link_entry_name(const vz_json *entry, vz_error *err);
/* Does it tell of a directory (true), or of a link that is none? */
bool vz_link_entry_is_node(const vz_json *entry);
uint64_t vz_link_entry_order(const vz_json *entry); /* VZ_NO_ORDER: it has none */
/* A link that is no directory, from its entry; false without an error for what we cannot understand. */
bool vz_link_entry_read(const vz_json *entry, vz_link *link, vz_error *err);
vz_json *vz_link_entry_print(const vz_link *link, bool tracked, vz_error *err);
bool vz_link_entry_has_odd_charset(const vz_link *link);
/* Adds the link of an entry to the members, unless it is a directory's, or one of that name is there. */
bool vz_link_entry_add(vz_node *group, struct vz_members *members, const vz_json *entry, vz_error *err);

#endif
