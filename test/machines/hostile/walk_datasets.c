/* walk_datasets.c - what is asked of datasets and attributes. */
#include "walk.h"

#include <stdlib.h>

static hsize_t size_of_chunk(hid_t dcpl, size_t element_size)
{
    hsize_t dims[H5S_MAX_RANK], size = element_size;
    const int rank = H5Pget_layout(dcpl) == H5D_CHUNKED ? H5Pget_chunk(dcpl, H5S_MAX_RANK, dims) : 0;
    for (int i = 0; i < rank; i++)
        size = dims[i] && size > HSIZE_UNDEF / dims[i] ? HSIZE_UNDEF : size * dims[i];
    return size;
}

static void walk_filters(hid_t dcpl)
{
    const int count = H5Pget_nfilters(dcpl);
    for (int i = 0; i < count; i++) {
        unsigned flags, values[32], config;
        size_t value_count = 32;
        char name[64];
        H5Pget_filter2(dcpl, (unsigned)i, &flags, &value_count, values, sizeof name, name, &config);
    }
}

static void walk_sources(hid_t dcpl)
{
    char name[256];
    size_t count = 0;
    const int files = H5Pget_external_count(dcpl);
    for (int i = 0; i < files && i < WALK_ELEMENTS_MAX; i++) {
        off_t offset;
        hsize_t size;
        H5Pget_external(dcpl, (unsigned)i, sizeof name, name, &offset, &size);
    }
    if (H5Pget_layout(dcpl) != H5D_VIRTUAL || H5Pget_virtual_count(dcpl, &count) < 0)
        return;
    for (size_t i = 0; i < count && i < WALK_ELEMENTS_MAX; i++) {
        H5Pget_virtual_filename(dcpl, i, name, sizeof name);
        H5Pget_virtual_dsetname(dcpl, i, name, sizeof name);
        H5Sclose(H5Pget_virtual_vspace(dcpl, i));
        H5Sclose(H5Pget_virtual_srcspace(dcpl, i));
    }
}

static void walk_fill_value(hid_t dataset, hid_t dcpl)
{
    H5D_fill_value_t defined;
    const hid_t type = H5Dget_type(dataset);
    const size_t size = H5Tget_size(type);
    void *value = size && size <= WALK_READ_MAX ? calloc(1, size) : NULL;
    H5Pfill_value_defined(dcpl, &defined);
    if (value && H5Pget_fill_value(dcpl, type, value) >= 0) {
        const hid_t scalar = H5Screate(H5S_SCALAR);
        H5Treclaim(type, scalar, H5P_DEFAULT, value);
        H5Sclose(scalar);
    }
    free(value);
    H5Tclose(type);
}

void walk_dataset_shape(hid_t dataset)
{
    H5D_space_status_t status;
    hsize_t dims[H5S_MAX_RANK], most[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset), dcpl = H5Dget_create_plist(dataset);
    H5Sget_simple_extent_dims(space, dims, most);
    H5Dget_space_status(dataset, &status);
    H5Dget_storage_size(dataset);
    H5Dget_offset(dataset);
    if (type >= 0)
        walk_type(type, 0);
    if (dcpl >= 0) {
        walk_filters(dcpl);
        walk_sources(dcpl);
    }
    H5Pclose(dcpl);
    H5Tclose(type);
    H5Sclose(space);
}

/* Elements of the selection `space` of a dataset, or all of an attribute's, in the type they have and in the machine's.
 */
static void read_as(hid_t object, bool attribute, hid_t type, hid_t space, hssize_t count, unsigned depth)
{
    const size_t size = H5Tget_size(type);
    if (size == 0 || count <= 0 || (size_t)count > WALK_READ_MAX / size)
        return;
    const hsize_t length = (hsize_t)count;
    const hid_t memory = H5Screate_simple(1, &length, NULL), file = H5Iget_file_id(object);
    void *elements = calloc((size_t)count, size);
    const herr_t read = !elements   ? -1
                        : attribute ? H5Aread(object, type, elements)
                                    : H5Dread(object, type, memory, space, H5P_DEFAULT, elements);
    if (read >= 0)
        walk_elements(file, type, memory, (size_t)count, elements, depth);
    free(elements);
    H5Fclose(file);
    H5Sclose(memory);
}

