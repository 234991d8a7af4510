/* zoo.c - zoo PART FILE: makes a file with one part of what HDF5 can hold, by the connector that HDF5 uses by default.
 */
#include "zoo.h"

static const struct {
    const char *name;
    void (*make)(hid_t file);
} parts[] = {
    {"types", zoo_part_types}, {"nested", zoo_part_nested}, {"storage", zoo_part_storage},
    {"links", zoo_part_links}, {"direct", zoo_part_direct},
};

static void make_target(hid_t file)
{
    static const int numbers[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const hsize_t dims[2] = {2, 3};
    const hid_t space = must(H5Screate_simple(2, dims, NULL));
    const hid_t target =
        must(H5Dcreate2(file, ZOO_TARGET, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    must(H5Dwrite(target, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
    zoo_attribute(target, "note", H5T_STD_I32LE, 0);
    H5Dclose(target);
    H5Sclose(space);
}

int main(int count, char **arguments)
{
    for (size_t i = 0; count == 3 && i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(arguments[1], parts[i].name) != 0)
            continue;
        const hid_t file = must(H5Fcreate(arguments[2], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        make_target(file);
        parts[i].make(file);
        return H5Fclose(file) < 0;
    }
    fprintf(stderr, "zoo types|nested|storage|links|direct FILE\n");
    return 2;
}
