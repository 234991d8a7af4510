/* type_map.c - shows and converts whole types; type_rule_table.c has the rules. */
#include "hdf5/types/types_internal.h"
#include "hdf5/types/types.h"
#include "hdf5/types/elements_internal.h"
#include <stdlib.h>

/* ---- showing ---- */

/* Can elements of the dtype be shown as this type? */
static bool fits(const vz_dtype *dtype, hid_t type)
{
    vz_type_tree *layout = vz_type_tree_new(type, NULL);
    const bool whole = layout && (layout->class != H5T_ARRAY || vz_steps_hold_whole_array(dtype, layout));
    vz_steps *steps = whole ? vz_steps_new(dtype, layout, NULL) : NULL;
    vz_steps_free(steps);
    vz_type_tree_free(layout);
    return steps != NULL;
}

hid_t vz_type_strip_dims(hid_t type, unsigned *axes, uint64_t axis[VZ_MAX_RANK], vz_error *err)
{
    hid_t element = H5Tcopy(type);
    *axes = 0;
    while (element >= 0 && H5Tget_class(element) == H5T_ARRAY) {
        hsize_t dims[H5S_MAX_RANK];
        const int rank = H5Tget_array_dims2(element, dims);
        hid_t base = H5Tget_super(element);
        H5Tclose(element);
        element = base;
        if (rank < 0 || (unsigned)rank > VZ_MAX_RANK - *axes) {
            vz_fail(err, VZ_LIMIT, "an array datatype of more than %d dimensions", VZ_MAX_RANK);
            if (base >= 0)
                H5Tclose(base);
            return H5I_INVALID_HID;
        }
        for (int d = 0; d < rank; d++)
            axis[(*axes)++] = dims[d];
    }
    if (element < 0)
        vz_type_refused(err, "copy a datatype");
    return element;
}

static bool covers_axes(unsigned rank, const uint64_t *shape, unsigned axes, const uint64_t *axis)
{
    if (axes == 0 || axes > rank)
        return false;
    return memcmp(shape + rank - axes, axis, axes * sizeof *axis) == 0;
}

vz_dtype *vz_type_row(const vz_dtype *dtype, const vz_type_tree *compound, vz_error *err)
{
    vz_dtype *row = vz_dtype_new(VZ_DTYPE_STRUCT, 0, false, err);
    for (size_t i = 0; row && i < compound->count; i++)
        if (!vz_dtype_add_field(row, compound->members[i].name, vz_dtype_copy(dtype, err), 0, NULL, err)) {
            vz_dtype_free(row);
            return NULL;
        }
    return row;
}

vz_dtype *vz_type_repeated_row(const vz_dtype *record, uint64_t count, vz_error *err)
{
    vz_dtype *row = vz_dtype_new(VZ_DTYPE_STRUCT, 0, false, err);
    if (row && vz_dtype_add_field(row, VZ_REPEATED_FIELD, vz_dtype_copy(record, err), 1, &count, err))
        return row;
    vz_dtype_free(row);
    return NULL;
}

/* Do rows of the compound lie along the last of the dimensions, of which at least one more is
 * the dataset's? */
static vz_dtype *row_along(const vz_dtype *dtype, hid_t compound, unsigned rank, const uint64_t *shape)
{
    if (dtype->kind != VZ_DTYPE_OBJECT || dtype->item || rank < 2 || H5Tget_class(compound) != H5T_COMPOUND)
        return NULL;
    vz_type_tree *layout = vz_type_tree_new(compound, NULL);
    vz_dtype *row = layout && shape[rank - 1] == layout->count ? vz_type_row(dtype, layout, NULL) : NULL;
    vz_type_tree_free(layout);
    if (row && fits(row, compound))
        return row;
    vz_dtype_free(row);
    return NULL;
}

/* Can the array's elements be shown as the type that is annotated, with so many of its last
 * dimensions as the type's? */
static bool show_as(const vz_dtype *dtype, hid_t annotated, unsigned rank, const uint64_t *shape, unsigned *axes,
                    vz_dtype **row)
{
    uint64_t axis[VZ_MAX_RANK];
    const hid_t element = vz_type_strip_dims(annotated, axes, axis, NULL);
    bool ok = false;
    if (element >= 0 && rank > *axes + 1 && (*axes == 0 || covers_axes(rank - 1, shape, *axes, axis)))
        *row = row_along(dtype, element, rank, shape);
    if (*row) {
        ok = true;
        ++*axes;
    } else if (element >= 0)
        ok = covers_axes(rank, shape, *axes, axis) && fits(dtype, element);
    if (element >= 0)
        H5Tclose(element);
    if (ok)
        return true;
    *axes = 0;
    return fits(dtype, annotated);
}

hid_t vz_type_show_axes(const vz_dtype *dtype, hid_t annotated, unsigned rank, const uint64_t *shape, unsigned *axes,
                        vz_dtype **row, vz_error *err)
{
    *axes = 0;
    *row = NULL;
    if (annotated >= 0 && show_as(dtype, annotated, rank, shape, axes, row))
        return annotated;
    if (annotated >= 0)
        H5Tclose(annotated);
    return vz_type_to_hdf5(dtype, err);
}

/* ---- annotations ---- */

