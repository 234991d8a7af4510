/* copy_merge.c - when committed datatypes are to be merged, an equal one of the file copied to
 * takes the place of a copy. It is one that the application suggests, or any. */
#include "hdf5/h5/h5.h"
#include "hdf5/copy/copy_internal.h"
#include <stdlib.h>

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

/* Takes the id. Types of variable length in different files are never H5Tequal. */
static herr_t take_if_equal(search *s, hid_t type)
{
    if (type >= 0 && H5Tcommitted(type) > 0 && (H5Tequal(type, s->wanted) > 0 || is_same_encoding(type, s->wanted))) {
        s->found = type;
        return 1;
    }
    if (type >= 0)
        vz_h5_close_quietly(type);
    return 0;
}

static herr_t look(hid_t object, const char *name, const H5O_info2_t *info, void *context)
{
    (void)object;
    search *s = context;
    if (info->type != H5O_TYPE_NAMED_DATATYPE)
        return 0;
    const hid_t type = H5Topen2(s->root, name, H5P_DEFAULT);
    return take_if_equal(s, type);
}

/* ---- what the application suggests ---- */

static herr_t look_at_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    (void)info;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const herr_t taken = attribute >= 0 ? take_if_equal(context, H5Aget_type(attribute)) : 0;
    if (attribute >= 0)
        vz_h5_close_quietly(attribute);
    return taken;
}

/* A committed datatype, or one that a dataset or an attribute was made with. Paths that lead
 * nowhere are passed over. */
static void look_at_path(search *s, const char *path)
{
    const hid_t object = H5Oopen(s->root, path, H5P_DEFAULT);
    const H5I_type_t type = object >= 0 ? H5Iget_type(object) : H5I_BADID;
    if (type == H5I_DATATYPE)
        take_if_equal(s, H5Topen2(s->root, path, H5P_DEFAULT));
    else if (type == H5I_DATASET)
        take_if_equal(s, H5Dget_type(object));
    if (object >= 0 && s->found < 0)
        H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_attribute, s);
    if (object >= 0)
        vz_h5_close_quietly(object);
}

/* No call returns the paths of H5Padd_merge_committed_dtype_path, but an encoded property list
 * holds them. They stand behind the name of the property, one after the other, up to an empty
 * one. */
static bool look_at_suggestions(vz_objcopy *copy, search *s)
{
    static const char property[] = "merge committed dtype list";
    vz_buffer list = {0};
    size_t size = 0;
    bool ok = vz_copy_hdf5(copy, H5Pencode2(copy->ocpypl, NULL, &size, H5P_DEFAULT) >= 0) &&
              vz_buffer_reserve(&list, size + 1, copy->err) &&
              vz_copy_hdf5(copy, H5Pencode2(copy->ocpypl, list.data, &size, H5P_DEFAULT) >= 0);
    const char *found = ok ? memmem(list.data, size, property, sizeof property) : NULL;
    const char *end = ok ? (const char *)list.data + size : NULL;
    const char *path = found ? found + sizeof property : end;
    while (path < end && *path && s->found < 0) {
        const size_t length = strnlen(path, (size_t)(end - path));
        if (path + length == end)
            break;
        look_at_path(s, path);
        path += length + 1;
    }
    vz_buffer_clear(&list);
    return ok;
}

/* ---- the search ---- */

/* The application may say that it does not want the whole file to be searched. */
static bool may_search(const vz_objcopy *copy, bool *search_all)
{
    H5O_mcdt_search_cb_t ask = NULL;
    void *data = NULL;
    *search_all = true;
    if (!vz_copy_hdf5((vz_objcopy *)copy, H5Pget_mcdt_search_cb(copy->ocpypl, &ask, &data) >= 0))
        return false;
    const H5O_mcdt_search_ret_t answer = ask ? ask(data) : H5O_MCDT_SEARCH_CONT;
    *search_all = answer == H5O_MCDT_SEARCH_CONT;
    return vz_copy_hdf5((vz_objcopy *)copy, answer != H5O_MCDT_SEARCH_ERROR);
}

static bool search_whole_file(vz_objcopy *copy, search *s)
{
    bool search_all;
    if (!may_search(copy, &search_all))
        return false;
    return !search_all ||
           vz_copy_hdf5(copy, H5Ovisit3(s->root, H5_INDEX_NAME, H5_ITER_INC, look, s, H5O_INFO_BASIC) >= 0);
}

bool vz_copy_merged_type(vz_objcopy *copy, hid_t from, hid_t *merged)
{
    *merged = H5I_INVALID_HID;
    if (!(copy->flags & H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG))
        return true;
    search s = {H5Oopen(copy->to, "/", H5P_DEFAULT), from, H5I_INVALID_HID};
    const bool ok = vz_copy_hdf5(copy, s.root >= 0) && look_at_suggestions(copy, &s) &&
                    (s.found >= 0 || search_whole_file(copy, &s));
    if (s.root >= 0)
        vz_h5_close_quietly(s.root);
    *merged = s.found;
    return ok;
}
