/* attributes_internal.h - attributes.h for this module alone: entries, inferred types, decoded
 * values. */
#ifndef VZ_ATTRIBUTES_ATTRIBUTES_INTERNAL_H
#define VZ_ATTRIBUTES_ATTRIBUTES_INTERNAL_H

#include "base/util/json.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/h5/h5.h"
#include "hdf5/types/types.h"
#include "hierarchy/nodes/node.h"
#include "metadata/metadata/metadata.h"

/* The key for a new attribute of that name, on the heap. An escaped key is entered in the
 * annotation. */
char *vz_attribute_key_new(vz_node *node, const char *name, vz_error *err);

/* Removes a key's entry after its attribute was deleted. */
bool vz_attribute_key_forget(vz_node *node, const char *key, vz_error *err);

/* -- Attribute entry --
 * The entry of an attribute in the annotation ("a"). `key` is the attribute's name in JSON
 * (attributes.h). */
/* The key of an attribute of that name; NULL with VZ_NOT_FOUND. */
const char *vz_attribute_find_key(const vz_node *node, const char *name, vz_error *err);
/* The entry; NULL if there is none. */
const vz_json *vz_attribute_entry(const vz_node *node, const char *key);
/* Sets the entry and takes it; NULL removes the present one. */
bool vz_attribute_set_entry(vz_node *node, const char *key, vz_json *take, vz_error *err);
/* The value to read in place of one that stands for a reference, new; NULL: the value itself. */
vz_json *vz_attribute_meaning(const vz_node *node, const char *key, const vz_json *json);

/* -- Infer type --
 * The HDF5 type and shape that a JSON value has by itself. */
typedef struct vz_inferred {
    enum {
        VZ_INFER_NULL,  /* null: H5S_NULL of float32 */
        VZ_INFER_EMPTY, /* lists without any value: float64, as h5py has it */
        VZ_INFER_BOOL,
        VZ_INFER_INT,
        VZ_INFER_UINT, /* beyond int64 */
        VZ_INFER_FLOAT,
        VZ_INFER_TEXT,
        VZ_INFER_REFERENCE, /* {"zarr_dtype": "object", "value": ...}: references, shaped as the
                             * lists in "value" */
        VZ_INFER_JSON,      /* objects, ragged or mixed lists, integers of more than 64 bits, text
                             * with a NUL: their JSON text as one string */
    } kind;
    unsigned rank;
    hsize_t dims[VZ_MAX_RANK];
} vz_inferred;

vz_inferred vz_infer(const vz_json *value);
/* The type for it: a new id. */
hid_t vz_inferred_type(const vz_inferred *inferred, vz_error *err);

/* Is `value` lists in lists of exactly these dimensions (rank 0: anything)? */
bool vz_attribute_json_has_dims(const vz_json *value, unsigned rank, const hsize_t *dims);

/* -- Common types --
 * The types of nearly all attributes. Nothing is made, read or closed for a value of one of
 * them. */
typedef enum vz_common {
    VZ_NOT_COMMON,
    VZ_COMMON_INT,   /* H5T_STD_I64LE */
    VZ_COMMON_FLOAT, /* H5T_IEEE_F64LE */
    VZ_COMMON_TEXT,  /* variable, UTF-8, ended by a NUL */
    VZ_COMMON_BOOL,  /* h5py's; found by a value only */
} vz_common;

vz_common vz_common_of_type(hid_t type);
/* The common type of a value without an entry. */
vz_common vz_common_of_value(const vz_inferred *inferred);
/* HDF5 type and tree of a common type; borrowed. The type is H5I_INVALID_HID with err set if it
 * cannot be made. */
hid_t vz_common_type(vz_common common, vz_error *err);
const vz_type_tree *vz_common_layout(vz_common common);

/* -- Hidden attributes --
 * Attributes that HDF5 must not see: the annotation, zarr_dtype, zarr_link ... */
bool vz_attribute_is_hidden(const vz_node *node, const char *name);
/* The next hidden name that the node has, from *cursor = 0 on; NULL at the end. */
const char *vz_attribute_next_hidden(const vz_node *node, size_t *cursor);

/* -- Read value --
 * An attribute's value between JSON and HDF5: type, shape, and elements in memory form.
 *
 * The JSON value is the truth. If it does not give type, shape and bytes back, the annotation
 * has an entry, "a": {name: {"t": type, "s": shape, "b": bytes}}. An entry that does not fit the
 * JSON value (another program changed it) is ignored. */
