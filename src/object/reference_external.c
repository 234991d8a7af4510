/* reference_external.c - H5R_ref_t to objects of other files. In the store they have the file's name, as the program
 * gave it; like HDF5, we look for it from where the program is, and then beside the store. The file is opened when such
 * a reference is read, and stays open as long as the reference. */
#include "h5/errors.h"
#include "object/reference.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- to HDF5 ---- */

static hid_t access_list(const vz_file *file)
{
    const hid_t fapl = H5Pcopy(file->fapl);
    if (fapl >= 0 && H5Pset_vol(fapl, vz_own_connector(), NULL) >= 0 && H5Pset_fclose_degree(fapl, H5F_CLOSE_WEAK) >= 0)
        return fapl;
    if (fapl >= 0)
        vz_h5_close_quietly(fapl);
    return H5I_INVALID_HID;
}

static hid_t open_named(const vz_file *file, const char *name, hid_t fapl)
{
    hid_t id = H5I_INVALID_HID;
    if (file->intent & H5F_ACC_RDWR)
        id = H5Fopen(name, H5F_ACC_RDWR, fapl);
    return id >= 0 ? id : H5Fopen(name, H5F_ACC_RDONLY, fapl);
}

static hid_t open_beside(const vz_file *file, const char *name, hid_t fapl)
{
    const char *path = vz_hierarchy_path(file->hierarchy), *last = strrchr(path, '/');
    char beside[PATH_MAX];
    if (!last || *name == '/' ||
        snprintf(beside, sizeof beside, "%.*s/%s", (int)(last - path), path, name) >= (int)sizeof beside)
        return H5I_INVALID_HID;
    return open_named(file, beside, fapl);
}

static hid_t open_file(const vz_file *file, const char *name)
{
    const hid_t fapl = access_list(file);
    if (fapl < 0)
        return fapl;
    hid_t id = open_named(file, name, fapl);
    if (id < 0)
        id = open_beside(file, name, fapl);
    vz_h5_close_quietly(fapl);
    return id;
}

static bool make(const vz_file *file, const char *name, const char *path, const vz_json *text, H5R_ref_t *out)
{
    const hid_t id = open_file(file, name);
    const hid_t object = id < 0 ? id : H5Oopen(id, path, H5P_DEFAULT);
    const bool ok = object >= 0 && vz_reference_create(object, text, out) >= 0;
    if (object >= 0)
        vz_h5_close_quietly(object);
    if (id >= 0)
        vz_h5_close_quietly(id);
    return ok;
}

bool vz_reference_make_external(const vz_file *file, const vz_json *text, H5R_ref_t *out)
{
    const char *name = vz_json_get_string(vz_json_get(text, "source"), NULL);
    const char *path = vz_json_get_string(vz_json_get(text, "path"), NULL);
    return name && path && VZ_H5_QUIETLY(make(file, name, path, text, out));
}

/* ---- from HDF5 ---- */

typedef ssize_t (*name_of)(const H5R_ref_t *reference, char *buffer, size_t size);

static ssize_t file_name(const H5R_ref_t *reference, char *buffer, size_t size)
{
    return H5Rget_file_name(reference, buffer, size);
}

static ssize_t object_name(const H5R_ref_t *reference, char *buffer, size_t size)
{
    return H5Rget_obj_name((H5R_ref_t *)(uintptr_t)reference, H5P_DEFAULT, buffer, size);
}

/* Heap. */
static char *text_of(const H5R_ref_t *reference, name_of name, vz_error *err)
{
    const ssize_t length = VZ_H5_QUIETLY(name(reference, NULL, 0));
    char *text = length > 0 ? malloc((size_t)length + 1) : NULL;
    if (text && name(reference, text, (size_t)length + 1) >= 0)
        return text;
    free(text);
    vz_fail(err, VZ_INVALID, "a reference to an object of another file that has no name");
    return NULL;
}

/* A name that could be taken for this store's becomes an absolute one. */
static vz_json *source_of(const vz_file *file, const char *name, vz_error *err)
{
    vz_json *source = vz_json_text(name, err);
    if (!source || !vz_reference_is_here(file->hierarchy, source))
        return source;
    char *absolute = realpath(name, NULL);
    vz_json_free(source);
    source = absolute ? vz_json_text(absolute, err) : NULL;
    free(absolute);
    if (!source)
        vz_fail(err, VZ_INVALID, "\"%s\": a reference to an object of this file", name);
    return source;
}

bool vz_reference_describe_external(const vz_file *file, const H5R_ref_t *reference, vz_json **text, vz_error *err)
{
    char *name = text_of(reference, file_name, err), *path = name ? text_of(reference, object_name, err) : NULL;
    if (!*text && path)
        *text = vz_json_object(err);
    const bool ok = path && *text && vz_json_set(*text, "source", source_of(file, name, err), err) &&
                    vz_json_set(*text, "path", vz_json_text(path, err), err) &&
                    vz_json_set(*text, "object_id", vz_json_null(err), err) &&
                    vz_json_set(*text, "source_object_id", vz_json_null(err), err);
    free(name);
    free(path);
    return ok;
}
