/* object_reference.c - H5R_ref_t through HDF5's own calls, with ids of ours. */
#include "hierarchy/resolve/token.h"
#include "hdf5/handles/locate_internal.h"
#include "hdf5/h5/h5.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/references/references.h"
#include <stdlib.h>

/* HDF5 makes references only to what is there: one to the root, with another token in it. Where
 * an H5R_ref_t does not begin with the token, as all known versions have it, this is the null
 * reference. */
static bool make_dangling(vz_file *file, uint64_t token, H5R_ref_t *out, vz_error *err)
{
    vz_node *root = vz_hierarchy_root(file->hierarchy);
    const uint64_t here = vz_token_of_node(root, err);
    const hid_t id = here ? vz_handle_id_open(file, root, err) : H5I_INVALID_HID;
    if (id < 0)
        return false;
    const bool ok = H5Rcreate_object(id, ".", H5P_DEFAULT, out) >= 0 || vz_fail_hdf5(err);
    if (ok && vz_bytes_load_le64(out) == here)
        vz_bytes_store_le64(out, token);
    else if (ok) {
        H5Rdestroy(out);
        memset(out, 0, sizeof *out);
    }
    vz_h5_close_quietly(id);
    return ok;
}

/* A region of what is no dataset any more, or does not fit it, is a reference to the object. */
static herr_t make_region(hid_t id, const vz_json *region, H5R_ref_t *out)
{
    vz_error unfit = VZ_ERROR_NONE;
    const hid_t space = H5Iget_type(id) == H5I_DATASET ? H5Dget_space(id) : H5I_INVALID_HID;
    const bool fits = space >= 0 && VZ_H5_QUIETLY(vz_reference_region_select(space, region, &unfit));
    const herr_t made =
        fits ? H5Rcreate_region(id, ".", space, H5P_DEFAULT, out) : H5Rcreate_object(id, ".", H5P_DEFAULT, out);
    if (space >= 0)
        vz_h5_close_quietly(space);
    return made;
}

/* Reads "region" or "attribute" of a text, for an object that is open. */
static herr_t create(hid_t id, const vz_json *text, H5R_ref_t *out)
{
    const char *attribute = vz_json_get_string(vz_json_get(text, "attribute"), NULL);
    const vz_json *region = vz_json_get(text, "region");
    return region      ? make_region(id, region, out)
           : attribute ? H5Rcreate_attr(id, ".", attribute, H5P_DEFAULT, out)
                       : H5Rcreate_object(id, ".", H5P_DEFAULT, out);
}

static bool make(void *context, uint64_t token, const vz_json *text, H5R_ref_t *out, vz_error *err)
{
    vz_file *file = context;
    if (!token)
        return vz_handle_reference_make_external(file, text, out, err);
    vz_node *target = vz_token_node(file->hierarchy, token, NULL);
    if (!target)
        return make_dangling(file, token, out, err);
    const hid_t id = vz_handle_id_open(file, target, err);
    if (id < 0)
        return false;
    const bool ok = create(id, text, out) >= 0 || vz_fail_hdf5(err);
    vz_h5_close_quietly(id);
    return ok;
}

/* Nobody else has the token: it is this store's, or was, or leads nowhere. */
static bool is_here(const vz_file *file, uint64_t token)
{
    char *path = vz_token_path_here(file->hierarchy, token, NULL);
    const bool here =
        path || vz_token_is_nameless(file->hierarchy, token) || vz_token_is_retired(file->hierarchy, token);
    free(path);
    return here;
}

/* The token says which store it leads to, so that no file need be opened for it. All known
 * versions of an H5R_ref_t begin with it. */
static uint64_t target_of(const vz_file *file, const H5R_ref_t *reference, vz_json **text, vz_error *err)
{
    const uint64_t token = vz_bytes_load_le64(reference);
    if (is_here(file, token))
        return token;
    return vz_handle_reference_describe_external(file, reference, token, text, err)
               ? vz_token_of_node(vz_hierarchy_root(file->hierarchy), err)
               : 0;
}

static vz_json *attribute_of(const H5R_ref_t *reference, vz_error *err)
{
    const ssize_t length = H5Rget_attr_name(reference, NULL, 0);
    vz_buffer name = {0};
    vz_json *text = length >= 0 ? vz_json_object(err) : NULL;
    bool ok = text && vz_buffer_reserve(&name, (size_t)length + 1, err) &&
              H5Rget_attr_name(reference, (char *)name.data, (size_t)length + 1) >= 0 &&
              vz_json_set(text, "attribute", vz_json_string((const char *)name.data, (size_t)length, err), err);
    vz_buffer_clear(&name);
    if (ok)
        return text;
    vz_json_free(text);
    vz_fail(err, VZ_INVALID, "an attribute reference that does not tell its attribute");
    return NULL;
}

/* Dimensions, which a reference to another file cannot ask for when it is made; NULL without
 * them. */
static vz_json *extent_of(hid_t space, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    vz_json *list = rank < 0 ? NULL : vz_json_array(err);
    for (int i = 0; list && i < rank; i++)
        if (!vz_json_append(list, vz_json_uint64(dims[i], err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

static vz_json *region_of(const H5R_ref_t *reference, vz_error *err)
{
    const hid_t space = H5Ropen_region((H5R_ref_t *)(uintptr_t)reference, H5P_DEFAULT, H5P_DEFAULT);
    vz_json *text = space >= 0 ? vz_json_object(err) : NULL;
    const bool ok = text && vz_json_set(text, "region", vz_reference_region_print(space, err), err) &&
                    vz_json_set(text, VZ_REFERENCE_EXTENT, extent_of(space, err), err);
    if (space >= 0)
        H5Sclose(space);
    else
        vz_fail(err, VZ_INVALID, "a region reference that leads nowhere");
    if (ok)
        return text;
    vz_json_free(text);
    return NULL;
}

static uint64_t describe(void *context, const H5R_ref_t *reference, vz_json **text, vz_error *err)
{
    const H5R_type_t type = H5Rget_type(reference);
    *text = NULL;
    if (type == H5R_ATTR && !(*text = attribute_of(reference, err)))
        return 0;
    if (type == H5R_DATASET_REGION2 && !(*text = region_of(reference, err)))
        return 0;
    if (type == H5R_DATASET_REGION2 || type == H5R_OBJECT2 || type == H5R_ATTR) {
        const uint64_t token = target_of(context, reference, text, err);
        if (*text && !vz_json_get(*text, "source"))
            vz_json_remove(*text, VZ_REFERENCE_EXTENT);
        return token;
    }
    vz_fail(err, VZ_UNSUPPORTED, "references of type %d", (int)type);
    return 0;
}

vz_reference_maker vz_handle_reference_maker(vz_file *file)
{
    return (vz_reference_maker){file, make, describe, vz_handle_reference_make_region,
                                vz_handle_reference_describe_region};
}
