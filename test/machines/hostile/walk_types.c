/* walk_types.c - types, and elements in memory. */
#include "walk.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void walk_members(hid_t type, unsigned depth)
{
    const int count = H5Tget_nmembers(type);
    for (int i = 0; i < count && i < WALK_LINKS_MAX; i++) {
        char *name = H5Tget_member_name(type, (unsigned)i);
        if (name)
            H5Tget_member_index(type, name);
        H5free_memory(name);
        if (H5Tget_class(type) != H5T_COMPOUND)
            continue;
        const hid_t member = H5Tget_member_type(type, (unsigned)i);
        if (member >= 0) {
            walk_type(member, depth + 1);
            H5Tclose(member);
        }
    }
}

static void walk_copies(hid_t type)
{
    size_t size = 0;
    const hid_t native = H5Tget_native_type(type, H5T_DIR_DEFAULT), copy = H5Tcopy(type);
    if (copy >= 0)
        H5Tequal(type, copy);
    if (H5Tencode(type, NULL, &size) >= 0 && size <= WALK_READ_MAX) {
        void *bytes = malloc(size + 1);
        if (bytes && H5Tencode(type, bytes, &size) >= 0)
            H5Tclose(H5Tdecode(bytes));
        free(bytes);
    }
    H5Tclose(native);
    H5Tclose(copy);
}

void walk_type(hid_t type, unsigned depth)
{
    if (depth > WALK_DEPTH_MAX)
        return;
    const H5T_class_t class = H5Tget_class(type);
    hsize_t dims[H5S_MAX_RANK];
    H5Tget_size(type);
    H5Tis_variable_str(type);
    if (class == H5T_COMPOUND || class == H5T_ENUM)
        walk_members(type, depth);
    if (class == H5T_ARRAY && H5Tget_array_ndims(type) >= 0)
        H5Tget_array_dims2(type, dims);
    if (class == H5T_OPAQUE)
        H5free_memory(H5Tget_tag(type));
    const hid_t super =
        class == H5T_ARRAY || class == H5T_VLEN || class == H5T_ENUM ? H5Tget_super(type) : H5I_INVALID_HID;
    if (super >= 0) {
        walk_type(super, depth + 1);
        H5Tclose(super);
    }
    if (depth == 0)
        walk_copies(type);
}

/* A reference leads to an object, which is looked at like any other. */
static void follow(hid_t object, unsigned depth)
{
    if (object >= 0) {
        walk_object(object, false, depth + 1);
        H5Oclose(object);
    }
}

static void follow_new(H5R_ref_t *reference, unsigned depth)
{
    char name[256];
    H5O_type_t kind;
    H5Rget_type(reference);
    H5Rget_obj_name(reference, H5P_DEFAULT, name, sizeof name);
    H5Rget_file_name(reference, name, sizeof name);
    H5Rget_obj_type3(reference, H5P_DEFAULT, &kind);
    follow(H5Ropen_object(reference, H5P_DEFAULT, H5P_DEFAULT), depth);
    const hid_t region = H5Ropen_region(reference, H5P_DEFAULT, H5P_DEFAULT);
    if (region >= 0) {
        H5Sget_select_npoints(region);
        H5Sclose(region);
    }
    const hid_t attribute = H5Ropen_attr(reference, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0)
        H5Aclose(attribute);
}

static void follow_old(hid_t file, H5R_type_t type, void *reference, unsigned depth)
{
    char name[256];
    H5O_type_t kind;
    H5Rget_obj_type2(file, type, reference, &kind);
    H5Rget_name(file, type, reference, name, sizeof name);
    follow(H5Rdereference2(file, H5P_DEFAULT, type, reference), depth);
    const hid_t region = type == H5R_DATASET_REGION ? H5Rget_region(file, type, reference) : H5I_INVALID_HID;
    if (region >= 0) {
        H5Sget_select_npoints(region);
        H5Sclose(region);
    }
}

static void walk_element(hid_t file, hid_t type, uint8_t *element, unsigned depth);

static void walk_row(hid_t file, hid_t type, uint8_t *elements, size_t count, unsigned depth)
{
    const size_t size = H5Tget_size(type);
    for (size_t i = 0; i < count && i < WALK_ELEMENTS_MAX; i++)
        walk_element(file, type, elements + i * size, depth);
}

static void walk_fields(hid_t file, hid_t type, uint8_t *element, unsigned depth)
{
    const int count = H5Tget_nmembers(type);
    for (int i = 0; i < count && i < WALK_ELEMENTS_MAX; i++) {
        const hid_t member = H5Tget_member_type(type, (unsigned)i);
        walk_element(file, member, element + H5Tget_member_offset(type, (unsigned)i), depth + 1);
        H5Tclose(member);
    }
}

static size_t array_count(hid_t type)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Tget_array_dims2(type, dims);
    hsize_t count = 1;
    for (int i = 0; i < rank; i++)
        count *= dims[i];
    return (size_t)count;
}

static void walk_sequence(hid_t file, hid_t type, uint8_t *element, unsigned depth)
{
    const hid_t super = H5Tget_super(type);
    if (H5Tget_class(type) == H5T_ARRAY) {
        walk_row(file, super, element, array_count(type), depth + 1);
    } else {
        hvl_t sequence;
        memcpy(&sequence, element, sizeof sequence);
        walk_row(file, super, sequence.p, sequence.len, depth + 1);
    }
    H5Tclose(super);
}

static void walk_reference(hid_t file, hid_t type, uint8_t *element, unsigned depth)
{
    if (H5Tequal(type, H5T_STD_REF) > 0)
        follow_new((H5R_ref_t *)(void *)element, depth);
    else
        follow_old(file, H5Tequal(type, H5T_STD_REF_OBJ) > 0 ? H5R_OBJECT : H5R_DATASET_REGION, element, depth);
}

static void walk_element(hid_t file, hid_t type, uint8_t *element, unsigned depth)
{
    if (depth > WALK_DEPTH_MAX)
        return;
    switch (H5Tget_class(type)) {
    case H5T_COMPOUND:
        walk_fields(file, type, element, depth);
        break;
    case H5T_ARRAY:
    case H5T_VLEN:
        walk_sequence(file, type, element, depth);
        break;
    case H5T_REFERENCE:
        walk_reference(file, type, element, depth);
        break;
    case H5T_STRING:
        if (H5Tis_variable_str(type) > 0) {
            char *text;
            memcpy(&text, element, sizeof text);
            if (text && strlen(text) == SIZE_MAX) /* read to its end */
                abort();
        }
        break;
    default:
        break;
    }
}

void walk_elements(hid_t file, hid_t type, hid_t space, size_t count, void *elements, unsigned depth)
{
    walk_row(file, type, elements, count, depth);
    H5Treclaim(type, space, H5P_DEFAULT, elements);
}
