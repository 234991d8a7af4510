/* attribute_name.h - the key in .zattrs that an attribute's name has.
 *
 * Nearly always the name itself. A name that JSON cannot hold, or that a convention has taken, gets an escaped key, and
 * the annotation's "an" leads from that key to the name's bytes, in base64. */
#ifndef VZ_ATTRIBUTES_ATTRIBUTE_NAME_H
#define VZ_ATTRIBUTES_ATTRIBUTE_NAME_H

#include "hierarchy/nodes/node.h"

/* The key of an attribute of that name, if there is one; NULL: there can be none. Valid until names change. */
const char *vz_attribute_key(const vz_node *node, const char *name);
/* The key for a new attribute of that name, entered where it is another; heap. */
char *vz_attribute_key_new(vz_node *node, const char *name, vz_error *err);
/* The attribute under the key is gone. */
bool vz_attribute_key_forget(vz_node *node, const char *key, vz_error *err);
/* The name that a key stands for: the key itself, or valid until the next call. */
const char *vz_attribute_name_of(const vz_node *node, const char *key);
/* Has the node such keys? Then the order of keys is not that of names. */
bool vz_attribute_keys_are_odd(const vz_node *node);

#endif
