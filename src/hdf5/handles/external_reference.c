/* external_reference.c - H5R_ref_t to objects of other files. In the store they have the file's
 * name, as the program gave it. We look for it first from the program's directory, then beside the
 * store. Reading such a reference opens nothing: HDF5 opens the file when the reference is
 * followed, with the list that it gets then. */
#include "hdf5/h5/h5.h"
#include "hierarchy/moves/moves.h"
#include "hierarchy/resolve/path.h"
#include "hierarchy/resolve/token.h"
#include "hdf5/references/references.h"
#include "hdf5/native/native.h"
#include "hdf5/handles/handle.h"
#include "hdf5/handles/handle_internal.h"
#include "hdf5/handles/locate_internal.h"
#include "base/os/file.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- to HDF5 ---- */

/* The name that HDF5 will open: as it stands, else beside the store if there is something. Heap. */
static char *name_of(const vz_file *file, const char *name)
{
    const char *path = vz_hierarchy_path(file->hierarchy), *last = strrchr(path, '/');
    char *beside = NULL;
    if (vz_os_path_is_there(name) || !last || *name == '/' ||
        asprintf(&beside, "%.*s/%s", (int)(last - path), path, name) < 0)
        return strdup(name);
    if (vz_os_path_is_there(beside))
        return beside;
    free(beside);
    return strdup(name);
}

/* For references that earlier versions wrote, which do not say what is asked: a look that
 * changes nothing. */
static hid_t look(const char *name, const vz_named *named, const char *path)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID, object = H5I_INVALID_HID;
    if (fapl >= 0 && H5Pset_vol(fapl, vz_native_own_connector(), NULL) >= 0 && vz_names_list_put(fapl, named))
        file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
    if (file >= 0)
        object = H5Oopen(file, path, H5P_DEFAULT);
    if (file >= 0)
        vz_h5_close_quietly(file);
    if (fapl >= 0)
        vz_h5_close_quietly(fapl);
    return object;
}

static uint64_t look_for_address(const char *name, const vz_named *named, const char *path)
{
    H5O_info2_t info;
    const hid_t object = look(name, named, path);
    const uint64_t address =
        object >= 0 && H5Oget_info3(object, &info, H5O_INFO_BASIC) >= 0 ? vz_bytes_load_le64(&info.token) : 0;
    if (object >= 0)
        vz_h5_close_quietly(object);
    return address;
}

/* 0 + err: out of memory. */
static uint64_t token_in(const vz_file *file, const char *name, const vz_named *named, const vz_json *text,
                         vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const char *path = vz_json_get_string(vz_json_get(text, "path"), NULL);
    uint64_t token = path ? vz_path_token(name, named, path, &failed) : 0;
    if (!token && !vz_json_get_uint64(vz_json_get(text, VZ_REFERENCE_ADDRESS), &token) && path &&
        vz_os_path_is_there(name))
        token = VZ_H5_QUIETLY(look_for_address(name, named, path));
    return token ? token : vz_token_at_path(file->hierarchy, VZ_NOWHERE, err);
}

/* A dataspace like the dataset's, with the region selected in it; negative: there is none. */
static hid_t space_of(const char *name, const vz_named *named, const vz_json *text)
{
    const vz_json *region = vz_json_get(text, "region"), *extent = vz_json_get(text, VZ_REFERENCE_EXTENT);
    const char *path = vz_json_get_string(vz_json_get(text, "path"), NULL);
    hsize_t dims[H5S_MAX_RANK];
    const size_t rank = vz_json_length(extent);
    vz_error unfit = VZ_ERROR_NONE;
    hid_t space = H5I_INVALID_HID;
    bool known = extent && rank <= H5S_MAX_RANK;
    for (size_t i = 0; known && i < rank; i++) {
        uint64_t size;
        known = vz_json_get_uint64(vz_json_at(extent, i), &size);
        dims[i] = size;
    }
    if (known)
        space = rank ? H5Screate_simple((int)rank, dims, NULL) : H5Screate(H5S_SCALAR);
    else if (path) {
        const hid_t object = look(name, named, path);
        space = object >= 0 && H5Iget_type(object) == H5I_DATASET ? H5Dget_space(object) : H5I_INVALID_HID;
        if (object >= 0)
            vz_h5_close_quietly(object);
    }
    if (space < 0 || vz_reference_region_select(space, region, &unfit))
        return space;
    vz_h5_close_quietly(space);
    return H5I_INVALID_HID;
}

bool vz_handle_reference_make_external(vz_file *file, const vz_json *text, H5R_ref_t *out, vz_error *err)
{
    const char *source = vz_json_get_string(vz_json_get(text, "source"), NULL);
    char *name = source ? name_of(file, source) : NULL;
    const vz_named named = vz_file_named(file, source);
    const bool may = name && vz_path_check_named(name, &named, err);
    const uint64_t token = may ? token_in(file, name, &named, text, err) : 0;
    if (source && !name)
        vz_fail_memory(err);
    if (name && !may)
        vz_error_where(err, file->name, NULL);
    bool ok = token != 0;
    if (ok) {
        const hid_t space = vz_json_get(text, "region") ? VZ_H5_QUIETLY(space_of(name, &named, text)) : H5I_INVALID_HID;
        ok = vz_native_external_reference_new(name, token, space,
                                              vz_json_get_string(vz_json_get(text, "attribute"), NULL), out, err);
        if (space >= 0)
            vz_h5_close_quietly(space);
    }
    free(name);
    return ok;
}

