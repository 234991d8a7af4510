/* copy_internal.h - state of one H5Ocopy, and the steps of the copy. */
#ifndef VZ_COPY_COPY_INTERNAL_H
#define VZ_COPY_COPY_INTERNAL_H

#include "hdf5/copy/copy.h"

typedef struct vz_objcopy {
    unsigned flags; /* H5O_COPY_... */
    hid_t ocpypl;
    hid_t to; /* a group of the file copied to; borrowed */
    bool same_file;
    vz_strmap *copied;               /* objects that may be met again and were copied: token -> id
                                      * of the copy */
    struct vz_copy_pending *pending; /* references to be written when all is named
                                      * (copy_references.c) */
    size_t pending_count, pending_capacity;
    struct vz_convert_copy_type *types; /* copied for what was made with them (copy_types.c) */
    size_t type_count, type_capacity;
    unsigned depth;
    unsigned expanding; /* references within references */
    vz_error *err;
} vz_objcopy;

/* Where the copy of a member goes. */
typedef struct vz_copy_target {
    hid_t group;
    const char *name;
    hid_t lcpl;
} vz_copy_target;

/* An object and what is below it: the id of the copy, its own or one more reference to it. The
 * first has no name. */
hid_t vz_copy_whole(vz_objcopy *copy, hid_t from);
hid_t vz_copy_to(vz_objcopy *copy, hid_t from, const vz_copy_target *place);

/* The copy of a met object, borrowed; 0: there is none. False on failure. */
bool vz_copy_known(vz_objcopy *copy, hid_t from, hid_t *known);

/* A new id, anonymous: an object like it that has no elements and attributes yet, unless both
 * sides are nodes ... */
hid_t vz_copy_node(vz_objcopy *copy, hid_t from, H5I_type_t type);

/* ... and these. */
bool vz_copy_contents(vz_objcopy *copy, hid_t from, hid_t to, H5I_type_t type);

/* The type with which a copy is created of an object that was made with `given`. It is a new id of
 * the copy of a committed type, or of a transient type. */
hid_t vz_copy_type_of(vz_objcopy *copy, hid_t given);

/* When all is named: objects may have been made with a type that is not among what was copied.
 * Within a store they go on using that type, as a type without a name does not outlast the
 * store's close. */
bool vz_copy_keep_original_types(vz_objcopy *copy);
void vz_copy_drop_types(vz_objcopy *copy);

/* A committed type of the file copied to that takes the place of a copy of `from`: a new id, -1:
 * none. */
bool vz_copy_merged_type(vz_objcopy *copy, hid_t from, hid_t *merged);

/* The notes of a copied node name the copies of the types that it was made with. */
bool vz_copy_retarget_types(vz_objcopy *copy, const vz_handle *from, vz_node *made);

/* The members of a group, each with what is below it. */
bool vz_copy_members(vz_objcopy *copy, hid_t from, hid_t to);

/* Elements of a dataset, and attributes, through memory. */
bool vz_objcopy_elements(vz_objcopy *copy, hid_t from, hid_t to, hid_t type, hid_t space, hid_t dcpl);
bool vz_objcopy_attributes(vz_objcopy *copy, hid_t from, hid_t to, hid_t from_ocpl);
bool vz_copy_attribute_value(vz_objcopy *copy, hid_t from, hid_t to, hid_t type, hid_t space);

/* References in elements that go to another file lead nowhere there, and become null. */
bool vz_copy_null_references(hid_t type, void *elements, size_t count, vz_error *err);

/* A dataset of references (attribute: NULL), or an attribute of an object. When they are to be
 * expanded, what they lead to is copied, and they are noted; until then, and without the flag,
 * they are null. */
bool vz_copy_expand(vz_objcopy *copy, hid_t from, hid_t to, const char *attribute);

/* The references of a group's attributes are expanded when its members have their copies: those
 * noted from `first` on, before `end`. */
bool vz_copy_expand_pending(vz_objcopy *copy, size_t first, size_t end);

/* Writes those noted. */
bool vz_copy_write_expanded(vz_objcopy *copy);
void vz_copy_drop_pending(vz_objcopy *copy);

/* Frees what variable-length elements hold. */
void vz_copy_reclaim(hid_t type, hid_t space, void *elements);

static inline bool vz_copy_hdf5(vz_objcopy *copy, bool ok)
{
    return ok || vz_fail(copy->err, VZ_HDF5, "an HDF5 call failed");
}

#endif
