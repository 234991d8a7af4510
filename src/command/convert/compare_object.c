/* compare_object.c - two objects of one path: their kinds, and their attributes. */
#include "command/convert/compare_internal.h"
#include <stdlib.h>
#include <string.h>

typedef struct value {
    hid_t attribute, type, space, memory;
    vz_convert_element *element;
    size_t count;
    void *elements; /* NULL: it has none */
} value;

static bool open_value(vz_comparison *v, value *a, hid_t object, const char *name, vz_error *err)
{
    a->attribute = H5Aopen(object, name, H5P_DEFAULT);
    a->type = a->attribute < 0 ? -1 : H5Aget_type(a->attribute);
    a->space = a->attribute < 0 ? -1 : H5Aget_space(a->attribute);
    a->memory = a->type < 0 ? -1 : H5Tcopy(a->type);
    if (a->memory >= 0)
        a->memory = vz_convert_copy_netcdf_type(v->request, a->memory, err);
    const hssize_t count = a->space < 0 ? -1 : H5Sget_simple_extent_npoints(a->space);
    if (a->memory < 0 || count < 0)
        return vz_convert_h5_fail(err, "cannot be opened");
    a->count = (size_t)count;
    a->element = vz_convert_element_of(a->memory, err);
    if (!a->element || count == 0)
        return a->element != NULL;
    a->elements = calloc(a->count, a->element->size);
    if (!a->elements)
        return vz_fail_memory(err);
    if (H5Aread(a->attribute, a->memory, a->elements) >= 0)
        return true;
    free(a->elements);
    a->elements = NULL;
    return vz_convert_h5_fail(err, "cannot be read");
}

static void close_value(value *a)
{
    if (a->elements && a->element->has_variable)
        H5Treclaim(a->memory, a->space, H5P_DEFAULT, a->elements);
    free(a->elements);
    vz_convert_element_free(a->element);
    vz_convert_id_close(a->memory);
    vz_convert_id_close(a->space);
    vz_convert_id_close(a->type);
    vz_convert_id_close(a->attribute);
}

