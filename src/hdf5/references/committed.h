/* committed.h - committed datatypes: a group without members, whose annotation has k:"datatype"
 * and the type in "t". */
#ifndef VZ_REFERENCES_COMMITTED_H
#define VZ_REFERENCES_COMMITTED_H

#include "hdf5/h5/h5.h"
#include "hdf5/annotation/annotation.h"

bool vz_committed_is_type(const vz_node *node);
/* A new, unlinked node (one reference) for a type. */
vz_node *vz_committed_new(vz_hierarchy *hierarchy, hid_t type, hid_t tcpl, vz_error *err);
/* The type, transient: a new id. VZ_CORRUPT if the annotation describes no type. */
hid_t vz_committed_type(const vz_node *node, vz_error *err);
/* Its creation property list: a new id. */
hid_t vz_committed_tcpl(const vz_node *node, vz_error *err);

/* The path ("ct" of the annotation) of the committed type of a dataset (key NULL), or of the
 * attribute under this key (hdf5/attributes/attributes.h). NULL if there is none. */
const char *vz_committed_path(const vz_node *node, const char *key);
/* Calls `visit` for each "ct" of a node (key NULL: the node's own). */
typedef bool (*vz_committed_use)(const char *key, const char *path, void *context, vz_error *err);
bool vz_committed_each_use(const vz_node *node, vz_committed_use visit, void *context, vz_error *err);
bool vz_committed_forget(vz_node *node, const char *key, vz_error *err);
/* Sets the path (a copy). */
bool vz_committed_set(vz_node *node, const char *key, const char *path, vz_error *err);
/* The committed type at a stored path, also after moves; borrowed. NULL: it is deleted. */
vz_node *vz_committed_at(vz_hierarchy *hierarchy, const char *path);

/* ---- who uses a type (committed_users.c) ---- */

/* Enters a linked node in the lists of users of its committed types. A node without a link is
 * skipped; it is entered when it gets a name. */
bool vz_committed_register(vz_node *user, vz_error *err);
/* Enters one new use. */
bool vz_committed_register_use(vz_node *user, const char *path, vz_error *err);
/* Counts the datasets and attributes made with the type. */
bool vz_committed_count_users(vz_node *type, unsigned *count, vz_error *err);

#endif
