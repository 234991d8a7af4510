/* walk_changes.c - a program that changes what it was given. */
#include "walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 6 /* members of a group that are changed */
#define NAME_SIZE 300

struct names {
    char name[NAMES_MAX][NAME_SIZE];
    unsigned count;
};

static herr_t take_name(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    struct names *names = data;
    (void)group;
    (void)info;
    if (strlen(name) < NAME_SIZE)
        strcpy(names->name[names->count++], name);
    return names->count < NAMES_MAX ? 0 : 1;
}

static herr_t first_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    (void)object;
    (void)info;
    snprintf(data, NAME_SIZE, "%s", name);
    return 1;
}

static void change_attributes(hid_t object)
{
    char name[NAME_SIZE] = "";
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const int value = 7;
    const hid_t attribute = H5Acreate2(object, "hostile", H5T_STD_I16BE, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT, &value);
    H5Aclose(attribute);
    hsize_t at = 0;
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, first_attribute, name);
    if (*name && H5Arename(object, name, "renamed") >= 0)
        H5Adelete(object, "renamed");
    H5Oset_comment(object, "changed");
    H5Sclose(scalar);
}

/* The first element is read and written back, which needs no knowledge of the type. */
static void change_element(hid_t dataset)
{
    const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    const hsize_t zeros[H5S_MAX_RANK] = {0}, one = 1;
    hsize_t ones[H5S_MAX_RANK];
    const size_t size = H5Tget_size(type);
    for (int i = 0; i < H5S_MAX_RANK; i++)
        ones[i] = 1;
    if (H5Sget_simple_extent_ndims(space) > 0)
        H5Sselect_hyperslab(space, H5S_SELECT_SET, zeros, NULL, ones, NULL);
    const hid_t memory = H5Screate_simple(1, &one, NULL);
    void *element = size && size <= WALK_READ_MAX ? calloc(1, size) : NULL;
    if (element && H5Dread(dataset, type, memory, space, H5P_DEFAULT, element) >= 0) {
        H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, element);
        H5Treclaim(type, memory, H5P_DEFAULT, element);
    }
    free(element);
    H5Sclose(memory);
    H5Tclose(type);
    H5Sclose(space);
}

static void change_extent(hid_t dataset)
{
    hsize_t dims[H5S_MAX_RANK], less[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    if (rank <= 0 || dims[0] == HSIZE_UNDEF)
        return;
    memcpy(less, dims, sizeof dims);
    dims[0]++;
    H5Dset_extent(dataset, dims);
    less[0] -= less[0] > 0;
    /* How long a shrink takes follows from the number of chunks, which is the user's to choose. */
    if (less[0] < 1000)
        H5Dset_extent(dataset, less);
}

static void change_dataset(hid_t dataset)
{
    hsize_t dims[H5S_MAX_RANK];
    const hid_t dcpl = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
    hsize_t chunk = H5Tget_size(type);
    const int rank = H5Pget_layout(dcpl) == H5D_CHUNKED ? H5Pget_chunk(dcpl, H5S_MAX_RANK, dims) : 0;
    for (int i = 0; i < rank; i++)
        chunk = dims[i] && chunk > HSIZE_UNDEF / dims[i] ? HSIZE_UNDEF : chunk * dims[i];
    if (chunk <= WALK_CHUNK_MAX) {
        change_element(dataset);
        change_extent(dataset);
        H5Dflush(dataset);
        H5Drefresh(dataset);
    }
    H5Tclose(type);
    H5Pclose(dcpl);
}

static void change_member(hid_t file, const char *name, unsigned number)
{
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    if (object < 0)
        return;
    change_attributes(object);
    if (H5Iget_type(object) == H5I_DATASET)
        change_dataset(object);
    H5Oclose(object);
    char target[32];
    snprintf(target, sizeof target, "new/%u", number);
    switch (number % 4) {
    case 0:
        H5Ocopy(file, name, file, target, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 1:
        H5Lmove(file, name, file, target, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 2:
        H5Lcreate_hard(file, name, file, target, H5P_DEFAULT, H5P_DEFAULT);
        H5Ldelete(file, name, H5P_DEFAULT);
        break;
    default:
        H5Ldelete(file, name, H5P_DEFAULT);
        break;
    }
}

void walk_changes(const char *path)
{
    struct names names = {.count = 0};
    hsize_t at = 0;
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0)
        return;
    change_attributes(file);
    H5Gclose(H5Gcreate2(file, "new", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, &at, take_name, &names);
    for (unsigned i = 0; i < names.count; i++)
        change_member(file, names.name[i], i);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    if (H5Fclose(file) < 0)
        H5Fclose(file);
    walk_listing(path);
}
