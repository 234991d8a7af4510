/* copy_types.c - committed datatypes that copied objects were made with: they are copied along, or, when committed
 * datatypes are to be merged, an equal one of the file copied to takes their place. */
#include "h5/errors.h"
#include "map/committed.h"
#include "object/copy.h"
#include "object/datatype.h"
#include <stdlib.h>

/* ---- merging ---- */

static bool is_same_encoding(hid_t a, hid_t b)
{
    size_t a_size = 0, b_size = 0;
    if (H5Tencode(a, NULL, &a_size) < 0 || H5Tencode(b, NULL, &b_size) < 0 || a_size != b_size)
        return false;
    void *a_bytes = calloc(1, a_size + 1), *b_bytes = calloc(1, b_size + 1);
    const bool same = a_bytes && b_bytes && H5Tencode(a, a_bytes, &a_size) >= 0 &&
                      H5Tencode(b, b_bytes, &b_size) >= 0 && memcmp(a_bytes, b_bytes, a_size) == 0;
    free(a_bytes);
    free(b_bytes);
    return same;
}

typedef struct search {
    hid_t root, wanted, found;
} search;

/* Types of variable length in different files are never H5Tequal. */
static herr_t look(hid_t object, const char *name, const H5O_info2_t *info, void *context)
{
    (void)object;
    search *s = context;
    if (info->type != H5O_TYPE_NAMED_DATATYPE)
        return 0;
    const hid_t type = H5Topen2(s->root, name, H5P_DEFAULT);
    if (type >= 0 && (H5Tequal(type, s->wanted) > 0 || is_same_encoding(type, s->wanted))) {
        s->found = type;
        return 1;
    }
    if (type >= 0)
        vz_h5_close_quietly(type);
    return 0;
}

/* The application may say that it does not want the whole file to be searched. */
static bool may_search(const vz_copy *copy, bool *search_all)
{
    H5O_mcdt_search_cb_t ask = NULL;
    void *data = NULL;
    *search_all = true;
    if (!vz_copy_hdf5((vz_copy *)copy, H5Pget_mcdt_search_cb(copy->ocpypl, &ask, &data) >= 0))
        return false;
    const H5O_mcdt_search_ret_t answer = ask ? ask(data) : H5O_MCDT_SEARCH_CONT;
    *search_all = answer == H5O_MCDT_SEARCH_CONT;
    return vz_copy_hdf5((vz_copy *)copy, answer != H5O_MCDT_SEARCH_ERROR);
}

bool vz_copy_merged_type(vz_copy *copy, hid_t from, hid_t *merged)
{
    bool search_all;
    *merged = H5I_INVALID_HID;
    if (!(copy->flags & H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG))
        return true;
    if (!may_search(copy, &search_all))
        return false;
    if (!search_all)
        return true;
    search s = {H5Oopen(copy->to, "/", H5P_DEFAULT), from, H5I_INVALID_HID};
    const bool ok =
        vz_copy_hdf5(copy, s.root >= 0 && H5Ovisit3(s.root, H5_INDEX_NAME, H5_ITER_INC, look, &s, H5O_INFO_BASIC) >= 0);
    if (s.root >= 0)
        vz_h5_close_quietly(s.root);
    *merged = s.found;
    return ok;
}

/* ---- what is made with them ---- */

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

/* Within a file what was made with a type outside of what is copied goes on using that one. */
static bool is_kept(const vz_copy *copy, const vz_node *type)
{
    if (!copy->same_file || (copy->flags & H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG))
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
    if (type && is_kept(r->copy, type))
        return true;
    return vz_committed_forget(r->made, attribute, err) && (!type || use_copy(r, type, attribute));
}

bool vz_copy_retarget_types(vz_copy *copy, const vz_handle *from, vz_node *made)
{
    retarget r = {copy, from, made};
    return vz_committed_each_use(from->node, retarget_use, &r, copy->err);
}
