/* external_link.c - over an external link into the other file, and back. */
#include "hdf5/h5/h5.h"
#include "hdf5/handles/locate_internal.h"
#include "hdf5/handles/handle.h"
#include <stdio.h>
#include <stdlib.h>

/* State of the module instance; HDF5 calls us one at a time. */
static vz_object *root_there; /* of the file that was crossed into last; NULL: none */

void *vz_locate_external_wrap(void *native, H5I_type_t type)
{
    if (!root_there || vz_handle_is_zarr(root_there))
        return NULL;
    vz_wrap_context *context = root_there->ops->wrap_context(root_there);
    void *object = context->wrap(context, native, type);
    context->free(context);
    return object;
}

/* Links are counted from file to file, as in native, so that links in a circle end.
 * H5Pset_nlinks takes no 0. */
static bool copy_list(vz_locate_external *there, hid_t list, size_t left, vz_error *err)
{
    there->list = H5Pcopy(list == H5P_DEFAULT ? H5P_LINK_ACCESS_DEFAULT : list);
    return (there->list >= 0 && H5Pset(there->list, "max soft links", &left) >= 0) || vz_fail_hdf5(err);
}

/* The two texts in the value of an external link. */
static bool unpack(const vz_locate_exit *out, const char **file, const char **path, vz_error *err)
{
    const uint8_t *nul = out->size > 1 && out->value[0] == 0 ? memchr(out->value + 1, 0, out->size - 1) : NULL;
    const size_t left = nul ? (size_t)(out->value + out->size - nul - 1) : 0;
    if (left == 0 || !memchr(nul + 1, 0, left))
        return vz_fail(err, VZ_CORRUPT, "the value of an external link is none, or of a version that is not known");
    *file = (const char *)out->value + 1;
    *path = (const char *)nul + 1;
    return true;
}

/* Of what the policy refuses, or a server; false. */
static bool tell_link(const vz_file *parent, const vz_locate_exit *out, vz_error *err)
{
    char *group = vz_handle_path(parent, out->group, NULL), *path = NULL;
    if (group && asprintf(&path, "%s%s%s", group, strcmp(group, "/") == 0 ? "" : "/", out->link) < 0)
        path = NULL;
    if (err->class != VZ_NOT_FOUND)
        vz_error_where(err, parent->name, path);
    free(group);
    free(path);
    return false;
}

static bool enter(vz_locate_external *there, const vz_file *parent, const vz_locate_exit *out, hid_t lapl,
                  vz_error *err)
{
    const char *file = NULL, *path = NULL;
    if (!copy_list(there, lapl, out->left, err) || !unpack(out, &file, &path, err))
        return false;
    if (asprintf(&there->path, "/%s%s%s", path, *out->rest ? "/" : "", out->rest) < 0) {
        there->path = NULL;
        return vz_fail_memory(err);
    }
    there->file = vz_file_elink_open(parent, out->group, file, path, lapl, err);
    if (there->file < 0)
        return tell_link(parent, out, err);
    there->root = vz_object_of_id(there->file);
    if (!there->root)
        return vz_fail(err, VZ_UNSUPPORTED, "the file \"%.200s\", opened by another connector", file);
    there->self = (vz_loc){.obj_type = H5I_FILE, .type = H5VL_OBJECT_BY_SELF};
    there->before = root_there;
    root_there = there->root;
    return true;
}

/* The target of the link must exist. Groups on the way to a new object are made below it only. */
static bool is_there(const vz_locate_external *there, const char *rest, vz_error *err)
{
    bool exists = false;
    char *name = strndup(there->path, strlen(there->path) - strlen(rest));
    if (!name)
        return vz_fail_memory(err);
    H5VL_object_specific_args_t args = {.op_type = H5VL_OBJECT_EXISTS, .args.exists.exists = &exists};
    const vz_loc loc = {.obj_type = H5I_FILE,
                        .type = H5VL_OBJECT_BY_NAME,
                        .loc_data.loc_by_name = {.name = name, .lapl_id = there->list}};
    const herr_t status = there->root->ops->object_specific(there->root, &loc, &args, H5P_DATASET_XFER_DEFAULT, err);
    const bool ok =
        status >= 0 &&
        (exists || vz_fail(err, VZ_NOT_FOUND, "\"%s\", which an external link names, is not in its file", name));
    free(name);
    return ok;
}

static bool enter_and_look(vz_locate_external *there, const vz_file *parent, const vz_locate_exit *out, hid_t lapl,
                           vz_error *err)
{
    if (!enter(there, parent, out, lapl, err))
        return false;
    if (!*out->rest || is_there(there, out->rest, err))
        return true;
    root_there = there->before;
    return false;
}

static void close_all(const vz_locate_external *there)
{
    if (there->file >= 0)
        vz_h5_close_quietly(there->file);
    if (there->list >= 0)
        vz_h5_close_quietly(there->list);
    free(there->path);
}

/* On failure nothing is left open. */
static bool cross(vz_locate_external *there, const vz_handle *from, vz_locate_exit *out, hid_t lapl, vz_error *err)
{
    *there = (vz_locate_external){.file = H5I_INVALID_HID, .list = H5I_INVALID_HID};
    if (!out->group)
        return false;
    const bool ok = enter_and_look(there, from->file, out, lapl, err);
    vz_locate_exit_clear(out);
    if (!ok)
        close_all(there);
    return ok;
}

void vz_locate_external_close(vz_locate_external *there)
{
    root_there = there->before;
    close_all(there);
}

bool vz_locate_external_by_name(vz_locate_external *there, const vz_handle *from, vz_locate_exit *out, hid_t lapl,
                                vz_error *err)
{
    return cross(there, from, out, lapl, err);
}

bool vz_locate_external_to_create(vz_locate_external *there, const vz_handle *from, vz_locate_exit *out,
                                  const vz_creation *with, vz_error *err)
{
    if (!cross(there, from, out, with->apl, err))
        return false;
    there->with = *with;
    there->with.apl = there->list;
    return true;
}

static void locate_by_name(vz_locate_external *there)
{
    there->loc = (vz_loc){.obj_type = H5I_FILE, .type = H5VL_OBJECT_BY_NAME};
    there->loc.loc_data.loc_by_name = (H5VL_loc_by_name_t){.name = there->path, .lapl_id = there->list};
}

/* The group of an index may be in the other file, or the link that has the index leads there. */
bool vz_locate_external_by_loc(vz_locate_external *there, const vz_handle *from, vz_locate_exit *out, const vz_loc *loc,
                               vz_error *err)
{
    const bool by_index = loc->type == H5VL_OBJECT_BY_IDX, is_link = out->from_index;
    const hid_t lapl = by_index ? loc->loc_data.loc_by_idx.lapl_id : loc->loc_data.loc_by_name.lapl_id;
    if (!cross(there, from, out, lapl, err))
        return false;
    if (!by_index || is_link) {
        locate_by_name(there);
        return true;
    }
    there->loc = *loc;
    there->loc.obj_type = H5I_FILE;
    there->loc.loc_data.loc_by_idx.name = there->path;
    there->loc.loc_data.loc_by_idx.lapl_id = there->list;
    return true;
}
