/* verify_object.c - two objects of one path: what they are, and their attributes. */
#include "command/convert/verify_internal.h"
#include <stdlib.h>
#include <string.h>

typedef struct value {
    hid_t attribute, type, space, memory;
    vz_convert_element *element;
    size_t count;
    void *elements; /* NULL: it has none */
} value;

static bool open_value(vz_verification *v, value *a, hid_t object, const char *name, vz_error *err)
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

static bool verify_values(vz_verification *v, const value *a, const value *b, vz_error *err)
{
    bool same = true;
    size_t where;
    if (!vz_verify_type(v, a->type, b->type, err) || !vz_verify_extent(a->space, b->space, err))
        return false;
    if (a->elements && !vz_convert_element_compare(a->element, a->elements, b->elements, a->count, vz_verify_reference,
                                                   v, &same, &where, err))
        return false;
    return same || vz_differ(err, "the values differ");
}

static bool verify_attribute(vz_verification *v, const hid_t object[2], const char *name, vz_error *err)
{
    value values[2] = {{.attribute = -1, .type = -1, .space = -1, .memory = -1},
                       {.attribute = -1, .type = -1, .space = -1, .memory = -1}};
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = open_value(v, &values[SOURCE], object[SOURCE], name, &failed) &&
                    open_value(v, &values[TARGET], object[TARGET], name, &failed) &&
                    verify_values(v, &values[SOURCE], &values[TARGET], &failed);
    close_value(&values[SOURCE]);
    close_value(&values[TARGET]);
    v->counts->attributes++;
    return ok || vz_fail(err, failed.class, "attribute %.200s: %.250s", name, failed.text);
}

static bool verify_attributes(vz_verification *v, const hid_t object[2], vz_error *err)
{
    vz_convert_name_list names[2] = {0};
    bool ok = vz_convert_attributes_list(object[SOURCE], &names[SOURCE], err) &&
              vz_convert_attributes_list(object[TARGET], &names[TARGET], err);
    if (ok && names[SOURCE].count != names[TARGET].count)
        ok = vz_differ(err, "has %zu attributes in the source, %zu in the target", names[SOURCE].count,
                       names[TARGET].count);
    for (size_t i = 0; ok && i < names[SOURCE].count; i++) {
        const char *name = names[SOURCE].items[i];
        ok = (strcmp(name, names[TARGET].items[i]) == 0 ||
              vz_differ(err, "attribute %.200s is not in its place in the target", name)) &&
             verify_attribute(v, object, name, err);
    }
    vz_convert_name_list_clear(&names[SOURCE]);
    vz_convert_name_list_clear(&names[TARGET]);
    return ok;
}

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

static bool verify_comment(const hid_t object[2], vz_error *err)
{
    char *a = comment_of(object[SOURCE], err), *b = a ? comment_of(object[TARGET], err) : NULL;
    const bool ok = b && (strcmp(a, b) == 0 || vz_differ(err, "the comments differ"));
    free(a);
    free(b);
    return ok;
}

static bool verify_dataset(vz_verification *v, const hid_t object[2], vz_error *err)
{
    const hid_t a = H5Dget_type(object[SOURCE]), b = H5Dget_type(object[TARGET]);
    const bool same = vz_verify_type(v, a, b, err);
    vz_convert_id_close(a);
    vz_convert_id_close(b);
    return same && vz_verify_elements(v, object[SOURCE], object[TARGET], err);
}

static bool verify_kind(vz_verification *v, const hid_t object[2], vz_error *err)
{
    switch (H5Iget_type(object[SOURCE])) {
    case H5I_GROUP:
        v->counts->groups++;
        return true;
    case H5I_DATATYPE:
        v->counts->types++;
        return vz_verify_type(v, object[SOURCE], object[TARGET], err);
    default:
        v->counts->datasets++;
        return verify_dataset(v, object, err);
    }
}

bool vz_verify_object(vz_verification *v, const char *path, vz_error *err)
{
    const hid_t object[2] = {H5Oopen(v->file[SOURCE], path, H5P_DEFAULT), H5Oopen(v->file[TARGET], path, H5P_DEFAULT)};
    bool ok = (object[SOURCE] >= 0 && object[TARGET] >= 0) || vz_convert_h5_fail(err, "cannot be opened");
    ok = ok && verify_kind(v, object, err) && verify_attributes(v, object, err) && verify_comment(object, err);
    vz_convert_id_close(object[SOURCE]);
    vz_convert_id_close(object[TARGET]);
    return ok;
}
