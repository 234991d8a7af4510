/* read_value.h - an attribute's value between JSON and HDF5: its type, its shape and its elements in memory form.
 * Private to this room.
 *
 * The JSON value is the truth. Where it does not by itself give the type, shape and bytes back that HDF5 wrote, the
 * annotation has an entry for it, "a": {name: {"t": type, "s": shape, "b": bytes}}. An entry that does not fit the JSON
 * value (another program changed it) counts for nothing. */
#ifndef VZ_ATTRIBUTES_READ_VALUE_H
#define VZ_ATTRIBUTES_READ_VALUE_H

#include "hdf5/h5/h5.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/attributes/common_types.h"
#include "hdf5/types/type_tree.h"

typedef struct vz_value {
    vz_usual usual;          /* then type and layout are borrowed */
    hid_t type;              /* else owned */
    const vz_type_tree *layout; /* of the elements */
    vz_type_tree *own_layout;   /* that one, or NULL */
    bool null;               /* H5S_NULL */
    bool text_of_json;       /* the JSON value is no string, but shown as its text */
    bool has_tokens;         /* references in the elements are as a program has them, not text (pending_references.h) */
    unsigned rank;
    hsize_t dims[VZ_MAX_RANK], max[VZ_MAX_RANK];
    size_t count;   /* elements */
    uint8_t *bytes; /* the elements; their text and sequences lie in the arena */
    vz_arena arena;
    uint64_t changes; /* vz_hierarchy_changes when it was read, set by who keeps it */
} vz_value;

/* A value of that type and space, all zeros. */
bool vz_value_init(vz_value *value, hid_t type, hid_t space, vz_error *err);
/* What HDF5 sees of a JSON value with its entry (NULL: none). */
bool vz_value_read(vz_value *value, const vz_json *json, const vz_json *entry, vz_error *err);
/* The JSON value for `bytes` (in the form of value->bytes) and its entry, NULL if none is needed. */
bool vz_value_write(const vz_value *value, const uint8_t *bytes, vz_json **json, vz_json **entry, vz_error *err);
void vz_value_clear(vz_value *value);
/* Bytes of the elements of a value without an entry, where the JSON value tells it without being decoded; else false.
 */
bool vz_value_size_told(const vz_json *json, size_t *size);

#endif
