/* note.h - the annotation of a node (docs/format.md, "_HDF5"): its keys, edited in node->annotation. */
#ifndef VZ_MAP_NOTE_H
#define VZ_MAP_NOTE_H

#include "h5/h5.h"
#include "hierarchy/node.h"

/* Type short form (docs/format.md) <-> HDF5 type. */
vz_json *vz_note_type_print(hid_t type, vz_error *err);
hid_t vz_note_type_parse(const vz_json *note, vz_error *err);

/* Members "t" (with its guard "z"), "s", "l", "f", "p", "pl" of a dataset's annotation: NULL if absent or its guard
 * fails. */
const vz_json *vz_note_get(const vz_node *node, const char *key);
bool vz_note_set(vz_node *node, const char *key, vz_json *take, vz_error *err); /* take NULL removes; marks the node */

/* Attributes that HDF5 must not see: the annotation, zarr_dtype, zarr_link ... (per dialect). */
bool vz_attribute_is_hidden(const vz_node *node, const char *name);
/* Names of visible attributes, in creation order (`index` counts visible ones only): NULL beyond the end. Valid until
 * the next call. */
const char *vz_attribute_at(const vz_node *node, size_t index);
/* The same in the order of names, bytewise, if the node has no odd keys (attribute_name.h). NULL + err beyond the end.
 */
const char *vz_attribute_by_name(vz_node *node, size_t index, vz_error *err);
size_t vz_attribute_count(const vz_node *node);

#endif
