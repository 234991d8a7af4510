/* copy_attributes.c - attributes: names, types, values, in their order. */
#include "command/convert/convert_internal.h"
#include <stdlib.h>

/* An attribute of the source, opened, with what is known of it. */
typedef struct attribute {
    hid_t id, type, space, memory; /* memory: the type without its name */
    vz_convert_element *element;
    size_t count;
    void *values; /* NULL: it has none */
} attribute;

static void close_attribute(attribute *a)
{
    if (a->values && a->element->has_variable)
        H5Treclaim(a->memory, a->space, H5P_DEFAULT, a->values);
    free(a->values);
    vz_convert_element_free(a->element);
    vz_convert_id_close(a->memory);
    vz_convert_id_close(a->space);
    vz_convert_id_close(a->type);
    vz_convert_id_close(a->id);
}

static bool open_attribute(vz_convert_job *c, attribute *a, hid_t object, const char *name, vz_error *err)
{
    *a = (attribute){.id = H5Aopen(object, name, H5P_DEFAULT), .type = -1, .space = -1, .memory = -1};
    if (a->id < 0)
        return vz_convert_h5_fail(err, "attribute %.200s cannot be opened", name);
    a->type = H5Aget_type(a->id);
    if (a->type >= 0 && (a->type = vz_convert_copy_netcdf_type(c->request, a->type, err)) < 0)
        return false;
    a->space = H5Aget_space(a->id);
    a->memory = a->type < 0 ? a->type : H5Tcopy(a->type);
    const hssize_t count = a->space < 0 ? -1 : H5Sget_simple_extent_npoints(a->space);
    if (a->memory < 0 || count < 0)
        return vz_convert_h5_fail(err, "the type of attribute %.200s cannot be had", name);
    a->count = (size_t)count;
    a->element = vz_convert_element_of(a->memory, err);
    return a->element != NULL;
}

static bool read_attribute(attribute *a, const char *name, vz_error *err)
{
    if (a->count == 0)
        return true;
    a->values = calloc(a->count, a->element->size);
    if (!a->values)
        return vz_fail_memory(err);
    if (H5Aread(a->id, a->memory, a->values) >= 0)
        return true;
    free(a->values);
    a->values = NULL;
    return vz_convert_h5_fail(err, "attribute %.200s cannot be read", name);
}

static bool write_attribute(vz_convert_job *c, const attribute *a, hid_t to, const char *name, vz_error *err)
{
    const hid_t type = vz_convert_copy_type(c, a->type, err), acpl = type < 0 ? type : H5Aget_create_plist(a->id);
    const hid_t made = acpl < 0 ? acpl : H5Acreate2(to, name, type, a->space, acpl, H5P_DEFAULT);
    bool ok = made >= 0 && (!a->values || H5Awrite(made, a->memory, a->values) >= 0);
    if (made >= 0)
        ok = H5Aclose(made) >= 0 && ok;
    if (!ok)
        vz_convert_h5_fail(err, "attribute %.200s cannot be written", name);
    vz_convert_id_close(acpl);
    vz_convert_id_close(type);
    return ok;
}

static bool copy_attribute(vz_convert_job *c, hid_t from, hid_t to, const char *name, vz_error *err)
{
    attribute a;
    const bool ok = ((open_attribute(c, &a, from, name, err) && read_attribute(&a, name, err)) ||
                     vz_convert_copy_source_failed(c, err)) &&
                    (!a.values || vz_convert_translate_references(c, a.element, a.values, a.count, err)) &&
                    write_attribute(c, &a, to, name, err);
    close_attribute(&a);
    if (ok)
        c->counts->attributes++;
    return ok;
}

static bool any_refers(vz_convert_job *c, hid_t object, const vz_convert_name_list *names, bool *refers, vz_error *err)
{
    *refers = false;
    for (size_t i = 0; !*refers && i < names->count; i++) {
        attribute a;
        const bool ok = open_attribute(c, &a, object, names->items[i], err);
        *refers = ok && a.element->has_reference;
        close_attribute(&a);
        if (!ok)
            return false;
    }
    return true;
}

bool vz_convert_copy_attributes(vz_convert_job *c, hid_t from, hid_t to, bool all_is_there, bool *waits, vz_error *err)
{
    vz_convert_name_list names;
    *waits = false;
    bool ok =
        (vz_convert_attributes_list(from, &names, err) && (all_is_there || any_refers(c, from, &names, waits, err))) ||
        vz_convert_copy_source_failed(c, err);
    for (size_t i = 0; ok && !*waits && i < names.count; i++)
        ok = copy_attribute(c, from, to, names.items[i], err);
    vz_convert_name_list_clear(&names);
    return ok;
}
