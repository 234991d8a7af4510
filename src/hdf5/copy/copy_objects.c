/* copy_objects.c - the walk over what is copied, each object once whatever its number of names. */
#include "hdf5/copy/copy_internal.h"
#include "hdf5/h5/h5.h"
#include "hdf5/handles/handle.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- objects with several names ---- */

typedef char object_key[64];

static bool key_of(vz_objcopy *copy, hid_t id, object_key key, bool *several)
{
    H5O_info2_t info;
    if (!vz_copy_hdf5(copy, H5Oget_info3(id, &info, H5O_INFO_BASIC) >= 0))
        return false;
    int length = snprintf(key, sizeof(object_key), "%lx ", info.fileno);
    for (size_t i = 0; i < sizeof info.token.__data; i++)
        length += snprintf(key + length, sizeof(object_key) - (size_t)length, "%02x", info.token.__data[i]);
    /* Targets of expanded links and references may be met once more by their own names. */
    *several = info.rc > 1 || info.type == H5O_TYPE_NAMED_DATATYPE ||
               (copy->flags &
                (H5O_COPY_EXPAND_SOFT_LINK_FLAG | H5O_COPY_EXPAND_EXT_LINK_FLAG | H5O_COPY_EXPAND_REFERENCE_FLAG));
    return true;
}

static bool remember(vz_objcopy *copy, const object_key key, hid_t made)
{
    hid_t *value = malloc(sizeof *value);
    if (!value)
        return vz_fail_memory(copy->err);
    *value = made;
    if (!vz_strmap_put(copy->copied, key, value, copy->err)) {
        free(value);
        return false;
    }
    H5Iinc_ref(made);
    return true;
}

static void forget(void *value)
{
    H5Idec_ref(*(hid_t *)value);
    free(value);
}

/* ---- the walk ---- */

static bool copy_below(vz_objcopy *copy, hid_t from, hid_t to)
{
    if (copy->depth > 0 && (copy->flags & H5O_COPY_SHALLOW_HIERARCHY_FLAG))
        return true;
    if (copy->depth >= VZ_MAX_DEPTH)
        return vz_fail(copy->err, VZ_LIMIT, "groups nested deeper than %d", VZ_MAX_DEPTH);
    copy->depth++;
    const bool ok = vz_copy_members(copy, from, to);
    copy->depth--;
    return ok;
}

bool vz_copy_known(vz_objcopy *copy, hid_t from, hid_t *known)
{
    object_key key;
    bool several;
    *known = 0;
    if (!key_of(copy, from, key, &several))
        return false;
    const hid_t *id = vz_strmap_get(copy->copied, key);
    if (id)
        *known = *id;
    return true;
}

static bool give_name(vz_objcopy *copy, hid_t id, const vz_copy_target *place)
{
    return !place || vz_copy_hdf5(copy, H5Olink(id, place->group, place->name, place->lcpl, H5P_DEFAULT) >= 0);
}

static hid_t drop(hid_t id)
{
    vz_h5_close_quietly(id);
    return H5I_INVALID_HID;
}

/* Groups get their names before their members: what is met again below them then lies in one
 * tree with them. */
static bool fill(vz_objcopy *copy, hid_t from, hid_t to, H5I_type_t type, const vz_copy_target *place)
{
    const size_t first = copy->pending_count;
    if (!vz_copy_contents(copy, from, to, type) || !give_name(copy, to, place))
        return false;
    const size_t end = copy->pending_count;
    return type != H5I_GROUP || (copy_below(copy, from, to) && vz_copy_expand_pending(copy, first, end));
}

hid_t vz_copy_to(vz_objcopy *copy, hid_t from, const vz_copy_target *place)
{
    object_key key;
    bool several = false;
    const H5I_type_t type = H5Iget_type(from);
    if (!key_of(copy, from, key, &several))
        return H5I_INVALID_HID;
    const hid_t *known = vz_strmap_get(copy->copied, key);
    if (known) {
        H5Iinc_ref(*known);
        return give_name(copy, *known, place) ? *known : drop(*known);
    }
    const hid_t to = vz_copy_node(copy, from, type);
    if (to < 0)
        return to;
    /* A group may be met below itself. */
    const bool remembered = several || type == H5I_GROUP;
    if ((remembered && !remember(copy, key, to)) || !fill(copy, from, to, type, place))
        return drop(to);
    if (remembered && !several)
        forget(vz_strmap_remove(copy->copied, key));
    return to;
}

