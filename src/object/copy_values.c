/* copy_values.c - elements and attributes through memory, in pieces of bounded size. */
#include "h5/errors.h"
#include "object/copy.h"
#include "util/bytes.h"
#include <stdlib.h>

#define PIECE_BYTES ((hsize_t)16 << 20) /* of a dataset, in memory at once; a larger chunk is a piece of its own */

/* ---- references ---- */

static bool null_members(hid_t type, uint8_t *element, vz_error *err)
{
    const int count = H5Tget_nmembers(type);
    bool ok = count >= 0;
    for (int i = 0; ok && i < count; i++) {
        const hid_t member = H5Tget_member_type(type, (unsigned)i);
        ok = member >= 0 && vz_copy_null_references(member, element + H5Tget_member_offset(type, (unsigned)i), 1, err);
        if (member >= 0)
            H5Tclose(member);
    }
    return ok;
}

static bool null_items(hid_t type, uint8_t *element, vz_error *err)
{
    const bool is_array = H5Tget_class(type) == H5T_ARRAY;
    const hid_t base = H5Tget_super(type);
    if (base < 0)
        return false;
    hvl_t items = {0};
    if (is_array)
        items = (hvl_t){.p = element, .len = H5Tget_size(type) / H5Tget_size(base)};
    else
        memcpy(&items, element, sizeof items);
    const bool ok = vz_copy_null_references(base, items.p, items.len, err);
    H5Tclose(base);
    return ok;
}

/* The second kind of references holds memory of its own. */
static void null_reference(hid_t type, uint8_t *element)
{
    if (H5Tequal(type, H5T_STD_REF) > 0)
        H5Rdestroy((H5R_ref_t *)element);
    memset(element, 0, H5Tget_size(type));
}

bool vz_copy_null_references(hid_t type, void *elements, size_t count, vz_error *err)
{
    if (H5Tdetect_class(type, H5T_REFERENCE) <= 0)
        return true;
    const size_t size = H5Tget_size(type);
    const H5T_class_t class = H5Tget_class(type);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        uint8_t *element = (uint8_t *)elements + i * size;
        if (class == H5T_REFERENCE)
            null_reference(type, element);
        else
            ok = class == H5T_COMPOUND ? null_members(type, element, err) : null_items(type, element, err);
    }
    return ok || vz_fail(err, VZ_HDF5, "an HDF5 call failed");
}

void vz_copy_reclaim(hid_t type, hid_t space, void *elements)
{
    if (H5Tdetect_class(type, H5T_VLEN) <= 0 && H5Tdetect_class(type, H5T_STRING) <= 0 &&
        H5Tdetect_class(type, H5T_REFERENCE) <= 0)
        return;
    const hid_t records = H5Eget_current_stack();
    H5Treclaim(type, space, H5P_DEFAULT, elements);
    vz_h5_errors_restore(records);
}

/* ---- elements ---- */

typedef struct piece {
    int rank;
    hsize_t dims[H5S_MAX_RANK], size[H5S_MAX_RANK], at[H5S_MAX_RANK];
} piece;

/* As many chunks as fit, the last dimension first; without chunks as many elements. */
static bool piece_plan(piece *p, hid_t space, hid_t dcpl, size_t element)
{
    hsize_t bytes = element;
    *p = (piece){.rank = H5Sget_simple_extent_ndims(space)};
    if (p->rank < 0 || H5Sget_simple_extent_dims(space, p->dims, NULL) < 0)
        return false;
    for (int d = 0; d < p->rank; d++)
        p->size[d] = 1;
    if (p->rank > 0 && H5Pget_layout(dcpl) == H5D_CHUNKED && H5Pget_chunk(dcpl, p->rank, p->size) != p->rank)
        return false;
    for (int d = 0; d < p->rank; d++) {
        p->size[d] = p->size[d] < p->dims[d] ? p->size[d] : p->dims[d];
        bytes *= p->size[d];
    }
    for (int d = p->rank - 1; d >= 0; d--) {
        const hsize_t times = bytes < PIECE_BYTES ? PIECE_BYTES / bytes : 1;
        const hsize_t wanted = times > p->dims[d] / p->size[d] ? p->dims[d] : p->size[d] * times;
        bytes = bytes / p->size[d] * wanted;
        p->size[d] = wanted;
    }
    return true;
}

static bool piece_next(piece *p)
{
    for (int d = p->rank - 1; d >= 0; d--) {
        p->at[d] += p->size[d];
        if (p->at[d] < p->dims[d])
            return true;
        p->at[d] = 0;
    }
    return false;
}

static hid_t piece_select(const piece *p, hid_t space)
{
    hsize_t count[H5S_MAX_RANK];
    for (int d = 0; d < p->rank; d++)
        count[d] = p->size[d] < p->dims[d] - p->at[d] ? p->size[d] : p->dims[d] - p->at[d];
    if (p->rank == 0)
        return H5Screate(H5S_SCALAR);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, p->at, NULL, count, NULL) < 0)
        return H5I_INVALID_HID;
    return H5Screate_simple(p->rank, count, NULL);
}

