/* attribute_entry.h - the entry of an attribute in the annotation ("a"), and what its JSON value stands for. Private to this
 * room. `key` is the attribute's name in JSON (attribute_name.h). */
#ifndef VZ_ATTRIBUTES_ATTRIBUTE_ENTRY_H
#define VZ_ATTRIBUTES_ATTRIBUTE_ENTRY_H

#include "hierarchy/nodes/node.h"

/* The key of an attribute of that name; NULL + VZ_NOT_FOUND. */
const char *vz_attribute_find_key(const vz_node *node, const char *name, vz_error *err);
/* NULL: it has none. */
const vz_json *vz_attribute_entry(const vz_node *node, const char *key);
/* Takes the entry; NULL removes the one that is there. */
bool vz_attribute_set_entry(vz_node *node, const char *key, vz_json *take, vz_error *err);
/* What to read in the place of a value that stands for a reference, new; NULL: the value itself. */
vz_json *vz_attribute_meaning(const vz_node *node, const char *key, const vz_json *json);

#endif