static bool words_place(hid_t space, size_t number, vz_buffer *out, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    uint64_t extent[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    for (int i = 0; i < rank; i++)
        extent[i] = dims[i];
    return rank < 0 || vz_words_place((unsigned)rank, NULL, extent, number, out, err);
}

static bool differ_values(vz_comparison *v, const value values[2], uint64_t differ, size_t first, vz_error *err)
{
    vz_buffer text[2] = {0}, place = {0};
    bool ok = words_place(values[SOURCE].space, first, &place, err);
    for (int side = 0; ok && side < 2; side++)
        ok = vz_words_value(v->file[side], values[side].memory,
                            (const char *)values[side].elements + first * values[side].element->size, &text[side], err);
    ok = ok &&
         vz_compare_differ(v,
                           (vz_difference){.kind = VZ_DIFFERENCE_VALUE,
                                           .text = {(const char *)text[SOURCE].data, (const char *)text[TARGET].data},
                                           .place = (const char *)place.data,
                                           .count = differ,
                                           .of = values[SOURCE].count},
                           err);
    vz_buffer_clear(&text[SOURCE]);
    vz_buffer_clear(&text[TARGET]);
    vz_buffer_clear(&place);
    return ok;
}

static bool compare_values(vz_comparison *v, const value values[2], vz_error *err)
{
    bool same_type, same_extent;
    uint64_t differ;
    size_t first;
    const value *a = &values[SOURCE], *b = &values[TARGET];
    if (!vz_compare_types(v, a->type, b->type, &same_type, err) ||
        !vz_compare_extents(v, a->space, b->space, &same_extent, err))
        return false;
    if (!same_type || !same_extent || !a->elements)
        return true;
    return vz_compare_count(v, a->element, a->elements, b->elements, a->count, &differ, &first, err) &&
           (differ == 0 || differ_values(v, values, differ, first, err));
}

static bool compare_attribute(vz_comparison *v, const hid_t object[2], const char *name, vz_error *err)
{
    value values[2] = {{.attribute = -1, .type = -1, .space = -1, .memory = -1},
                       {.attribute = -1, .type = -1, .space = -1, .memory = -1}};
    vz_error failed = VZ_ERROR_NONE;
    v->attribute = name;
    bool ok = open_value(v, &values[SOURCE], object[SOURCE], name, &failed) &&
              open_value(v, &values[TARGET], object[TARGET], name, &failed);
    ok = ok ? compare_values(v, values, err) : vz_compare_unreadable(v, &failed, err);
    close_value(&values[SOURCE]);
    close_value(&values[TARGET]);
    v->counts->attributes++;
    v->attribute = NULL;
    return ok;
}

/* ---- names of attributes ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_same_order(const vz_convert_name_list names[2])
{
    for (size_t i = 0; i < names[SOURCE].count; i++)
        if (strcmp(names[SOURCE].items[i], names[TARGET].items[i]) != 0)
            return false;
    return true;
}

static bool differ_name(vz_comparison *v, const char *name, bool in_source, vz_error *err)
{
    v->attribute = name;
    const bool ok =
        vz_compare_differ_texts(v, VZ_DIFFERENCE_MISSING, NULL, in_source ? "" : NULL, in_source ? NULL : "", err);
    v->attribute = NULL;
    return ok;
}

/* Both are sorted. */
static bool compare_names(vz_comparison *v, const hid_t object[2], const vz_convert_name_list names[2],
                          bool *same_names, vz_error *err)
{
    size_t a = 0, b = 0;
    bool ok = true;
    while (ok && (a < names[SOURCE].count || b < names[TARGET].count)) {
        const char *one = a < names[SOURCE].count ? names[SOURCE].items[a] : NULL;
        const char *other = b < names[TARGET].count ? names[TARGET].items[b] : NULL;
        const int order = !one ? 1 : !other ? -1 : strcmp(one, other);
        a += order <= 0;
        b += order >= 0;
        *same_names = *same_names && order == 0;
        ok = order == 0 ? compare_attribute(v, object, one, err)
                        : differ_name(v, order < 0 ? one : other, order < 0, err);
    }
    return ok;
}

static bool compare_attributes(vz_comparison *v, const hid_t object[2], vz_error *err)
{
    vz_convert_name_list names[2] = {0};
    bool same_names = true;
    bool ok = vz_convert_attributes_list(object[SOURCE], &names[SOURCE], err) &&
              vz_convert_attributes_list(object[TARGET], &names[TARGET], err);
    const bool same_order = ok && names[SOURCE].count == names[TARGET].count && is_same_order(names);
    for (int side = 0; ok && side < 2; side++)
        if (names[side].count)
            qsort(names[side].items, names[side].count, sizeof *names[side].items, by_text);
    ok = ok && compare_names(v, object, names, &same_names, err);
    if (ok && same_names && !same_order && v->how->with_order)
        ok = vz_compare_differ_texts(v, VZ_DIFFERENCE_ORDER, "attributes", NULL, NULL, err);
    vz_convert_name_list_clear(&names[SOURCE]);
    vz_convert_name_list_clear(&names[TARGET]);
    return ok;
}

/* ---- the rest ---- */

static char *comment_of(hid_t object, vz_error *err)
{
    const ssize_t length = H5Oget_comment(object, NULL, 0);
    char *comment = calloc(1, length > 0 ? (size_t)length + 1 : 1);
    if (!comment)
        vz_fail_memory(err);
    else if (length > 0)
        H5Oget_comment(object, comment, (size_t)length + 1);
    H5Eclear2(H5E_DEFAULT);
    return comment;
}

static bool compare_comments(vz_comparison *v, const hid_t object[2], vz_error *err)
{
    char *a = comment_of(object[SOURCE], err), *b = a ? comment_of(object[TARGET], err) : NULL;
    const bool ok = b && (strcmp(a, b) == 0 ||
                          vz_compare_differ_texts(v, VZ_DIFFERENCE_COMMENT, NULL, *a ? a : NULL, *b ? b : NULL, err));
    free(a);
    free(b);
    return ok;
}

static bool check_understood(const hid_t object[2], vz_error *err)
{
    char why[H5VL_ZARR_TEXT_SIZE];
    for (int side = 0; side < 2; side++)
        if (!vz_convert_is_understood(object[side], why))
            return vz_fail(err, VZ_UNSUPPORTED, "%s", why);
    return true;
}

static bool compare_dataset(vz_comparison *v, const hid_t object[2], vz_error *err)
{
    bool same = false;
    vz_error failed = VZ_ERROR_NONE;
    if (v->how->with_storage && !vz_compare_storage(v, object, err))
        return false;
    if (v->how->goes_on && !check_understood(object, &failed))
        return vz_compare_unreadable(v, &failed, err);
    const hid_t a = H5Dget_type(object[SOURCE]), b = H5Dget_type(object[TARGET]);
    const hid_t one = H5Dget_space(object[SOURCE]), other = H5Dget_space(object[TARGET]);
    bool same_extent = false;
    const bool ok = vz_compare_types(v, a, b, &same, err) && vz_compare_extents(v, one, other, &same_extent, err);
    vz_convert_id_close(one);
    vz_convert_id_close(other);
    vz_convert_id_close(a);
    vz_convert_id_close(b);
    return ok && (!same || !same_extent || vz_compare_elements(v, object[SOURCE], object[TARGET], err));
}

static bool differ_kind(vz_comparison *v, const H5I_type_t kind[2], vz_error *err)
{
    const char *words[2];
    for (int side = 0; side < 2; side++)
        words[side] = kind[side] == H5I_GROUP ? "group" : kind[side] == H5I_DATASET ? "dataset" : "datatype";
    return vz_compare_differ_texts(v, VZ_DIFFERENCE_OBJECT, NULL, words[SOURCE], words[TARGET], err);
}

static bool compare_kind(vz_comparison *v, const hid_t object[2], vz_error *err)
{
    const H5I_type_t kind[2] = {H5Iget_type(object[SOURCE]), H5Iget_type(object[TARGET])};
    bool same;
    if (kind[SOURCE] != kind[TARGET])
        return differ_kind(v, kind, err);
    switch (kind[SOURCE]) {
    case H5I_GROUP:
        v->counts->groups++;
        return true;
    case H5I_DATATYPE:
        v->counts->types++;
        return vz_compare_types(v, object[SOURCE], object[TARGET], &same, err);
    default:
        v->counts->datasets++;
        return compare_dataset(v, object, err);
    }
}

bool vz_compare_object(vz_comparison *v, const char *path, vz_error *err)
{
    hid_t object[2];
    vz_error failed = VZ_ERROR_NONE;
    v->path = path;
    bool ok = vz_compare_open(v, path, object, &failed);
    ok = ok ? compare_kind(v, object, err) && compare_attributes(v, object, err) && compare_comments(v, object, err)
            : vz_compare_unreadable(v, &failed, err);
    vz_compare_close(object);
    return ok;
}
