/* element_type.h - what an element of an HDF5 type consists of, worked out once for a type: what the walks over elements in
 * memory (references, comparison, sizes) go by. */
#ifndef VZ_CONVERT_ELEMENT_TYPE_H
#define VZ_CONVERT_ELEMENT_TYPE_H

#include "hdf5/h5/h5.h"
#include "base/util/error.h"
#include <stdint.h>

typedef enum vz_element_kind {
    VZ_ELEMENT_BYTES, /* integers, enumerations, text of fixed size, opaque: equal when their bytes are */
    VZ_ELEMENT_FLOAT,
    VZ_ELEMENT_TEXT,      /* char *: variable text */
    VZ_ELEMENT_SEQUENCE,  /* hvl_t */
    VZ_ELEMENT_OBJECT,    /* hobj_ref_t */
    VZ_ELEMENT_REGION,    /* hdset_reg_ref_t */
    VZ_ELEMENT_REFERENCE, /* H5R_ref_t */
    VZ_ELEMENT_ARRAY,     /* of members[0]; two floats of a complex number, too */
    VZ_ELEMENT_COMPOUND,
} vz_element_kind;

typedef struct vz_element vz_element;

typedef struct vz_element_member {
    vz_element *element;
    size_t offset;
} vz_element_member;

struct vz_element {
    vz_element_kind kind;
    size_t size;        /* bytes in memory */
    bool has_reference; /* here or below */
    bool has_variable;  /* memory of its own: here or below */
    hid_t type;         /* FLOAT: its own; else H5I_INVALID_HID */
    size_t count;       /* ARRAY: elements; COMPOUND: members; SEQUENCE: 1 */
    vz_element_member *members;
};

/* Of a type as H5Dget_type gives it. NULL with err set. */
vz_element *vz_element_of(hid_t type, vz_error *err);
void vz_element_free(vz_element *element); /* NULL is fine */

/* Bytes that `count` elements take beyond their own: text and sequences. */
uint64_t vz_element_variable_size(const vz_element *element, const void *elements, size_t count);

/* Are all elements equal? NaN equals NaN, text that is not there equals empty text, what lies between members does not
 * count. References are equal if `same_reference` says so. *differs: the first that is not. False only if err is set.
 */
typedef bool (*vz_element_same)(void *context, const vz_element *element, const void *a, const void *b, bool *same,
                                vz_error *err);
bool vz_element_compare(const vz_element *element, const void *a, const void *b, size_t count,
                        vz_element_same same_reference, void *context, bool *same, size_t *differs, vz_error *err);

/* Calls `visit` for each reference in the elements, which may change it in place. */
typedef bool (*vz_element_visit)(void *context, const vz_element *element, void *reference, vz_error *err);
bool vz_element_each_reference(const vz_element *element, void *elements, size_t count, vz_element_visit visit,
                               void *context, vz_error *err);

#endif
