/* target_node.h - what a subcommand was told to look at: a store, and the node of it that a path behind the store's names.
 */
#ifndef VZ_COMMAND_TARGET_NODE_H
#define VZ_COMMAND_TARGET_NODE_H

#include "hierarchy/nodes/node.h"
#include "hierarchy/resolve/path_lookup.h"

typedef struct vz_subject {
    vz_options options;
    vz_hierarchy *hierarchy;
    vz_node *node; /* that the path leads to; a store that is one array: the array */
} vz_subject;

/* "STORE" or "STORE/PATH", where PATH goes by the names of links, soft ones and further names of nodes too. Opened for
 * reading. Failures tell what is there if it is no store. */
bool vz_subject_open(const char *path, vz_subject *subject, vz_error *err);
void vz_subject_close(vz_subject *subject);
/* The same for writing, and how that ends: what was written is in the store when it returns true. Closed in any case.
 */
bool vz_subject_open_to_write(const char *path, vz_subject *subject, vz_error *err);
bool vz_subject_finish(vz_subject *subject, vz_error *err);

/* The node at a path of link names from a group on; borrowed. A path that begins with a slash begins at that group,
 * too. NULL + VZ_NOT_FOUND. */
vz_node *vz_subject_follow(vz_node *group, const char *names, vz_error *err);
/* Symbolic links that are entered in one run: they may multiply what is below without end. */
#define VZ_LINKS_ENTERED_MAX 1000
/* Is what is at the key to be gone into? False: it is a symbolic link, and *links, which grows with each, says enough.
 */
bool vz_subject_enters(vz_store *store, const char *key, uint64_t *links);
/* The same of a group; the first one that is not is told on stderr. */
bool vz_subject_enters_group(const vz_node *group, const char *name, uint64_t *links);
/* Is it something that may be a store? False with err set: it is an HDF5 file, or empty. */
bool vz_subject_refuse(const vz_found *found, vz_error *err);

/* The options of the plugin: defaults, then the environment. Workers are made as many as they say. */
bool vz_command_options(vz_options *options, vz_error *err);

/* The path without what is behind its last slash, and with slashes at its end gone; NULL without an error: there is no
 * such path. *last: where the name begins that went. Caller frees. */
char *vz_path_above(const char *path, const char **last, vz_error *err);

#endif
