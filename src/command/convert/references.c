/* references.c - references that were read from the source, as references into the target: to what
 * lies under the same name there. */
#include "command/convert/convert_internal.h"
#include <stdlib.h>
#include <string.h>

/* The path in the target of an open object of the source; NULL: it has none, or none was met. */
static const char *path_in_target(vz_convert_job *c, hid_t object)
{
    char token[VZ_TOKEN_TEXT];
    const vz_seen *met = vz_convert_object_token(object, token, NULL) ? vz_seen_find(c, token) : NULL;
    return met ? met->path : NULL;
}

static bool is_null(const void *reference, size_t size)
{
    return memcmp(reference, vz_zeros(size), size) == 0;
}

/* A reference that leads nowhere in the source becomes null: it must not lead to another object in
 * the target. */
static bool lose(vz_convert_job *c, void *reference, size_t size)
{
    memset(reference, 0, size);
    c->counts->lost_references++;
    H5Eclear2(H5E_DEFAULT);
    return true;
}

/* ---- old references ---- */

static bool make_object(vz_convert_job *c, const hobj_ref_t *old, hobj_ref_t *new, vz_error *err)
{
    const hid_t object = H5Rdereference2(c->from, H5P_DEFAULT, H5R_OBJECT, old);
    const char *path = object < 0 ? NULL : path_in_target(c, object);
    bool ok = true;
    *new = 0;
    if (path && H5Rcreate(new, c->to, path, H5R_OBJECT, H5I_INVALID_HID) < 0)
        ok = vz_convert_h5_fail(err, "a reference to %.300s cannot be made", path);
    vz_convert_id_close(object);
    H5Eclear2(H5E_DEFAULT);
    return ok;
}

/* Many elements refer to few objects. */
static bool translate_object(vz_convert_job *c, hobj_ref_t *reference, vz_error *err)
{
    void **known = vz_nummap_find(&c->references, *reference);
    if (!known) {
        hobj_ref_t *made = malloc(sizeof *made);
        if (!made)
            return vz_fail_memory(err);
        if (!make_object(c, reference, made, err) || !(known = vz_nummap_put(&c->references, *reference, err))) {
            free(made);
            return false;
        }
        *known = made;
    }
    *reference = *(const hobj_ref_t *)*known;
    return *reference != 0 || lose(c, reference, sizeof *reference);
}

static bool translate_region(vz_convert_job *c, hdset_reg_ref_t *reference, vz_error *err)
{
    const hid_t object = H5Rdereference2(c->from, H5P_DEFAULT, H5R_DATASET_REGION, reference);
    const hid_t region = object < 0 ? object : H5Rget_region(c->from, H5R_DATASET_REGION, reference);
    const char *path = region < 0 ? NULL : path_in_target(c, object);
    bool ok = true;
    if (path && H5Rcreate(reference, c->to, path, H5R_DATASET_REGION, region) < 0)
        ok = vz_convert_h5_fail(err, "a reference to a region of %.300s cannot be made", path);
    vz_convert_id_close(region);
    vz_convert_id_close(object);
    return !ok ? false : path ? true : lose(c, reference, sizeof *reference);
}

/* ---- references of HDF5 1.12 and later ---- */

static bool names_other_file(const vz_convert_job *c, const H5R_ref_t *reference)
{
    const ssize_t length = H5Rget_file_name(reference, NULL, 0);
    char *name = length < 0 ? NULL : malloc((size_t)length + 1);
    const bool other = name && H5Rget_file_name(reference, name, (size_t)length + 1) >= 0 && c->file_name &&
                       strcmp(name, c->file_name) != 0;
    free(name);
    return other;
}

static char *attribute_name(const H5R_ref_t *reference, vz_error *err)
{
    const ssize_t length = H5Rget_attr_name(reference, NULL, 0);
    char *name = length < 0 ? NULL : malloc((size_t)length + 1);
    if (name && H5Rget_attr_name(reference, name, (size_t)length + 1) >= 0)
        return name;
    free(name);
    vz_convert_h5_fail(err, "a reference to an attribute does not tell its name");
    return NULL;
}

static bool make_new(vz_convert_job *c, H5R_ref_t *old, const char *path, H5R_ref_t *new, vz_error *err)
{
    const H5R_type_t type = H5Rget_type(old);
    herr_t status = -1;
    if (type == H5R_OBJECT2)
        status = H5Rcreate_object(c->to, path, H5P_DEFAULT, new);
    else if (type == H5R_DATASET_REGION2) {
        const hid_t region = H5Ropen_region(old, H5P_DEFAULT, H5P_DEFAULT);
        status = region < 0 ? -1 : H5Rcreate_region(c->to, path, region, H5P_DEFAULT, new);
        vz_convert_id_close(region);
    } else if (type == H5R_ATTR) {
        char *name = attribute_name(old, err);
        status = name ? H5Rcreate_attr(c->to, path, name, H5P_DEFAULT, new) : -1;
        free(name);
    }
    return status >= 0 || vz_convert_h5_fail(err, "a reference to %.300s cannot be made", path);
}

static bool translate_new(vz_convert_job *c, H5R_ref_t *reference, vz_error *err)
{
    if (names_other_file(c, reference))
        return true; /* it goes on leading there */
    const hid_t object = H5Ropen_object(reference, H5P_DEFAULT, H5P_DEFAULT);
    const char *path = object < 0 ? NULL : path_in_target(c, object);
    H5R_ref_t made;
    memset(&made, 0, sizeof made);
    const bool ok = !path || make_new(c, reference, path, &made, err);
    vz_convert_id_close(object);
    if (!ok)
        return false;
    H5Rdestroy(reference);
    if (!path)
        return lose(c, reference, sizeof *reference);
    memcpy(reference, &made, sizeof made);
    return true;
}

/* In memory of its own: members of a compound lie at any address. */
typedef union any_reference {
    hobj_ref_t object;
    hdset_reg_ref_t region;
    H5R_ref_t reference;
} any_reference;

static bool translate(void *context, const vz_convert_element *element, void *place, vz_error *err)
{
    vz_convert_job *c = context;
    any_reference any;
    if (is_null(place, element->size))
        return true;
    if (element->size > sizeof any)
        return vz_fail(err, VZ_UNSUPPORTED, "a reference of %zu bytes", element->size);
    c->counts->references++;
    memcpy(&any, place, element->size);
    const bool ok = element->kind == VZ_ELEMENT_OBJECT   ? translate_object(c, &any.object, err)
                    : element->kind == VZ_ELEMENT_REGION ? translate_region(c, &any.region, err)
                                                         : translate_new(c, &any.reference, err);
    memcpy(place, &any, element->size);
    return ok;
}

bool vz_convert_translate_references(vz_convert_job *c, const vz_convert_element *element, void *elements, size_t count,
                                     vz_error *err)
{
    return vz_convert_element_each_reference(element, elements, count, translate, c, err);
}