hid_t vz_copy_whole(vz_objcopy *copy, hid_t from)
{
    return vz_copy_to(copy, from, NULL);
}

/* ---- the two ends ---- */

static hid_t id_of(vz_object *at, const char *name, vz_error *err)
{
    H5I_type_t type = H5I_BADID;
    const vz_loc loc = {
        .type = H5VL_OBJECT_BY_NAME,
        .obj_type = at->type,
        .loc_data.loc_by_name = {.name = name, .lapl_id = H5P_LINK_ACCESS_DEFAULT},
    };
    vz_object *object = at->ops->object_open(at, &loc, &type, H5P_DATASET_XFER_DEFAULT, err);
    if (!object)
        return H5I_INVALID_HID;
    const hid_t id = vz_object_register(object, err);
    if (id < 0 && vz_handle_is_zarr(object))
        vz_handle_drop(vz_handle_of(object), err);
    return id;
}

static bool is_same_file(const vz_object *a, const vz_object *b)
{
    return vz_handle_is_zarr(a) && vz_handle_is_zarr(b) &&
           vz_handle_of((vz_object *)a)->file->hierarchy == vz_handle_of((vz_object *)b)->file->hierarchy;
}

static bool copy_and_name(vz_objcopy *copy, hid_t from, const char *name, hid_t lcpl)
{
    if (H5Lexists(copy->to, name, H5P_DEFAULT) > 0)
        return vz_fail(copy->err, VZ_EXISTS, "\"%s\": name already exists", name);
    const hid_t made = vz_copy_whole(copy, from);
    if (made < 0)
        return false;
    const bool ok = vz_copy_hdf5(copy, H5Olink(made, copy->to, name, lcpl, H5P_DEFAULT) >= 0) &&
                    vz_copy_write_expanded(copy) && vz_copy_keep_original_types(copy);
    vz_h5_close_quietly(made);
    return ok;
}

static bool run(vz_objcopy *copy, vz_object *src, const char *src_name, vz_object *dst, const char *dst_name,
                hid_t lcpl)
{
    if (vz_handle_is_zarr(dst) && !vz_handle_check_write(vz_handle_of(dst), copy->err))
        return false;
    const hid_t from = id_of(src, src_name, copy->err);
    if (from < 0)
        return false;
    copy->to = id_of(dst, ".", copy->err);
    const bool ok = copy->to >= 0 && copy_and_name(copy, from, dst_name, lcpl);
    const hid_t kept = vz_h5_errors_keep(copy->err);
    vz_copy_drop_pending(copy);
    vz_copy_drop_types(copy);
    vz_strmap_free(copy->copied, forget);
    H5Idec_ref(from);
    if (copy->to >= 0)
        H5Idec_ref(copy->to);
    vz_h5_errors_restore(kept);
    copy->copied = NULL;
    return ok;
}

herr_t vz_copy_object(vz_object *src, const char *src_name, vz_object *dst, const char *dst_name, hid_t ocpypl,
                      hid_t lcpl, vz_error *err)
{
    vz_objcopy copy = {.to = H5I_INVALID_HID, .ocpypl = ocpypl, .same_file = is_same_file(src, dst), .err = err};
    if (H5Pget_copy_object(ocpypl, &copy.flags) < 0) {
        vz_fail(err, VZ_HDF5, "an HDF5 call failed");
        return -1;
    }
    if (!(copy.copied = vz_strmap_new())) {
        vz_fail_memory(err);
        return -1;
    }
    const bool ok = VZ_H5_QUIETLY(run(&copy, src, src_name, dst, dst_name, lcpl));
    vz_strmap_free(copy.copied, NULL);
    return ok ? 0 : -1;
}
