/* copy_links.c - the members of a group: objects by their copies, other links as they are or by
 * what they lead to. */
#include "hdf5/h5/h5.h"
#include "hdf5/copy/copy_internal.h"
#include <stdlib.h>

typedef struct walk {
    vz_objcopy *copy;
    hid_t to;
    hid_t lcpl; /* with the character set of the link at hand */
} walk;

static bool link_copy_of(walk *w, hid_t group, const char *name)
{
    vz_objcopy *copy = w->copy;
    const hid_t from = H5Oopen(group, name, H5P_DEFAULT);
    if (!vz_copy_hdf5(copy, from >= 0))
        return false;
    const vz_copy_target place = {.group = w->to, .name = name, .lcpl = w->lcpl};
    const hid_t made = vz_copy_to(copy, from, &place);
    vz_h5_close_quietly(from);
    if (made >= 0)
        vz_h5_close_quietly(made);
    return made >= 0;
}

static bool make_link(walk *w, const char *name, const H5L_info2_t *info, const char *value)
{
    const char *file = NULL, *path = NULL;
    herr_t status;
    if (info->type == H5L_TYPE_SOFT)
        status = H5Lcreate_soft(value, w->to, name, w->lcpl, H5P_DEFAULT);
    else if (info->type == H5L_TYPE_EXTERNAL)
        status = H5Lunpack_elink_val(value, info->u.val_size, NULL, &file, &path) < 0
                     ? -1
                     : H5Lcreate_external(file, path, w->to, name, w->lcpl, H5P_DEFAULT);
    else
        status = H5Lcreate_ud(w->to, name, info->type, value, info->u.val_size, w->lcpl, H5P_DEFAULT);
    return vz_copy_hdf5(w->copy, status >= 0);
}

static bool link_again(walk *w, hid_t group, const char *name, const H5L_info2_t *info)
{
    char *value = calloc(1, info->u.val_size + 1);
    if (!value)
        return vz_fail_memory(w->copy->err);
    const bool ok = vz_copy_hdf5(w->copy, info->u.val_size == 0 ||
                                              H5Lget_val(group, name, value, info->u.val_size, H5P_DEFAULT) >= 0) &&
                    make_link(w, name, info, value);
    free(value);
    return ok;
}

/* Links are followed if that is asked for and they lead somewhere. */
static bool is_followed(const walk *w, hid_t group, const char *name, const H5L_info2_t *info)
{
    if (info->type == H5L_TYPE_HARD)
        return true;
    const unsigned flag = info->type == H5L_TYPE_SOFT       ? H5O_COPY_EXPAND_SOFT_LINK_FLAG
                          : info->type == H5L_TYPE_EXTERNAL ? H5O_COPY_EXPAND_EXT_LINK_FLAG
                                                            : 0;
    return (w->copy->flags & flag) && H5Oexists_by_name(group, name, H5P_DEFAULT) > 0;
}

static herr_t visit(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    walk *w = context;
    if (!vz_copy_hdf5(w->copy, H5Pset_char_encoding(w->lcpl, info->cset) >= 0))
        return -1;
    const bool ok = is_followed(w, group, name, info) ? link_copy_of(w, group, name) : link_again(w, group, name, info);
    return ok ? 0 : -1;
}

static bool is_tracked(hid_t group)
{
    unsigned order = 0;
    const hid_t gcpl = H5Gget_create_plist(group);
    const bool ok = gcpl >= 0 && H5Pget_link_creation_order(gcpl, &order) >= 0;
    if (gcpl >= 0)
        H5Pclose(gcpl);
    return ok && (order & H5P_CRT_ORDER_TRACKED);
}

bool vz_copy_members(vz_objcopy *copy, hid_t from, hid_t to)
{
    hsize_t index = 0;
    walk w = {.copy = copy, .to = to, .lcpl = H5Pcreate(H5P_LINK_CREATE)};
    if (!vz_copy_hdf5(copy, w.lcpl >= 0))
        return false;
    const H5_index_t order = is_tracked(from) ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    const bool ok = H5Literate2(from, order, H5_ITER_INC, &index, visit, &w) >= 0;
    if (!ok && copy->err->class == VZ_OK)
        vz_copy_hdf5(copy, false);
    vz_h5_close_quietly(w.lcpl);
    return ok;
}