static void read_both(hid_t object, bool attribute, hid_t type, hid_t space, unsigned depth)
{
    const hssize_t count = attribute ? H5Sget_simple_extent_npoints(space) : H5Sget_select_npoints(space);
    const hid_t native = H5Tget_native_type(type, H5T_DIR_DEFAULT);
    read_as(object, attribute, type, space, count, depth);
    if (native >= 0 && H5Tequal(native, type) == 0)
        read_as(object, attribute, native, space, count, depth);
    H5Tclose(native);
}

/* The first and the last few elements along each dimension. */
static void read_corners(hid_t dataset, hid_t type, hid_t space, unsigned depth)
{
    hsize_t dims[H5S_MAX_RANK], start[H5S_MAX_RANK], count[H5S_MAX_RANK], none[H5S_MAX_RANK] = {0};
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    for (int i = 0; i < rank; i++) {
        count[i] = dims[i] < 2 ? dims[i] : 2;
        start[i] = dims[i] - count[i];
    }
    if (rank <= 0 || rank > 8 || H5Sget_simple_extent_npoints(space) == 0)
        return;
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, none, NULL, count, NULL) >= 0)
        read_both(dataset, false, type, space, depth);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0)
        read_both(dataset, false, type, space, depth);
}

static void walk_chunks(hid_t dataset, int rank)
{
    hsize_t count = 0;
    if (H5Dget_num_chunks(dataset, H5S_ALL, &count) < 0)
        return;
    for (hsize_t i = 0; i < count && i < 4; i++) {
        hsize_t offset[H5S_MAX_RANK] = {0}, size = 0;
        unsigned mask;
        haddr_t address;
        if (rank <= 0 || H5Dget_chunk_info(dataset, H5S_ALL, i, offset, &mask, &address, &size) < 0)
            continue;
        uint32_t filters;
        void *chunk = size <= WALK_READ_MAX ? malloc((size_t)size + 1) : NULL;
        if (chunk)
            H5Dread_chunk(dataset, H5P_DEFAULT, offset, &filters, chunk);
        free(chunk);
    }
}

void walk_dataset_elements(hid_t dataset, unsigned depth)
{
    const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset), dcpl = H5Dget_create_plist(dataset);
    const size_t size = H5Tget_size(type);
    if (space >= 0 && type >= 0 && dcpl >= 0 && size_of_chunk(dcpl, size) <= WALK_CHUNK_MAX) {
        const hssize_t count = H5Sget_simple_extent_npoints(space);
        walk_fill_value(dataset, dcpl);
        if (count >= 0 && (size_t)count <= WALK_READ_MAX / (size ? size : 1))
            read_both(dataset, false, type, space, depth);
        read_corners(dataset, type, space, depth);
        walk_chunks(dataset, H5Sget_simple_extent_ndims(space));
    }
    H5Pclose(dcpl);
    H5Tclose(type);
    H5Sclose(space);
}

struct attributes {
    bool elements;
    unsigned depth, count;
};

static herr_t walk_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    struct attributes *attributes = data;
    (void)info;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return 0;
    const hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    H5Aget_storage_size(attribute);
    if (type >= 0)
        walk_type(type, 0);
    if (attributes->elements && space >= 0 && type >= 0)
        read_both(attribute, true, type, space, attributes->depth);
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    return ++attributes->count < WALK_LINKS_MAX ? 0 : 1;
}

void walk_attributes(hid_t object, bool elements, unsigned depth)
{
    struct attributes attributes = {elements, depth, 0};
    hsize_t at = 0;
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, walk_attribute, &attributes);
}
