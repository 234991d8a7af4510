/* committed.h - committed datatypes: a group without members whose annotation says k:"datatype" and, in "t", which. */
#ifndef VZ_REFERENCES_COMMITTED_H
#define VZ_REFERENCES_COMMITTED_H

#include "hdf5/h5/h5.h"
#include "hdf5/annotation/annotation.h"

bool vz_is_committed(const vz_node *node);
/* A new, unlinked node (one reference) for a type. */
vz_node *vz_committed_new(vz_hierarchy *hierarchy, hid_t type, hid_t tcpl, vz_error *err);
/* The type, transient: a new id. VZ_CORRUPT when the annotation does not describe one. */
hid_t vz_committed_type(const vz_node *node, vz_error *err);
/* Its creation property list: a new id. */
hid_t vz_committed_tcpl(const vz_node *node, vz_error *err);

/* The committed type that a dataset (key NULL), or the attribute under this key (hdf5/attributes/attributes.h), was
 * made with: the path in "ct" of the annotation, NULL if none is. */
const char *vz_committed_path(const vz_node *node, const char *key);
/* Calls back for each such entry of a node (key NULL: its own). */
typedef bool (*vz_committed_use)(const char *key, const char *path, void *context, vz_error *err);
bool vz_committed_each_use(const vz_node *node, vz_committed_use visit, void *context, vz_error *err);
bool vz_committed_forget(vz_node *node, const char *key, vz_error *err);
/* Writes it down (a copy). */
bool vz_committed_set(vz_node *node, const char *key, const char *path, vz_error *err);
/* The committed type that such a path means, wherever it went since; borrowed. NULL: it is gone. */
vz_node *vz_committed_at(vz_hierarchy *hierarchy, const char *path);

/* ---- who uses a type (committed_users.c) ---- */

/* The types that a linked node's annotation names list the node from now on. A node that is not linked is passed over:
 * it is told of when it gets a name. */
bool vz_committed_register(vz_node *user, vz_error *err);
/* The same of one entry, just made. */
bool vz_committed_register_use(vz_node *user, const char *path, vz_error *err);
/* Datasets and attributes made with the type. */
bool vz_committed_count_users(vz_node *type, unsigned *count, vz_error *err);

#endif
