/* element_type.c - HDF5 types taken apart. */
#include "command/convert/copy_internal.h"
#include "base/util/c_library.h"
#include "command/convert/convert_internal.h"
#include "hdf5/types/types.h"
#include <stdlib.h>

typedef struct parent {
    vz_convert_element *element;
    size_t room; /* for members */
} parent;

static vz_convert_element *element_at(hid_t type, unsigned depth, vz_error *err);

static bool add_member(void *context, const vz_type_part *part, vz_error *err)
{
    parent *p = context;
    vz_convert_element *element = p->element, *below = element_at(part->type, part->depth, err);
    if (!below)
        return false;
    if (element->count == p->room) {
        const size_t room = p->room ? 2 * p->room : 1;
        vz_convert_element_member *members = vz_realloc_items(element->members, room, sizeof *members);
        if (!members) {
            vz_convert_element_free(below);
            return vz_fail_memory(err);
        }
        element->members = members;
        p->room = room;
    }
    element->members[element->count++] = (vz_convert_element_member){below, part->offset};
    element->has_reference = element->has_reference || below->has_reference;
    element->has_variable = element->has_variable || below->has_variable;
    return true;
}

static bool take_parts(vz_convert_element *element, vz_convert_element_kind kind, hid_t type, unsigned depth,
                       vz_error *err)
{
    parent p = {.element = element};
    element->kind = kind;
    element->has_variable = kind == VZ_ELEMENT_SEQUENCE;
    return vz_type_parts(type, depth, add_member, &p, err);
}

/* Its count is that of its elements, not of its parts, of which it has one. */
static bool take_array(vz_convert_element *element, hid_t type, unsigned depth, vz_error *err)
{
    if (!take_parts(element, VZ_ELEMENT_ARRAY, type, depth, err))
        return false;
    element->count = element->size / element->members[0].element->size;
    return true;
}

static bool take_reference(vz_convert_element *element, hid_t type)
{
    element->has_reference = true;
    element->kind = H5Tequal(type, H5T_STD_REF_OBJ) > 0       ? VZ_ELEMENT_OBJECT
                    : H5Tequal(type, H5T_STD_REF_DSETREG) > 0 ? VZ_ELEMENT_REGION
                                                              : VZ_ELEMENT_REFERENCE;
    element->has_variable = element->kind == VZ_ELEMENT_REFERENCE;
    return true;
}

static bool take_float(vz_convert_element *element, hid_t type, vz_error *err)
{
    element->kind = VZ_ELEMENT_FLOAT;
    element->type = H5Tcopy(type);
    return element->type >= 0 || vz_convert_h5_fail(err, "the type cannot be copied");
}

static bool take_apart(vz_convert_element *element, hid_t type, unsigned depth, vz_error *err)
{
    const int class = (int)H5Tget_class(type);
    element->size = H5Tget_size(type);
    if (class < 0 || element->size == 0)
        return vz_convert_h5_fail(err, "a type that cannot be understood");
    switch (class) {
    case H5T_COMPOUND:
        return take_parts(element, VZ_ELEMENT_COMPOUND, type, depth, err);
    case H5T_ARRAY:
    case VZ_H5T_COMPLEX:
        return take_array(element, type, depth, err);
    case H5T_VLEN:
        return take_parts(element, VZ_ELEMENT_SEQUENCE, type, depth, err);
    case H5T_REFERENCE:
        return take_reference(element, type);
    case H5T_FLOAT:
        return take_float(element, type, err);
    case H5T_STRING:
        element->has_variable = H5Tis_variable_str(type) > 0;
        element->kind = element->has_variable ? VZ_ELEMENT_TEXT : VZ_ELEMENT_BYTES;
        return true;
    default:
        element->kind = VZ_ELEMENT_BYTES;
        return true;
    }
}

static vz_convert_element *element_at(hid_t type, unsigned depth, vz_error *err)
{
    vz_convert_element *element = calloc(1, sizeof *element);
    if (!element) {
        vz_fail_memory(err);
        return NULL;
    }
    element->type = H5I_INVALID_HID;
    if (take_apart(element, type, depth, err))
        return element;
    vz_convert_element_free(element);
    return NULL;
}

vz_convert_element *vz_convert_element_of(hid_t type, vz_error *err)
{
    return element_at(type, 0, err);
}

void vz_convert_element_free(vz_convert_element *element)
{
    if (!element)
        return;
    const size_t members = element->kind == VZ_ELEMENT_ARRAY && element->members ? 1 : element->count;
    for (size_t i = 0; i < members; i++)
        vz_convert_element_free(element->members[i].element);
    free(element->members);
    vz_convert_id_close(element->type);
    free(element);
}

bool vz_convert_is_flat(hid_t type)
{
    vz_convert_element *element = vz_convert_element_of(type, NULL);
    const bool is = element && !element->has_variable && !element->has_reference;
    vz_convert_element_free(element);
    return is;
}