typedef struct vz_attribute_value {
    vz_common common;           /* then type and layout are borrowed */
    hid_t type;                 /* else owned */
    const vz_type_tree *layout; /* of the elements */
    vz_type_tree *own_layout;   /* that one, or NULL */
    bool null;                  /* H5S_NULL */
    bool text_of_json;          /* the JSON value is no string, but shown as its text */
    bool has_tokens;            /* references in the elements are as a program has them, not text
                                 * (attributes_internal.h) */
    unsigned rank;
    hsize_t dims[VZ_MAX_RANK], max[VZ_MAX_RANK];
    size_t count;   /* elements */
    uint8_t *bytes; /* the elements; their text and sequences lie in the arena */
    vz_arena arena;
    uint64_t facts;       /* vz_hierarchy_facts when it was read, set by who keeps it */
    const vz_json *known; /* a list; its first items are the JSON of the first elements. Borrowed */
    size_t known_count;   /* so many; 0: `known` is not looked at */
} vz_attribute_value;

/* A value of that type and space, all zeros. */
bool vz_attribute_value_init(vz_attribute_value *value, hid_t type, hid_t space, vz_error *err);
/* Decodes a JSON value with its entry (NULL: none). */
bool vz_attribute_value_read(vz_attribute_value *value, const vz_json *json, const vz_json *entry, vz_error *err);
/* The JSON value for `bytes` (in the form of value->bytes) and its entry, NULL if none is
 * needed. */
bool vz_attribute_value_write(const vz_attribute_value *value, const uint8_t *bytes, vz_json **json, vz_json **entry,
                              vz_error *err);
void vz_attribute_value_clear(vz_attribute_value *value);
/* *size: bytes of the elements of a value without an entry. False if only decoding finds it. */
bool vz_attribute_value_known_size(const vz_json *json, size_t *size);

/* -- Pending references --
 * Values whose references are not JSON yet (vz_node_defer_attribute). A list of references stays
 * as the program wrote it until its text is needed. */
/* May elements in the program's own form (hobj_ref_t) be deferred? All their targets must have a
 * name in this store. Then making the text later cannot fail for a reason that would be reported at
 * once. */
bool vz_attribute_value_may_defer(const vz_node *node, const vz_attribute_value *value, const uint8_t *elements);
/* A copy of the value with these elements; NULL with err set. */
vz_attribute_value *vz_attribute_value_copy(const vz_attribute_value *value, const uint8_t *elements, vz_error *err);
/* A copy of a value with tokens, which is to become JSON: its references are text. The first
 * elements stay as they are where JSON made before still says what they say (vz_node_rendered). */
vz_attribute_value *vz_attribute_value_spell(const vz_node *node, const char *name, const vz_attribute_value *value,
                                             vz_error *err);
/* The value with tokens that the attribute's JSON was made of, if that still is what would be made
 * of them; borrowed. NULL: it is to be decoded. */
const vz_attribute_value *vz_attribute_value_rendered(const vz_node *node, const char *name);
/* Replaces tokens in the elements by text. */
bool vz_attribute_value_print_references(vz_attribute_value *value, vz_hierarchy *hierarchy, vz_error *err);

/* -- Shown type --
 * The decoded value that an attribute keeps. */
/* Lends the value, decoded if it is not known or something changed since. The caller gives it
 * back: meanwhile HDF5 may call functions of the user, who may use this attribute. NULL with err
 * set, also VZ_NOT_FOUND. */
vz_attribute_value *vz_attribute_lend(vz_attribute *attribute, vz_error *err);
/* Sets the elements, in the form of value->bytes. */
bool vz_attribute_store(vz_attribute *attribute, const vz_attribute_value *value, const uint8_t *bytes, vz_error *err);
/* Sets elements in the program's form, whose text may be deferred. */
bool vz_attribute_defer(vz_attribute *attribute, const vz_attribute_value *value, const uint8_t *elements,
                        vz_error *err);

/* -- Stored form --
 * Elements with references in the form for a memory type (vz_reference_form). The elements are
 * unchanged, but references have another size. */
typedef struct vz_attribute_form {
    hid_t type; /* owned */
    vz_type_tree *layout;
    uint8_t *bytes; /* the value's elements, in which references are text; text and sequences lie in
                     * the arena */
    vz_arena arena;
} vz_attribute_form;

bool vz_attribute_form_init(vz_attribute_form *form, const vz_attribute_value *value, hid_t mem_type, vz_error *err);
/* Elements of the form, whose references are text, as elements of the value's type. They live as
 * long as the form. */
uint8_t *vz_attribute_form_undo(vz_attribute_form *form, const vz_attribute_value *value, const uint8_t *elements,
                                vz_error *err);
void vz_attribute_form_clear(vz_attribute_form *form);

#endif
