/* merge_internal.h - changes of two writers in one document; a rename that changes case only. */
#ifndef VZ_WRITEBACK_MERGE_INTERNAL_H
#define VZ_WRITEBACK_MERGE_INTERNAL_H

#include "hierarchy/writeback/merge.h"

/* merge.c */
/* The node's .zattrs was changed by another process: theirs plus the keys we changed become the
 * node's. `theirs` is taken. */
bool vz_merge_attributes(vz_node *node, vz_json *theirs, vz_error *err);

/* The array's document was changed by another process: keys of `ours` that differ from the node's
 * document go into `theirs`. */
bool vz_merge_document(const vz_node *node, const vz_json *ours, vz_json *theirs, vz_error *err);

/* merge_annotation.c: puts into `theirs`, an annotation that another process wrote, what we changed
 * in the node's since it was `base`. Members about attributes are merged attribute by attribute,
 * lists of paths entry by entry; "L" is vz_merge_links' work. */
bool vz_merge_annotation(vz_node *node, const vz_json *base, vz_json *theirs, vz_error *err);

/* merge_links.c: the members become what they are after their changes and ours. base, theirs:
 * annotations, as above. `attributes`: theirs; the attribute that holds links gets ours too. */
bool vz_merge_links(vz_node *group, const vz_json *base, const vz_json *theirs, vz_json *attributes, vz_error *err);

/* A new node that cannot be published, as the file system takes its name for another one's
 * (vz_store_names_collide), waits under another segment from now on. */
bool vz_flush_node_rename_case(vz_node *node, vz_error *err);

#endif
