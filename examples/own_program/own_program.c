/* own_program.c - own_program STORE: makes a Zarr store with one dataset, opens it again and prints the sum.
 *
 * The program names the connector itself and tells HDF5 where the module is, so that it needs no variable. Built by
 * CMake (CMakeLists.txt), or by hand:
 *
 *     cc own_program.c $(pkg-config --cflags vol_zarr) -DPLUGIN_DIR="\"$(pkg-config --variable=vol_zarr_PLUGIN_DIR
 * vol_zarr)\"" \ -lhdf5 -o own_program
 */
#include <H5VLzarr.h>
#include <hdf5.h>
#include <stdio.h>

enum { ROWS = 4, COLUMNS = 3 };

static int write_store(const char *path, hid_t access)
{
    const hsize_t shape[2] = {ROWS, COLUMNS};
    int values[ROWS][COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i / COLUMNS][i % COLUMNS] = i;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const hid_t space = H5Screate_simple(2, shape, NULL);
    const hid_t dataset = H5Dcreate2(file, "counts", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const herr_t written = H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    const herr_t closed = H5Dclose(dataset);
    H5Sclose(space);
    return H5Fclose(file) >= 0 && written >= 0 && closed >= 0;
}

static int read_store(const char *path)
{
    int values[ROWS * COLUMNS], sum = 0;
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT); /* what exists needs no access list */
    const hid_t dataset = H5Dopen2(file, "counts", H5P_DEFAULT);
    const herr_t status = H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    for (int i = 0; status >= 0 && i < ROWS * COLUMNS; i++)
        sum += values[i];
    H5Dclose(dataset);
    H5Fclose(file);
    if (status >= 0)
        printf("the sum is %d\n", sum);
    return status >= 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: own_program STORE\n");
        return 2;
    }
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const int ready = H5PLappend(PLUGIN_DIR) >= 0 && H5Pset_fapl_zarr(access, "compress=zstd") >= 0;
    const int done = ready && write_store(argv[1], access) && read_store(argv[1]);
    H5Pclose(access);
    return done ? 0 : 1;
}
