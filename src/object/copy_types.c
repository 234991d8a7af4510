/* copy_types.c - committed datatypes that copied objects were made with: they are copied along. */
#include "h5/errors.h"
#include "map/committed.h"
#include "object/copy.h"
#include "object/datatype.h"
#include <stdlib.h>

hid_t vz_copy_type_of(vz_copy *copy, hid_t given)
{
    if (given < 0)
        return given;
    return H5Tcommitted(given) > 0 ? vz_copy_whole(copy, given) : H5Tcopy(given);
}

typedef struct retarget {
    vz_copy *copy;
    const vz_handle *from;
    vz_node *made;
} retarget;

/* Within a file what was made with a type outside of what is copied goes on using that one. A type
 * whose attribute was made with the type itself is copied with it. */
static bool is_kept(const vz_copy *copy, const vz_node *user, const vz_node *type)
{
    if (type == user || !copy->same_file || (copy->flags & H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG))
        return false;
    char *path = vz_node_path(type, NULL);
    const size_t length = strlen(copy->top);
    const bool below = path && strncmp(path, copy->top, length) == 0 && (path[length] == '/' || length == 1);
    free(path);
    return !below;
}

static bool use_copy(const retarget *r, vz_node *type, const char *attribute)
{
    vz_copy *copy = r->copy;
    vz_type_given given;
    const hid_t from = vz_handle_id_open(r->from->file, type, copy->err);
    const hid_t to = from < 0 ? from : vz_copy_whole(copy, from);
    bool ok = to >= 0 && vz_type_given_read(&given, to, r->made->hierarchy, copy->err);
    if (ok) {
        ok = vz_type_given_note(&given, r->made, attribute, copy->err);
        vz_type_given_clear(&given);
    }
    if (to >= 0)
        vz_h5_close_quietly(to);
    if (from >= 0)
        vz_h5_close_quietly(from);
    return ok;
}

static bool retarget_use(const char *attribute, const char *path, void *context, vz_error *err)
{
    const retarget *r = context;
    vz_node *type = vz_committed_at(r->from->file->hierarchy, path);
    if (type && is_kept(r->copy, r->from->node, type))
        return true;
    return vz_committed_forget(r->made, attribute, err) && (!type || use_copy(r, type, attribute));
}

bool vz_copy_retarget_types(vz_copy *copy, const vz_handle *from, vz_node *made)
{
    retarget r = {copy, from, made};
    return vz_committed_each_use(from->node, retarget_use, &r, copy->err);
}
