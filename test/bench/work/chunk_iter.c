/* bench_chunk_iter FILE - walks all datasets of an HDF5 file and the places of their chunks (H5Dchunk_iter), and prints
 * how many there are: what h5zarr virtual does at the least. */
#include <hdf5.h>
#include <stdio.h>

static int count_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size, void *context)
{
    (void)offset, (void)mask, (void)address, (void)size;
    ++*(unsigned long long *)context;
    return 0;
}

static herr_t visit(hid_t file, const char *name, const H5O_info2_t *info, void *context)
{
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), list = dataset < 0 ? -1 : H5Dget_create_plist(dataset);
    herr_t status = list < 0 ? -1 : 0;
    if (status == 0 && H5Pget_layout(list) == H5D_CHUNKED)
        status = H5Dchunk_iter(dataset, H5P_DEFAULT, count_chunk, context);
    if (list >= 0)
        H5Pclose(list);
    if (dataset >= 0)
        H5Dclose(dataset);
    return status;
}

int main(int argc, char **argv)
{
    unsigned long long count = 0;
    const hid_t file = argc == 2 ? H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT) : H5I_INVALID_HID;
    if (file < 0 || H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &count, H5O_INFO_BASIC) < 0)
        return 1;
    printf("%llu\n", count);
    return H5Fclose(file) < 0;
}
