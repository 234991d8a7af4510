/* links.c - links that are no objects. */
#include "command/convert/copy_internal.h"
#include "command/convert/convert_internal.h"
#include <stdlib.h>
#include <string.h>

static hid_t leads_nowhere(const char *name, hid_t group, const void *value, size_t size, hid_t lapl, hid_t dxpl)
{
    (void)name, (void)group, (void)value, (void)size, (void)lapl, (void)dxpl;
    return H5I_INVALID_HID;
}

static ssize_t tell_value(const char *name, const void *value, size_t size, void *into, size_t room)
{
    (void)name;
    if (into && value)
        memcpy(into, value, size < room ? size : room);
    return (ssize_t)size;
}

/* HDF5 makes and tells links of registered classes only. */
static bool register_class(H5L_type_t type, vz_error *err)
{
    if (type == H5L_TYPE_EXTERNAL || H5Lis_registered(type) > 0)
        return true;
    const H5L_class_t class = {.version = H5L_LINK_CLASS_T_VERS,
                               .id = type,
                               .comment = "copied by h5zarr",
                               .trav_func = leads_nowhere,
                               .query_func = tell_value};
    return H5Lregister(&class) >= 0 || vz_convert_h5_fail(err, "links of class %d cannot be copied", (int)type);
}

/* The value with a NUL behind it, *size its bytes; the caller frees. */
static char *value_of(hid_t group, const char *name, H5L_type_t type, size_t *size, vz_error *err)
{
    H5L_info2_t info;
    if ((type >= H5L_TYPE_UD_MIN && !register_class(type, err)))
        return NULL;
    if (H5Lget_info2(group, name, &info, H5P_DEFAULT) < 0) {
        vz_convert_h5_fail(err, "the link cannot be read");
        return NULL;
    }
    *size = info.u.val_size;
    char *value = calloc(1, *size + 1);
    if (!value)
        vz_fail_memory(err);
    else if (*size == 0 || H5Lget_val(group, name, value, *size, H5P_DEFAULT) >= 0)
        return value;
    else
        vz_convert_h5_fail(err, "the link cannot be read");
    free(value);
    return NULL;
}

static herr_t make_external(const char *value, size_t size, hid_t to, const char *name, hid_t lcpl)
{
    const char *file, *path;
    unsigned flags;
    if (H5Lunpack_elink_val(value, size, &flags, &file, &path) < 0)
        return -1;
    return H5Lcreate_external(file, path, to, name, lcpl, H5P_DEFAULT);
}

bool vz_convert_link_copy(hid_t from, const char *name, const H5L_info2_t *info, hid_t to, hid_t lcpl, vz_error *err)
{
    size_t size;
    char *value = value_of(from, name, info->type, &size, err);
    if (!value)
        return false;
    herr_t status;
    if (info->type == H5L_TYPE_SOFT)
        status = H5Lcreate_soft(value, to, name, lcpl, H5P_DEFAULT);
    else if (info->type == H5L_TYPE_EXTERNAL)
        status = make_external(value, size, to, name, lcpl);
    else
        status = H5Lcreate_ud(to, name, info->type, value, size, lcpl, H5P_DEFAULT);
    free(value);
    return status >= 0 || vz_convert_h5_fail(err, "the link cannot be made");
}

bool vz_convert_link_same(hid_t a, const H5L_info2_t *info_a, hid_t b, const H5L_info2_t *info_b, const char *name,
                          bool *same, vz_error *err)
{
    size_t size_a = 0, size_b = 0;
    char *value_a = value_of(a, name, info_a->type, &size_a, err);
    char *value_b = value_a ? value_of(b, name, info_b->type, &size_b, err) : NULL;
    const bool is_external = info_a->type == H5L_TYPE_EXTERNAL; /* a byte of version and flags
                                                                 * before the names */
    const size_t skip = is_external && size_a > 0 ? 1 : 0;
    const bool ok = value_b != NULL;
    *same = ok && size_a == size_b && memcmp(value_a + skip, value_b + skip, size_a - skip) == 0;
    free(value_a);
    free(value_b);
    return ok;
}
