/* absent.c - what stores do not have: committed datatypes, blobs. */
#include "object/absent.h"

static bool no_types(vz_error *err)
{
    return vz_fail(err, VZ_UNSUPPORTED, "committed datatypes in a Zarr store");
}

vz_object *vz_datatype_commit(vz_object *obj, const vz_loc *loc, const char *name, hid_t type, hid_t lcpl, hid_t tcpl,
                              hid_t tapl, hid_t dxpl, vz_error *err)
{
    (void)obj, (void)loc, (void)name, (void)type, (void)lcpl, (void)tcpl, (void)tapl, (void)dxpl;
    no_types(err);
    return NULL;
}

/* A name that is there is something else; one that is not is reported as missing. */
vz_object *vz_datatype_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t tapl, hid_t dxpl, vz_error *err)
{
    (void)loc, (void)tapl, (void)dxpl;
    vz_node *node = vz_locate_path(vz_handle_of(obj), name, err);
    if (node) {
        vz_node_unref(node);
        vz_fail(err, VZ_INVALID, "\"%s\" is not a named datatype", name);
    }
    return NULL;
}

herr_t vz_datatype_get(vz_object *type, H5VL_datatype_get_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)type, (void)args, (void)dxpl;
    return vz_status(no_types(err));
}

herr_t vz_datatype_specific(vz_object *type, H5VL_datatype_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)type, (void)args, (void)dxpl;
    return vz_status(no_types(err));
}

herr_t vz_datatype_optional(vz_object *type, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)type, (void)args, (void)dxpl;
    return vz_status(no_types(err));
}

/* Variable-length data never takes HDF5's on-disk form here: the types that stores hand out are memory types. */
static bool no_blobs(vz_error *err)
{
    return vz_fail(err, VZ_UNSUPPORTED, "HDF5's own blobs in a Zarr store");
}

herr_t vz_blob_put(vz_object *obj, const void *buf, size_t size, void *blob_id, vz_error *err)
{
    (void)obj, (void)buf, (void)size, (void)blob_id;
    return vz_status(no_blobs(err));
}

herr_t vz_blob_get(vz_object *obj, const void *blob_id, void *buf, size_t size, vz_error *err)
{
    (void)obj, (void)blob_id, (void)buf, (void)size;
    return vz_status(no_blobs(err));
}

herr_t vz_blob_specific(vz_object *obj, void *blob_id, H5VL_blob_specific_args_t *args, vz_error *err)
{
    (void)obj, (void)blob_id, (void)args;
    return vz_status(no_blobs(err));
}