static bool copy_piece(vz_copy *copy, hid_t from, hid_t to, hid_t type, hid_t space, hid_t memory)
{
    const size_t size = H5Tget_size(type);
    const hssize_t count = H5Sget_simple_extent_npoints(memory);
    if (!vz_copy_hdf5(copy, size > 0 && count >= 0))
        return false;
    void *elements = calloc((size_t)count, size);
    if (!elements)
        return vz_fail_memory(copy->err);
    bool ok = vz_copy_hdf5(copy, H5Dread(from, type, memory, space, H5P_DEFAULT, elements) >= 0);
    if (ok) {
        ok = (copy->same_file || vz_copy_null_references(type, elements, (size_t)count, copy->err)) &&
             vz_copy_hdf5(copy, H5Dwrite(to, type, memory, space, H5P_DEFAULT, elements) >= 0);
        vz_copy_reclaim(type, memory, elements);
    }
    free(elements);
    return ok;
}

bool vz_copy_elements(vz_copy *copy, hid_t from, hid_t to, hid_t type, hid_t space, hid_t dcpl)
{
    piece p;
    if (H5Tget_class(type) == H5T_REFERENCE)
        return vz_copy_expand(copy, from, to, NULL);
    if (H5Sget_simple_extent_type(space) == H5S_NULL || H5Sget_simple_extent_npoints(space) <= 0 ||
        H5Dget_storage_size(from) == 0 || H5Pget_external_count(dcpl) > 0) /* the copy names the same files */
        return true;
    if (!vz_copy_hdf5(copy, piece_plan(&p, space, dcpl, H5Tget_size(type))))
        return false;
    bool ok;
    do {
        const hid_t memory = piece_select(&p, space);
        ok = vz_copy_hdf5(copy, memory >= 0) && copy_piece(copy, from, to, type, space, memory);
        if (memory >= 0)
            vz_h5_close_quietly(memory);
    } while (ok && piece_next(&p));
    return ok;
}

/* ---- attributes ---- */

typedef struct attributes {
    vz_copy *copy;
    hid_t to;
} attributes;

bool vz_copy_attribute_value(vz_copy *copy, hid_t from, hid_t to, hid_t type, hid_t space)
{
    const size_t size = H5Tget_size(type);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count <= 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
        return true;
    void *elements = calloc((size_t)count, size);
    if (!elements)
        return vz_fail_memory(copy->err);
    bool ok = vz_copy_hdf5(copy, H5Aread(from, type, elements) >= 0);
    if (ok) {
        ok = (copy->same_file || vz_copy_null_references(type, elements, (size_t)count, copy->err)) &&
             vz_copy_hdf5(copy, H5Awrite(to, type, elements) >= 0);
        vz_copy_reclaim(type, space, elements);
    }
    free(elements);
    return ok;
}

static bool copy_attribute(vz_copy *copy, hid_t from_object, hid_t from, hid_t to_object, const char *name)
{
    const hid_t given = H5Aget_type(from), space = H5Aget_space(from), acpl = H5Aget_create_plist(from);
    const hid_t type = given < 0 ? given : H5Tcopy(given), made_with = vz_copy_type_of(copy, given);
    const hid_t to = made_with < 0 || space < 0 || acpl < 0
                         ? H5I_INVALID_HID
                         : H5Acreate2(to_object, name, made_with, space, acpl, H5P_DEFAULT);
    const bool refers = type >= 0 && H5Tget_class(type) == H5T_REFERENCE;
    const bool ok = vz_copy_hdf5(copy, to >= 0) && (refers ? vz_copy_expand(copy, from_object, to_object, name)
                                                           : vz_copy_attribute_value(copy, from, to, type, space));
    const hid_t made[] = {to, type, made_with, given, space, acpl};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (made[i] >= 0)
            vz_h5_close_quietly(made[i]);
    return ok;
}

static herr_t visit(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    attributes *a = context;
    (void)info;
    const hid_t from = H5Aopen(object, name, H5P_DEFAULT);
    if (!vz_copy_hdf5(a->copy, from >= 0))
        return -1;
    const bool ok = copy_attribute(a->copy, object, from, a->to, name);
    vz_h5_close_quietly(from);
    return ok ? 0 : -1;
}

bool vz_copy_attributes(vz_copy *copy, hid_t from, hid_t to, hid_t from_ocpl)
{
    unsigned order = 0;
    hsize_t index = 0;
    attributes a = {copy, to};
    if (!vz_copy_hdf5(copy, H5Pget_attr_creation_order(from_ocpl, &order) >= 0))
        return false;
    const bool ok = H5Aiterate2(from, order & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC,
                                &index, visit, &a) >= 0;
    if (!ok && copy->err->class == VZ_OK)
        vz_copy_hdf5(copy, false);
    return ok;
}
