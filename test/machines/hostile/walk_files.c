/* walk_files.c - files, groups and links. */
#include "walk.h"

#include <stdlib.h>

static herr_t walk_link(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    unsigned *count = data;
    char *value =
        info->type != H5L_TYPE_HARD && info->u.val_size <= WALK_READ_MAX ? malloc(info->u.val_size + 1) : NULL;
    if (value && H5Lget_val(group, name, value, info->u.val_size, H5P_DEFAULT) >= 0 &&
        info->type == H5L_TYPE_EXTERNAL) {
        const char *file, *path;
        unsigned flags;
        H5Lunpack_elink_val(value, info->u.val_size, &flags, &file, &path);
    }
    free(value);
    if (info->type != H5L_TYPE_HARD) {
        H5O_info2_t target;
        H5Oexists_by_name(group, name, H5P_DEFAULT);
        H5Oget_info_by_name3(group, name, &target, H5O_INFO_BASIC, H5P_DEFAULT);
        H5Oclose(H5Oopen(group, name, H5P_DEFAULT));
    }
    return ++*count < WALK_LINKS_MAX ? 0 : 1;
}

static void walk_group(hid_t group)
{
    H5G_info_t info;
    unsigned count = 0;
    hsize_t at = 0;
    if (H5Gget_info(group, &info) < 0)
        return;
    H5Literate2(group, H5_INDEX_NAME, H5_ITER_INC, &at, walk_link, &count);
    at = count = 0;
    H5Literate2(group, H5_INDEX_CRT_ORDER, H5_ITER_DEC, &at, walk_link, &count);
    for (hsize_t i = 0; i < info.nlinks && i < 4; i++) {
        char name[300];
        H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    }
    H5Pclose(H5Gget_create_plist(group));
}

void walk_object(hid_t object, bool elements, unsigned depth)
{
    H5O_info2_t info;
    H5O_native_info_t native;
    char text[300];
    if (depth > WALK_DEPTH_MAX)
        return;
    H5Oget_info3(object, &info, H5O_INFO_ALL);
    H5Oget_native_info(object, &native, H5O_NATIVE_INFO_ALL);
    H5Iget_name(object, text, sizeof text);
    H5Oget_comment(object, text, sizeof text);
    const H5I_type_t kind = H5Iget_type(object);
    if (kind == H5I_DATASET) {
        walk_dataset_shape(object);
        if (elements)
            walk_dataset_elements(object, depth);
    } else if (kind == H5I_DATATYPE) {
        walk_type(object, 0);
    } else if (kind == H5I_GROUP) {
        walk_group(object);
    }
    walk_attributes(object, elements, depth);
}

struct visit {
    bool elements;
    unsigned count;
};

static herr_t visit_object(hid_t root, const char *name, const H5O_info2_t *info, void *data)
{
    struct visit *visit = data;
    (void)info;
    const hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    if (object >= 0) {
        walk_object(object, visit->elements, 0);
        H5Oclose(object);
    }
    return ++visit->count < WALK_OBJECTS_MAX ? 0 : 1;
}

static herr_t visit_link(hid_t root, const char *name, const H5L_info2_t *info, void *data)
{
    unsigned *count = data;
    (void)root;
    (void)name;
    (void)info;
    return ++*count < 10 * WALK_OBJECTS_MAX ? 0 : 1;
}

static void walk_all(const char *path, bool elements)
{
    struct visit visit = {elements, 0};
    unsigned links = 0;
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return;
    hsize_t size;
    H5F_info2_t info;
    H5Fget_filesize(file, &size);
    H5Fget_info2(file, &info);
    H5Pclose(H5Fget_create_plist(file));
    H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, visit_object, &visit, H5O_INFO_ALL);
    H5Lvisit2(file, H5_INDEX_NAME, H5_ITER_INC, visit_link, &links);
    H5Fclose(file);
}

void walk_listing(const char *path)
{
    walk_all(path, false);
}

void walk_reading(const char *path)
{
    walk_all(path, true);
}
