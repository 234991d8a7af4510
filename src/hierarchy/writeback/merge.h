/* merge.h - what another writer made of a node's documents, joined with what was changed here. */
#ifndef VZ_WRITEBACK_MERGE_H
#define VZ_WRITEBACK_MERGE_H

#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node.h"

/* -- Link slot --
 * the place in the store that a link gets. */
/* link_slot.c */
bool vz_merge_check_group(vz_node *group, vz_error *err); /* may it get a new member? */
bool vz_merge_check_name(vz_node *group, const char *name, vz_error *err);

/* Makes the place `segment` below `group` free of what no node has left there. Caller frees the
 * key it stands for. */
char *vz_merge_prepare_place(vz_node *group, const char *segment, bool is_group, vz_error *err);

/* Moves what lies under one prefix to another; nothing there (nothing was written yet) is as
 * good. */
bool vz_merge_rename_prefix(vz_store *store, const char *from, const char *to, vz_error *err);

/* A link that leads to `node`, in the table of `group`. Takes `segment`, also on failure. */
vz_member *vz_merge_add_link(vz_node *group, vz_node *node, const char *name, char *segment, bool utf8, vz_error *err);

/* A link that is no directory; the name is known to be free. */
vz_member *vz_merge_add_value(vz_node *group, const char *name, bool utf8, vz_link_kind kind, int class, vz_bytes value,
                              vz_error *err);

/* case_rename.c */
/* The segment that a name gets instead of its own; NULL with err set if that is taken as well.
 * Caller frees. */
char *vz_merge_other_segment(const struct vz_members *members, const char *name, vz_error *err);

#endif
