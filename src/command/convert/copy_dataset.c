/* copy_dataset.c - a dataset: created like the one in the source, then its elements. */
#include "command/convert/convert_internal.h"
#include <string.h>

/* A dataset of the source, opened, with what is known of it. */
typedef struct source {
    hid_t type, space, memory;
    vz_convert_element *element;
} source;

static void close_source(source *s)
{
    vz_convert_element_free(s->element);
    vz_convert_id_close(s->memory);
    vz_convert_id_close(s->space);
    vz_convert_id_close(s->type);
}

static bool open_source(vz_convert_job *c, source *s, hid_t dataset, const char *path, vz_error *err)
{
    *s = (source){.type = H5Dget_type(dataset), .space = H5Dget_space(dataset), .memory = H5I_INVALID_HID};
    if (path && s->type >= 0)
        vz_convert_copy_tell_type(c, s->type, path);
    if (s->type >= 0 && (s->type = vz_convert_copy_netcdf_variable(c->request, dataset, s->type, err)) < 0)
        return false;
    s->memory = s->type < 0 ? s->type : H5Tcopy(s->type);
    if (s->memory < 0 || s->space < 0)
        return vz_convert_h5_fail(err, "its type and extent cannot be had");
    s->element = vz_convert_element_of(s->memory, err);
    return s->element != NULL;
}

static hid_t create(vz_convert_job *c, hid_t from, const source *s, hid_t group, const char *name, hid_t lcpl,
                    const char *path, vz_error *err)
{
    const hid_t type = vz_convert_copy_type(c, s->type, err);
    const hid_t dcpl = type < 0 ? type : vz_convert_copy_dataset_list(c, from, s->space, s->memory, path, err);
    const bool ok = dcpl >= 0 && (!c->places || vz_convert_view_set_elsewhere(c, from, s->element, path, dcpl, err));
    const hid_t made = !ok ? H5I_INVALID_HID : H5Dcreate2(group, name, type, s->space, lcpl, dcpl, H5P_DEFAULT);
    if (ok && made < 0)
        vz_convert_h5_fail(err, "the dataset cannot be created");
    vz_convert_id_close(dcpl);
    vz_convert_id_close(type);
    return made;
}

/* In a view most elements stay where they are. */
static bool take_elements(vz_convert_job *c, hid_t from, hid_t to, const source *s, const char *path, vz_error *err)
{
    bool done = false;
    if (c->places && !vz_convert_is_unwritten(from) &&
        !vz_convert_view_elements(c, from, to, s->element, s->memory, path, &done, err))
        return false;
    return done || vz_convert_copy_elements(c, from, to, s->element, s->memory, err);
}

bool vz_convert_copy_dataset(vz_convert_job *c, hid_t from, hid_t group, const char *name, hid_t lcpl, const char *path,
                             vz_error *err)
{
    source s;
    c->counts->datasets++;
    hid_t made = H5I_INVALID_HID;
    bool ok = (open_source(c, &s, from, path, err) || vz_convert_copy_source_failed(c, err)) &&
              (made = create(c, from, &s, group, name, lcpl, path, err)) >= 0;
    if (ok && s.element->has_reference)
        ok = vz_convert_copy_comment(from, made, err) && vz_convert_names_add(&c->waiting, path, err);
    else
        ok = ok && take_elements(c, from, made, &s, path, err) &&
             vz_convert_copy_object_header(c, from, made, path, err);
    if (made >= 0 && H5Dclose(made) < 0)
        ok = vz_convert_h5_fail(err, "the dataset cannot be closed");
    close_source(&s);
    return ok;
}

bool vz_convert_copy_dataset_later(vz_convert_job *c, hid_t from, hid_t to, const char *path, vz_error *err)
{
    source s;
    const bool ok =
        open_source(c, &s, from, NULL, err) && (!s.element->has_reference || take_elements(c, from, to, &s, path, err));
    close_source(&s);
    return ok;
}