/* ---- from HDF5 ---- */

typedef ssize_t (*name_of_function)(const H5R_ref_t *reference, char *buffer, size_t size);

static ssize_t file_name(const H5R_ref_t *reference, char *buffer, size_t size)
{
    return H5Rget_file_name(reference, buffer, size);
}

static ssize_t object_name(const H5R_ref_t *reference, char *buffer, size_t size)
{
    return H5Rget_obj_name((H5R_ref_t *)(uintptr_t)reference, H5P_DEFAULT, buffer, size);
}

/* Heap. */
static char *text_of(const H5R_ref_t *reference, name_of_function name)
{
    const ssize_t length = VZ_H5_QUIETLY(name(reference, NULL, 0));
    char *text = length > 0 ? malloc((size_t)length + 1) : NULL;
    if (text && VZ_H5_QUIETLY(name(reference, text, (size_t)length + 1)) >= 0)
        return text;
    free(text);
    return NULL;
}

typedef struct name_search {
    const char *name;
    bool found;
} name_search;

static bool compare_name(void *context, hid_t id, vz_object *object)
{
    name_search *s = context;
    char name[PATH_MAX] = "";
    (void)object;
    s->found = H5Fget_name(id, name, sizeof name) >= 0 && strcmp(name, s->name) == 0;
    return !s->found;
}

static bool is_open(const char *name)
{
    name_search s = {.name = name};
    vz_object_each_id(H5I_FILE, compare_name, &s);
    return s.found;
}

/* By a look that changes nothing; heap. */
static char *name_at(const char *file_name, uint64_t address)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5O_token_t token = {{0}};
    hid_t file = H5I_INVALID_HID, object = H5I_INVALID_HID;
    char *name = NULL;
    vz_bytes_store_le64(&token, address);
    if (fapl >= 0 && H5Pset_vol(fapl, vz_native_connector(), NULL) >= 0)
        file = H5Fopen(file_name, H5F_ACC_RDONLY, fapl);
    if (file >= 0)
        object = H5Oopen_by_token(file, token);
    const ssize_t length = object < 0 ? -1 : H5Iget_name(object, NULL, 0);
    if (length > 0 && (name = malloc((size_t)length + 1)))
        H5Iget_name(object, name, (size_t)length + 1);
    const hid_t ids[] = {object, file, fapl};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] >= 0)
            vz_h5_close_quietly(ids[i]);
    return name;
}

/* The path of the target, for who knows nothing of addresses. HDF5 would open the file of a
 * reference that was read from a file for writing. So it is asked only where the file is open, or
 * not there at all. */
static char *path_of(const H5R_ref_t *reference, const char *file_name, uint64_t token)
{
    char *path = vz_token_path(token, NULL);
    if (!path && (is_open(file_name) || !vz_os_path_is_there(file_name)))
        path = text_of(reference, object_name);
    return path ? path : VZ_H5_QUIETLY(name_at(file_name, token));
}

/* A name that could be taken for this store's becomes an absolute one. */
static vz_json *source_of(const vz_file *file, const char *name, vz_error *err)
{
    vz_json *source = vz_json_text(name, err);
    if (!source || !vz_reference_is_here(file->hierarchy, source))
        return source;
    char *absolute = vz_os_path_resolve(name, NULL);
    vz_json_free(source);
    source = absolute ? vz_json_text(absolute, err) : NULL;
    free(absolute);
    if (!source)
        vz_fail(err, VZ_INVALID, "\"%s\": a reference to an object of this file", name);
    return source;
}

bool vz_handle_reference_describe_external(const vz_file *file, const H5R_ref_t *reference, uint64_t token,
                                           vz_json **text, vz_error *err)
{
    char *name = text_of(reference, file_name), *path = name ? path_of(reference, name, token) : NULL;
    if (!name)
        vz_fail(err, VZ_INVALID, "a reference to an object of another file that has no name");
    if (!*text && name)
        *text = vz_json_object(err);
    bool ok = name && *text && vz_json_set(*text, "source", source_of(file, name, err), err) &&
              vz_json_set(*text, "path", path ? vz_json_text(path, err) : vz_json_null(err), err) &&
              vz_json_set(*text, "object_id", vz_json_null(err), err) &&
              vz_json_set(*text, "source_object_id", vz_json_null(err), err);
    if (ok && token < VZ_TOKEN_FIRST)
        ok = vz_json_set(*text, VZ_REFERENCE_ADDRESS, vz_json_uint64(token, err), err);
    free(name);
    free(path);
    return ok;
}
