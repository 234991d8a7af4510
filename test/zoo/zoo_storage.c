/* zoo_storage.c - dataspaces, layouts, filters, fill values, attributes. */
#include "zoo.h"

static hid_t new_list(void)
{
    return must(H5Pcreate(H5P_DATASET_CREATE));
}

/* Takes the list. */
static void numbers(hid_t where, const char *name, int rank, const hsize_t *dims, const hsize_t *most, hid_t dcpl)
{
    const hid_t space = must(H5Screate_simple(rank, dims, most));
    const hid_t dataset = must(H5Dcreate2(where, name, H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    zoo_write(where, dataset, H5T_NATIVE_INT, space);
    must(H5Dclose(dataset));
    H5Sclose(space);
    H5Pclose(dcpl);
}

static hid_t chunked(hsize_t a, hsize_t b)
{
    const hid_t dcpl = new_list();
    const hsize_t chunk[2] = {a, b};
    must(H5Pset_chunk(dcpl, b ? 2 : 1, chunk));
    return dcpl;
}

static void spaces(hid_t file)
{
    const hid_t where = zoo_group(file, "spaces");
    const hsize_t none = 0, empty[3] = {3, 0, 2}, wide[2] = {6, 4}, more[2] = {9, H5S_UNLIMITED};
    const hsize_t many[12] = {1, 2, 1, 1, 2, 1, 1, 1, 1, 3, 1, 1}, unlimited = H5S_UNLIMITED;
    numbers(where, "no rows", 1, &none, NULL, new_list());
    numbers(where, "no rows yet", 1, &none, &unlimited, chunked(3, 0));
    numbers(where, "empty", 3, empty, NULL, new_list());
    numbers(where, "can grow", 2, wide, more, chunked(4, 3));
    numbers(where, "may not", 2, wide, NULL, chunked(4, 3));
    numbers(where, "twelve", 12, many, NULL, new_list());
    const hid_t null = must(H5Screate(H5S_NULL));
    static const char *const names[] = {"null number", "null text"};
    const hid_t types[] = {H5T_STD_U16BE, H5T_C_S1};
    for (int i = 0; i < 2; i++) {
        H5Dclose(must(H5Dcreate2(where, names[i], types[i], null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
        H5Aclose(must(H5Acreate2(where, names[i], types[i], null, H5P_DEFAULT, H5P_DEFAULT)));
    }
    H5Sclose(null);
    H5Gclose(where);
}

static void layouts(hid_t file)
{
    const hid_t where = zoo_group(file, "layouts");
    const hsize_t dims[2] = {6, 4};
    const H5D_layout_t kinds[] = {H5D_COMPACT, H5D_CONTIGUOUS};
    static const char *const names[] = {"compact", "contiguous"};
    for (int i = 0; i < 2; i++) {
        const hid_t dcpl = new_list();
        must(H5Pset_layout(dcpl, kinds[i]));
        numbers(where, names[i], 2, dims, NULL, dcpl);
    }
    numbers(where, "chunked", 2, dims, NULL, chunked(5, 3));
    numbers(where, "one chunk", 2, dims, NULL, chunked(6, 4));
    const H5D_alloc_time_t times[] = {H5D_ALLOC_TIME_EARLY, H5D_ALLOC_TIME_LATE, H5D_ALLOC_TIME_INCR};
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "alloc %d", i);
        const hid_t dcpl = chunked(2, 2);
        must(H5Pset_alloc_time(dcpl, times[i]));
        numbers(where, name, 2, dims, NULL, dcpl);
    }
    H5Gclose(where);
}

static void filters(hid_t file)
{
    const hid_t where = zoo_group(file, "filters");
    const hsize_t dims[2] = {13, 10};
    hid_t dcpl = chunked(5, 4);
    must(H5Pset_deflate(dcpl, 6));
    numbers(where, "deflate", 2, dims, NULL, dcpl);
    dcpl = chunked(5, 4);
    must(H5Pset_shuffle(dcpl));
    numbers(where, "shuffle", 2, dims, NULL, dcpl);
    dcpl = chunked(5, 4);
    must(H5Pset_fletcher32(dcpl));
    numbers(where, "fletcher32", 2, dims, NULL, dcpl);
    dcpl = chunked(5, 4);
    must(H5Pset_shuffle(dcpl));
    must(H5Pset_deflate(dcpl, 1));
    must(H5Pset_fletcher32(dcpl));
    numbers(where, "all three", 2, dims, NULL, dcpl);
    dcpl = chunked(5, 4);
    if (H5Zfilter_avail(H5Z_FILTER_SZIP) > 0) {
        must(H5Pset_szip(dcpl, H5_SZIP_NN_OPTION_MASK, 4));
        numbers(where, "szip", 2, dims, NULL, dcpl);
        dcpl = chunked(5, 4);
    }
    must(H5Pset_nbit(dcpl));
    numbers(where, "nbit", 2, dims, NULL, dcpl);
    dcpl = chunked(5, 4);
    must(H5Pset_scaleoffset(dcpl, H5Z_SO_INT, 0));
    numbers(where, "scaleoffset", 2, dims, NULL, dcpl);
    H5Gclose(where);
}

/* A dataset of which only the first two of five elements are written, in chunks of two. (With "never", HDF5 would read
 * chance bytes.) */
static void fill_of(hid_t where, const char *name, hid_t type, const void *value, H5D_fill_time_t when)
{
    const hid_t dcpl = chunked(2, 0);
    const hsize_t dims = when == H5D_FILL_TIME_NEVER ? 2 : 5, zero = 0, two = 2;
    must(H5Pset_fill_value(dcpl, type, value));
    must(H5Pset_fill_time(dcpl, when));
    const hid_t space = must(H5Screate_simple(1, &dims, NULL)), some = must(H5Screate_simple(1, &two, NULL));
    const hid_t dataset = must(H5Dcreate2(where, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    must(H5Sselect_hyperslab(space, H5S_SELECT_SET, &zero, NULL, &two, NULL));
    char *elements = calloc(2, H5Tget_size(type));
    zoo_fill(where, type, elements, 1);
    zoo_fill(where, type, elements + H5Tget_size(type), 2);
    must(H5Dwrite(dataset, type, some, space, H5P_DEFAULT, elements));
    must(H5Treclaim(type, some, H5P_DEFAULT, elements));
    free(elements);
    H5Dclose(dataset);
    H5Sclose(some);
    H5Sclose(space);
    H5Pclose(dcpl);
}

/* Every type of the zoo as fill value: itself, in an array, and in a compound. */
static void fill_values(hid_t file)
{
    const hid_t where = zoo_group(file, "fill values"), in_array = zoo_group(where, "in arrays");
    const hid_t in_compound = zoo_group(where, "in compounds");
    const hsize_t two = 2;
    for (size_t i = 0; i < zoo_type_count; i++) {
        const hid_t type = zoo_types[i].make(), array = must(H5Tarray_create2(type, 1, &two));
        const hid_t compound = must(H5Tcreate(H5T_COMPOUND, 2 + H5Tget_size(type)));
        must(H5Tinsert(compound, "n", 0, H5T_STD_I16LE));
        must(H5Tinsert(compound, "it", 2, type));
        const hid_t types[] = {type, array, compound}, groups[] = {where, in_array, in_compound};
        for (int k = 0; k < 3; k++) {
            if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0)
                continue; /* of these, HDF5 cannot read what is not written when the file is opened read-only */
            char *value = calloc(1, H5Tget_size(types[k]));
            zoo_fill(file, types[k], value, 4);
            fill_of(groups[k], zoo_types[i].name, types[k], value, H5D_FILL_TIME_IFSET);
            const hid_t scalar = must(H5Screate(H5S_SCALAR));
            must(H5Treclaim(types[k], scalar, H5P_DEFAULT, value));
            H5Sclose(scalar);
            free(value);
        }
        H5Tclose(compound);
        H5Tclose(array);
        H5Tclose(type);
    }
    const int zero = 0, nine = 9, ones[2] = {1, 1};
    const hid_t equal = must(H5Tarray_create2(H5T_STD_I32LE, 1, &two));
    fill_of(in_array, "equal elements", equal, ones, H5D_FILL_TIME_IFSET);
    H5Tclose(equal);
    fill_of(where, "zero", H5T_STD_I32LE, &zero, H5D_FILL_TIME_IFSET);
    fill_of(where, "at allocation", H5T_STD_I32LE, &nine, H5D_FILL_TIME_ALLOC);
    fill_of(where, "never", H5T_STD_I32LE, &nine, H5D_FILL_TIME_NEVER);
    H5Gclose(in_compound);
    H5Gclose(in_array);
    H5Gclose(where);
}

/* Many, large, and in the order of their creation. */
static void attributes(hid_t file)
{
    const hid_t gcpl = must(H5Pcreate(H5P_GROUP_CREATE));
    must(H5Pset_attr_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    const hid_t where = must(H5Gcreate2(file, "attributes", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    char name[32];
    for (unsigned i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "%u", (7 * i) % 20);
        zoo_attribute(where, name, H5T_STD_I32LE, i % 3);
    }
    zoo_attribute(where, "large", H5T_IEEE_F64LE, 8000);
    zoo_attribute(where, "gr\xc3\xbcn / . \"\\", H5T_STD_I32LE, 1);
    must(H5Oset_comment(where, "a comment, \"quoted\""));
    H5Gclose(where);
    H5Pclose(gcpl);
}

void zoo_part_storage(hid_t file)
{
    spaces(file);
    layouts(file);
    filters(file);
    fill_values(file);
    attributes(file);
}