static bool is_default(const vz_dtype *dtype, hid_t shown, bool *same, vz_error *err)
{
    vz_number_format stored, annotated;
    if (vz_standard_of_dtype(dtype, &stored)) { /* what is shown unasked is one of HDF5's own */
        *same = vz_standard_number(shown, &annotated) ? vz_number_equal(stored, annotated)
                                                      : H5Tequal(vz_standard_type(stored), shown) > 0;
        if (*same)
            return true;
    }
    hid_t plain = vz_type_to_hdf5(dtype, err);
    if (plain < 0)
        return false;
    const H5T_class_t class = H5Tget_class(shown);
    *same = (class == H5T_INTEGER || class == H5T_FLOAT) && H5Tequal(plain, shown) > 0;
    bool ok = true;
    if (!*same) { /* HDF5 calls compounds equal whose members come in another order, and variable
                   * strings of any charset */
        vz_json *a = vz_short_form_print(plain, err), *b = a ? vz_short_form_print(shown, err) : NULL;
        ok = b != NULL;
        *same = ok && vz_json_equal(a, b);
        vz_json_free(a);
        vz_json_free(b);
    }
    H5Tclose(plain);
    return ok;
}

bool vz_type_annotation(const vz_dtype *dtype, hid_t shown, vz_json **annotation, vz_error *err)
{
    bool same;
    *annotation = NULL;
    if (!is_default(dtype, shown, &same, err))
        return false;
    return same || (*annotation = vz_short_form_print(shown, err)) != NULL;
}

/* ---- elements ---- */

struct vz_packing {
    vz_type_tree *layout;
    vz_steps *steps;
    uint64_t per; /* elements of the dtype in one of the shown type */
};

/* An array type on top counts as so many elements of its base, unless the dtype holds a whole
 * one. */
static bool find_steps(vz_packing *packing, const vz_dtype *dtype, hid_t shown, vz_error *err)
{
    const vz_type_tree *element = packing->layout = vz_type_tree_new(shown, err);
    packing->per = 1;
    if (!element)
        return false;
    for (; element->class == H5T_ARRAY && !vz_steps_hold_whole_array(dtype, element); element = element->base)
        if (!vz_mul(packing->per, element->count, &packing->per))
            return vz_fail(err, VZ_LIMIT, "more elements than memory can hold");
    return (packing->steps = vz_steps_new(dtype, element, err)) != NULL;
}

vz_packing *vz_packing_new(const vz_dtype *dtype, hid_t shown, vz_error *err)
{
    vz_packing *packing = calloc(1, sizeof *packing);
    vz_type_counted.packings++;
    if (!packing)
        vz_fail_memory(err);
    else if (find_steps(packing, dtype, shown, err))
        return packing;
    vz_packing_free(packing);
    return NULL;
}

const vz_type_tree *vz_packing_layout(const vz_packing *packing)
{
    return packing->layout;
}

void vz_packing_free(vz_packing *packing)
{
    if (!packing)
        return;
    vz_steps_free(packing->steps);
    vz_type_tree_free(packing->layout);
    free(packing);
}

static bool count_elements(const vz_packing *packing, size_t count, uint64_t *total, vz_error *err)
{
    return vz_mul(count, packing->per, total) || vz_fail(err, VZ_LIMIT, "more elements than memory can hold");
}

bool vz_packing_unpack(const vz_packing *packing, const void *elements, size_t count, void *out, vz_arena *arena,
                       vz_error *err)
{
    uint64_t total;
    return count_elements(packing, count, &total, err) &&
           vz_steps_unpack(packing->steps, elements, total, out, arena, err);
}

bool vz_packing_pack(const vz_packing *packing, const void *in, size_t count, void *elements, vz_arena *arena,
                     vz_error *err)
{
    uint64_t total;
    return count_elements(packing, count, &total, err) &&
           vz_steps_pack(packing->steps, in, total, elements, arena, err);
}

bool vz_type_same_bytes_as(const vz_dtype *dtype, hid_t shown)
{
    vz_packing *packing = vz_packing_new(dtype, shown, NULL);
    const bool same = packing && vz_steps_is_copy(packing->steps);
    vz_packing_free(packing);
    return same;
}

bool vz_type_number(hid_t type, vz_number_format *number)
{
    if (vz_standard_number(type, number))
        return true;
    const H5T_class_t class = H5Tget_class(type);
    return (class == H5T_INTEGER || class == H5T_FLOAT) &&
           (vz_type_tree_number(type, class, number) || vz_type_narrow_number(type, number));
}

bool vz_type_unpack(const vz_dtype *dtype, hid_t shown, const void *elements, size_t count, void *out, vz_arena *arena,
                    vz_error *err)
{
    vz_packing *packing = vz_packing_new(dtype, shown, err);
    const bool ok = packing && vz_packing_unpack(packing, elements, count, out, arena, err);
    vz_packing_free(packing);
    return ok;
}

bool vz_type_pack(const vz_dtype *dtype, hid_t shown, const void *in, size_t count, void *elements, vz_arena *arena,
                  vz_error *err)
{
    vz_packing *packing = vz_packing_new(dtype, shown, err);
    const bool ok = packing && vz_packing_pack(packing, in, count, elements, arena, err);
    vz_packing_free(packing);
    return ok;
}
