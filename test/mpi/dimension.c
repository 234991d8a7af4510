/* dimension.c - a dimension of netCDF without a variable stands in its group's annotation. A rank that writes elements
 * of it, alone, makes it an array of the store, which all find.
 *
 *     mpirun -n RANKS dimension STORE
 *
 * In the end "g/x" is 0 1 2 3 4 5, written by the last rank, and "y", of which nobody wrote, is no array. */
#include "parallel.h"
#include <string.h>

enum { LENGTH = 6 };

static void put_text(hid_t dataset, const char *name, const char *value)
{
    const hid_t type = check_id(H5Tcopy(H5T_C_S1), "H5Tcopy"), space = check_id(H5Screate(H5S_SCALAR), "H5Screate");
    check(H5Tset_size(type, strlen(value) + 1), "H5Tset_size");
    const hid_t attribute = check_id(H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2");
    check(H5Awrite(attribute, type, value), "H5Awrite");
    H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
}

/* As netCDF makes it. */
static void make_dimension(hid_t group, const char *name)
{
    const hsize_t length = LENGTH;
    const hid_t space = check_id(H5Screate_simple(1, &length, NULL), "H5Screate_simple");
    const hid_t scale =
        check_id(H5Dcreate2(group, name, H5T_IEEE_F32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "H5Dcreate2");
    put_text(scale, "CLASS", "DIMENSION_SCALE");
    put_text(scale, "NAME", "This is a netCDF dimension but not a netCDF variable.         6");
    H5Dclose(scale), H5Sclose(space);
}

static void expect(hid_t file)
{
    float found[LENGTH];
    const hid_t scale = check_id(H5Dopen2(file, "g/x", H5P_DEFAULT), "H5Dopen2");
    check(H5Dread(scale, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found), "H5Dread");
    for (int i = 0; i < LENGTH; i++)
        if (found[i] != (float)i)
            give_up("what another rank wrote is not there");
    H5Dclose(scale);
}

static hid_t open_all(const char *store, unsigned how)
{
    const hid_t access = parallel_access();
    const hid_t file = check_id(H5Fopen(store, how, access), store);
    H5Pclose(access);
    return file;
}

static void create(const char *store)
{
    const hid_t access = parallel_access();
    const hid_t file = check_id(H5Fcreate(store, H5F_ACC_TRUNC, H5P_DEFAULT, access), store);
    const hid_t group = check_id(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "H5Gcreate2");
    make_dimension(group, "x");
    make_dimension(file, "y");
    H5Gclose(group), H5Pclose(access);
    check(H5Fclose(file), "H5Fclose");
}

int main(int argc, char **argv)
{
    int rank, ranks;
    begin(&argc, &argv, &rank, &ranks);
    if (argc != 2)
        give_up("usage: dimension STORE");
    create(argv[1]);
    const hid_t file = open_all(argv[1], H5F_ACC_RDWR);
    if (rank == ranks - 1) { /* no other rank has looked into the group */
        const float values[LENGTH] = {0, 1, 2, 3, 4, 5};
        const hid_t scale = check_id(H5Dopen2(file, "g/x", H5P_DEFAULT), "H5Dopen2");
        check(H5Dwrite(scale, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "H5Dwrite");
        H5Dclose(scale);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect(file);
    check(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
    expect(file);
    check(H5Fclose(file), "H5Fclose");
    const hid_t again = open_all(argv[1], H5F_ACC_RDONLY);
    expect(again);
    check(H5Fclose(again), "H5Fclose");
    return end();
}
