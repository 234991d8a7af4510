/* compare_reference.c - do two references lead to what has the same name? */
#include "command/convert/compare_internal.h"
#include <stdlib.h>
#include <string.h>

/* Where a reference leads. */
typedef struct target {
    const char *path; /* NULL: nowhere */
    hid_t region;     /* of it; or H5I_INVALID_HID */
    char *attribute;  /* of it; or NULL */
    char *file;       /* another one, in which it is; or NULL */
} target;

static void clear_target(target *t)
{
    vz_convert_id_close(t->region);
    free(t->attribute);
    free(t->file);
}

static const char *path_of_object(const vz_comparison *v, int side, hid_t object)
{
    char token[VZ_TOKEN_TEXT];
    const char *path = vz_convert_object_token(object, token, NULL) ? vz_strmap_get(v->paths[side], token) : NULL;
    return path;
}

static void find_old(const vz_comparison *v, int side, const vz_convert_element *element, const void *reference,
                     target *t)
{
    const H5R_type_t type = element->kind == VZ_ELEMENT_OBJECT ? H5R_OBJECT : H5R_DATASET_REGION;
    const hid_t object = H5Rdereference2(v->file[side], H5P_DEFAULT, type, reference);
    if (object >= 0) {
        t->path = path_of_object(v, side, object);
        if (type == H5R_DATASET_REGION)
            t->region = H5Rget_region(v->file[side], type, reference);
    }
    vz_convert_id_close(object);
}

typedef ssize_t (*name_getter)(const H5R_ref_t *reference, char *name, size_t size);

static char *name_by(name_getter get, const H5R_ref_t *reference)
{
    const ssize_t length = get(reference, NULL, 0);
    char *name = length < 0 ? NULL : malloc((size_t)length + 1);
    if (name && get(reference, name, (size_t)length + 1) >= 0)
        return name;
    free(name);
    return NULL;
}

static void find_new(const vz_comparison *v, int side, H5R_ref_t *reference, target *t)
{
    char *file = name_by(H5Rget_file_name, reference);
    if (file && strcmp(file, v->file_name[side]) != 0)
        t->file = file;
    else
        free(file);
    const hid_t object = t->file ? H5I_INVALID_HID : H5Ropen_object(reference, H5P_DEFAULT, H5P_DEFAULT);
    if (object >= 0)
        t->path = path_of_object(v, side, object);
    vz_convert_id_close(object);
    if (t->path && H5Rget_type(reference) == H5R_DATASET_REGION2)
        t->region = H5Ropen_region(reference, H5P_DEFAULT, H5P_DEFAULT);
    if (H5Rget_type(reference) == H5R_ATTR)
        t->attribute = name_by(H5Rget_attr_name, reference);
}

static void find_target(const vz_comparison *v, int side, const vz_convert_element *element, const void *reference,
                        target *t)
{
    *t = (target){.region = H5I_INVALID_HID};
    union { /* in memory of its own: members of a compound lie at any address */
        H5R_ref_t reference;
        hobj_ref_t object;
        hdset_reg_ref_t region;
    } any;
    if (element->size > sizeof any || memcmp(reference, vz_zeros(element->size), element->size) == 0)
        return;
    memcpy(&any, reference, element->size);
    if (element->kind == VZ_ELEMENT_REFERENCE)
        find_new(v, side, &any.reference, t);
    else
        find_old(v, side, element, &any, t);
    H5Eclear2(H5E_DEFAULT);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* ---- regions ---- */

static bool same_list(hid_t a, hid_t b, hssize_t count, size_t numbers,
                      herr_t (*get)(hid_t, hsize_t, hsize_t, hsize_t[]), vz_error *err)
{
    const size_t size = (size_t)count * numbers;
    hsize_t *one = calloc(size + 1, sizeof *one), *other = calloc(size + 1, sizeof *other);
    bool same = false;
    if (!one || !other)
        vz_fail_memory(err);
    else
        same = get(a, 0, (hsize_t)count, one) >= 0 && get(b, 0, (hsize_t)count, other) >= 0 &&
               memcmp(one, other, size * sizeof *one) == 0;
    free(one);
    free(other);
    return same;
}

static bool same_region(hid_t a, hid_t b, vz_error *err)
{
    if (a < 0 || b < 0)
        return a < 0 && b < 0;
    const int rank = H5Sget_simple_extent_ndims(a);
    const H5S_sel_type type = H5Sget_select_type(a);
    if (rank < 0 || H5Sextent_equal(a, b) <= 0 || H5Sget_select_npoints(a) != H5Sget_select_npoints(b))
        return false;
    if (type == H5S_SEL_POINTS && H5Sget_select_type(b) == type)
        return same_list(a, b, H5Sget_select_elem_npoints(a), (size_t)rank, H5Sget_select_elem_pointlist, err);
    if (type != H5S_SEL_HYPERSLABS || H5Sget_select_type(b) != type)
        return type == H5Sget_select_type(b);
    const hssize_t blocks = H5Sget_select_hyper_nblocks(a);
    return blocks == H5Sget_select_hyper_nblocks(b) &&
           same_list(a, b, blocks, 2 * (size_t)rank, H5Sget_select_hyper_blocklist, err);
}

bool vz_compare_reference(void *context, const vz_convert_element *element, const void *a, const void *b, bool *same,
                          vz_error *err)
{
    vz_comparison *v = context;
    vz_error failed = VZ_ERROR_NONE;
    target one, other;
    find_target(v, SOURCE, element, a, &one);
    find_target(v, TARGET, element, b, &other);
    *same = same_text(one.path, other.path) && same_text(one.file, other.file) &&
            same_text(one.attribute, other.attribute) && same_region(one.region, other.region, &failed);
    clear_target(&one);
    clear_target(&other);
    v->counts->references++;
    return failed.class == VZ_OK || vz_fail_memory(err);
}
