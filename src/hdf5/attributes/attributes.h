/* attributes.h - attribute list, attribute, attribute name. */
#ifndef VZ_ATTRIBUTES_ATTRIBUTES_H
#define VZ_ATTRIBUTES_ATTRIBUTES_H

#include "hdf5/annotation/annotation.h"
#include "hdf5/h5/h5.h"
#include "hdf5/references/references.h"
#include "hierarchy/nodes/node.h"

/* -- Attribute list --
 * which attributes of a node HDF5 sees, and in what order. */
/* Names of visible attributes, in creation order (`index` counts visible ones only): NULL beyond the end. Valid until
 * the next call. */
const char *vz_attribute_at(const vz_node *node, size_t index);

/* The same in the order of names, bytewise, if the node has no odd keys (attributes.h). NULL + err beyond the end.
 */
const char *vz_attribute_by_name(vz_node *node, size_t index, vz_error *err);
size_t vz_attribute_count(const vz_node *node);
bool vz_attribute_exists(vz_node *node, const char *name);

/* The creation order: how many visible ones stand before it; -1: there is none of that name. */
int64_t vz_attribute_order(const vz_node *node, const char *name);

/* The character set of its name: what the name looks like, or UTF-8 where it was created so (entry "cs"). */
H5T_cset_t vz_attribute_charset(const vz_node *node, const char *name);

/* -- Attribute --
 * an attribute's value: typed bytes <-> JSON value + annotation entry "a" (docs/format.md). */
/* An attribute that somebody looks at or has open. Its value is decoded when it is first asked for and kept with it; it
 * is decoded anew when anything in the store changed since, so that all who have the attribute open see one value. */
typedef struct vz_attribute {
    vz_node *node;          /* borrowed, and must outlive it */
    char *name;             /* owned */
    struct vz_value *value; /* owned; NULL: not decoded yet */
} vz_attribute;

/* Looks at nothing: whether there is an attribute of that name shows when it is asked for something. */
bool vz_attribute_init(vz_attribute *attribute, vz_node *node, const char *name, vz_error *err);
void vz_attribute_clear(vz_attribute *attribute);

/* It has another name from now on. */
bool vz_attribute_follow(vz_attribute *attribute, const char *name, vz_error *err);

/* New attribute: type and space as given, value the type's zero until written. Replaces nothing (VZ_EXISTS). *kept: its
 * value, for the attribute that is opened of it (vz_attribute_give_back), NULL: it is to be decoded; `kept` may be
 * NULL. */
bool vz_attribute_create(vz_node *node, const char *name, hid_t type, hid_t space, struct vz_value **kept,
                         vz_error *err);
void vz_attribute_give_back(vz_attribute *attribute, struct vz_value *value); /* takes it */
void vz_attribute_value_free(struct vz_value *value);                         /* NULL is fine */
bool vz_attribute_set_charset(vz_node *node, const char *name, H5T_cset_t cset, vz_error *err);
bool vz_attribute_delete(vz_node *node, const char *name, vz_error *err);
bool vz_attribute_rename(vz_node *node, const char *from, const char *to, vz_error *err);

/* Type and space as HDF5 sees them: new ids. */
bool vz_attribute_type(vz_attribute *attribute, hid_t *type, vz_error *err);
bool vz_attribute_space(vz_attribute *attribute, hid_t *space, vz_error *err);
bool vz_attribute_storage_size(vz_attribute *attribute, hsize_t *size, vz_error *err);

/* Character set of the name, creation order number (-1 if unknown), size. */
bool vz_attribute_info(vz_attribute *attribute, H5A_info_t *info, vz_error *err);

/* At the end: what was made for all attributes goes. */
void vz_attribute_types_close(void);

/* `maker` may be NULL where no H5R_ref_t is met. Whole value, converted to or from mem_type (any, variable-length
 * included: allocated as the dxpl says). */
bool vz_attribute_read(vz_attribute *attribute, hid_t mem_type, void *buf, hid_t dxpl, const vz_reference_maker *maker,
                       vz_error *err);
bool vz_attribute_write(vz_attribute *attribute, hid_t mem_type, const void *buf, const vz_reference_maker *maker,
                        vz_error *err);

/* -- Attribute name --
 * the key in .zattrs that an attribute's name has.
 *
 * Nearly always the name itself. A name that JSON cannot hold, or that a convention has taken, gets an escaped key, and
 * the annotation's "an" leads from that key to the name's bytes, in base64. */
/* The key of an attribute of that name, if there is one; NULL: there can be none. Valid until names change. */
const char *vz_attribute_key(const vz_node *node, const char *name);

/* The name that a key stands for: the key itself, or valid until the next call. */
const char *vz_attribute_name_of(const vz_node *node, const char *key);

/* Has the node such keys? Then the order of keys is not that of names. */
bool vz_attribute_keys_are_escaped(const vz_node *node);

#endif
