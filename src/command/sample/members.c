/* members.c - the names in a group, and where its links lead. */
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX 65536 /* bytes of a link's value */

typedef struct walk {
    vz_sample_visit_member visit;
    void *context;
    uint64_t visited;
    vz_error *err;
} walk;

/* Where a link leads, in words; NULL for want of memory. */
static char *target_of(hid_t group, const char *name, const H5L_info2_t *info)
{
    const char *file = NULL, *path = NULL;
    char *text = NULL;
    unsigned flags;
    if (info->type != H5L_TYPE_SOFT && info->type != H5L_TYPE_EXTERNAL)
        return strdup("what a user-defined link says");
    if (info->u.val_size > VALUE_MAX)
        return strdup("a path of more than 64 KiB");
    char *value = calloc(1, info->u.val_size + 1);
    if (value && H5Lget_val(group, name, value, info->u.val_size, H5P_DEFAULT) < 0)
        text = strdup("a value that cannot be read");
    else if (value && info->type == H5L_TYPE_SOFT)
        text = strdup(value);
    else if (value && H5Lunpack_elink_val(value, info->u.val_size, &flags, &file, &path) < 0)
        text = strdup("a value that cannot be read");
    else if (value && asprintf(&text, "%s:%s", file, path) < 0)
        text = NULL;
    free(value);
    H5Eclear2(H5E_DEFAULT);
    return text;
}

static herr_t take_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    walk *w = context;
    if (w->visited >= VZ_SAMPLE_MEMBERS_MAX)
        return 1;
    w->visited++;
    char *target = info->type == H5L_TYPE_HARD ? NULL : target_of(group, name, info);
    bool ok = info->type == H5L_TYPE_HARD || target || vz_fail_memory(w->err);
    ok = ok && w->visit(w->context, name, target, w->err);
    free(target);
    return ok ? 0 : 1; /* a failure of ours is none of HDF5's */
}

bool vz_sample_members(vz_sample_object *group, vz_sample_visit_member visit, void *context, uint64_t *left,
                       vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    walk w = {.visit = visit, .context = context, .err = &failed};
    H5G_info_t info = {0};
    hsize_t position = 0;
    *left = 0;
    if (group->facts.kind != VZ_SAMPLE_GROUP)
        return true;
    const bool ok = H5Gget_info(group->id, &info) >= 0 &&
                    H5Literate2(group->id, H5_INDEX_NAME, H5_ITER_INC, &position, take_link, &w) >= 0;
    if (failed.class != VZ_OK)
        *err = failed;
    else if (!ok)
        vz_convert_h5_fail(err, "its members cannot be listed");
    if (w.visited >= VZ_SAMPLE_MEMBERS_MAX && info.nlinks > w.visited)
        *left = info.nlinks - w.visited;
    return ok && failed.class == VZ_OK;
}
