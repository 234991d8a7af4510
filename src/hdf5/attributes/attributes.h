/* attributes.h - attributes of a node: lists, values, names. */
#ifndef VZ_ATTRIBUTES_ATTRIBUTES_H
#define VZ_ATTRIBUTES_ATTRIBUTES_H

#include "hdf5/annotation/annotation.h"
#include "hdf5/h5/h5.h"
#include "hdf5/references/references.h"
#include "hierarchy/nodes/node.h"

/* -- Attribute list --
 * The attributes of a node that HDF5 sees, and their order. */
/* The name of a visible attribute, in creation order (`index` counts visible ones only); NULL
 * beyond the end. Valid until the next call. */
const char *vz_attribute_at(const vz_node *node, size_t index);

/* The name in the order of names, bytewise, if the node has no escaped keys. NULL with err set
 * beyond the end. */
const char *vz_attribute_by_name(vz_node *node, size_t index, vz_error *err);
size_t vz_attribute_count(const vz_node *node);
bool vz_attribute_exists(vz_node *node, const char *name);

/* The number of visible attributes before this one in creation order; -1: none has that name. */
int64_t vz_attribute_order(const vz_node *node, const char *name);

/* The character set of its name: as the bytes show, or UTF-8 if it was created so (entry "cs"). */
H5T_cset_t vz_attribute_charset(const vz_node *node, const char *name);

/* -- Attribute --
 * An attribute's value: typed bytes in HDF5, JSON value and annotation entry "a" in the store
 * (docs/format.md). */
/* An attribute in use. Its value is decoded on first use and kept with it. It is decoded again
 * if anything in the store changed since, so that all handles of the attribute see one value. */
typedef struct vz_attribute {
    vz_node *node;                    /* borrowed, and must outlive it */
    char *name;                       /* owned */
    struct vz_attribute_value *value; /* owned; NULL: not decoded yet */
} vz_attribute;

/* Does not check the name: the first operation fails if no attribute has it. */
bool vz_attribute_init(vz_attribute *attribute, vz_node *node, const char *name, vz_error *err);
void vz_attribute_clear(vz_attribute *attribute);

/* The attribute has another name from now on. */
bool vz_attribute_follow(vz_attribute *attribute, const char *name, vz_error *err);

/* Creates an attribute with the type's zero as value. VZ_EXISTS if the name is taken. *kept: its
 * value, for the attribute that is opened from it (vz_attribute_give_back); NULL: the value must
 * be decoded. `kept` may be NULL. */
bool vz_attribute_create(vz_node *node, const char *name, hid_t type, hid_t space, struct vz_attribute_value **kept,
                         vz_error *err);
/* takes it */
void vz_attribute_give_back(vz_attribute *attribute, struct vz_attribute_value *value);
/* NULL is fine */
void vz_attribute_value_free(struct vz_attribute_value *value);
bool vz_attribute_set_charset(vz_node *node, const char *name, H5T_cset_t cset, vz_error *err);
bool vz_attribute_delete(vz_node *node, const char *name, vz_error *err);
bool vz_attribute_rename(vz_node *node, const char *from, const char *to, vz_error *err);

/* Type and space as HDF5 sees them: new ids. */
bool vz_attribute_type(vz_attribute *attribute, hid_t *type, vz_error *err);
bool vz_attribute_space(vz_attribute *attribute, hid_t *space, vz_error *err);
bool vz_attribute_storage_size(vz_attribute *attribute, hsize_t *size, vz_error *err);

/* Character set of the name, creation order number (-1 if unknown), size. */
bool vz_attribute_info(vz_attribute *attribute, H5A_info_t *info, vz_error *err);

/* Closes the types that were made for all attributes; at the end. */
void vz_attribute_types_close(void);

/* Reads or writes the whole value, converted from or to mem_type. Any type, variable-length ones
 * included, which are allocated as the dxpl says. `maker` may be NULL if no H5R_ref_t occurs. */
bool vz_attribute_read(vz_attribute *attribute, hid_t mem_type, void *buf, hid_t dxpl, const vz_reference_maker *maker,
                       vz_error *err);
bool vz_attribute_write(vz_attribute *attribute, hid_t mem_type, const void *buf, const vz_reference_maker *maker,
                        vz_error *err);

/* -- Attribute name --
 * The key in .zattrs of an attribute's name.
 *
 * Nearly always it is the name itself. A name that JSON cannot hold, or that a convention uses,
 * gets an escaped key. The annotation's "an" maps that key to the name's bytes, in base64. */
/* The key of an attribute of that name; NULL: there can be none. Valid until names change. */
const char *vz_attribute_key(const vz_node *node, const char *name);

/* The name of a key: the key itself, or text that is valid until the next call. */
const char *vz_attribute_name_of(const vz_node *node, const char *key);

/* Has the node escaped keys? Then the order of keys is not that of names. */
bool vz_attribute_keys_are_escaped(const vz_node *node);

#endif
