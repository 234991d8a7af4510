/* zoo_fill.c - elements of any type, from a small number, and what holds them. */
#include "zoo.h"

#define NUMBER_BYTES 64 /* more than any number of the zoo has, before and after conversion */

/* Numbers are made by HDF5's own conversion, so that padding and odd forms are right. */
static void fill_number(hid_t type, void *element, unsigned seed)
{
    unsigned char bytes[NUMBER_BYTES] = {0};
    const size_t size = H5Tget_size(type);
    const H5T_class_t class = H5Tget_class(type);
    if (class == H5T_FLOAT) {
        const double value = 0.5 * seed - 1;
        memcpy(bytes, &value, sizeof value);
        must(H5Tconvert(H5T_NATIVE_DOUBLE, type, 1, bytes, NULL, H5P_DEFAULT));
    } else if (class == H5T_BITFIELD) {
        const unsigned long long value = 5 + 2ULL * seed;
        memcpy(bytes, &value, sizeof value);
        must(H5Tconvert(H5T_NATIVE_B64, type, 1, bytes, NULL, H5P_DEFAULT));
    } else {
        const long long value = H5Tget_sign(type) == H5T_SGN_2 ? 2 - 3 * (long long)seed : 3 * (long long)seed;
        memcpy(bytes, &value, sizeof value);
        must(H5Tconvert(H5T_NATIVE_LLONG, type, 1, bytes, NULL, H5P_DEFAULT));
    }
    memcpy(element, bytes, size);
}

/* Texts of every length up to the type's, the full one too. */
static void fill_string(hid_t type, char *element, unsigned seed)
{
    static const char text[] = "zebra finch, lynx and newt";
    const char *utf8 = H5Tget_cset(type) == H5T_CSET_UTF8 ? "\xc3\xb6" : "";
    char made[64];
    snprintf(made, sizeof made, "%s%.*s", utf8, (int)(3 * seed % sizeof text), text);
    if (H5Tis_variable_str(type) > 0) {
        char *copy = strdup(made);
        memcpy(element, &copy, sizeof copy);
        return;
    }
    const size_t size = H5Tget_size(type), length = strlen(made);
    const size_t most = H5Tget_strpad(type) == H5T_STR_NULLTERM ? size - 1 : size;
    memset(element, H5Tget_strpad(type) == H5T_STR_SPACEPAD ? ' ' : 0, size);
    memcpy(element, made, length < most ? length : most);
}

static void fill_old_reference(hid_t file, hid_t type, void *element)
{
    const bool region = H5Tequal(type, H5T_STD_REF_DSETREG) > 0;
    const hsize_t start[2] = {0, 1}, count[2] = {2, 2};
    hid_t space = H5S_ALL;
    if (region) {
        const hid_t target = must(H5Dopen2(file, ZOO_TARGET, H5P_DEFAULT));
        space = must(H5Dget_space(target));
        must(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
        H5Dclose(target);
    }
    must(H5Rcreate(element, file, ZOO_TARGET, region ? H5R_DATASET_REGION : H5R_OBJECT, region ? space : -1));
    if (region)
        H5Sclose(space);
}

static void fill_new_reference(hid_t file, void *element, unsigned seed)
{
    const hsize_t point[4] = {0, 2, 1, 0}, dims[2] = {2, 3};
    if (seed % 3 == 0)
        must(H5Rcreate_object(file, ZOO_TARGET, H5P_DEFAULT, element));
    else if (seed % 3 == 1)
        must(H5Rcreate_attr(file, ZOO_TARGET, "note", H5P_DEFAULT, element));
    else {
        const hid_t space = must(H5Screate_simple(2, dims, NULL));
        must(H5Sselect_elements(space, H5S_SELECT_SET, 2, point));
        must(H5Rcreate_region(file, ZOO_TARGET, space, H5P_DEFAULT, element));
        H5Sclose(space);
    }
}

static void fill_members(hid_t file, hid_t type, char *element, unsigned seed)
{
    const int members = H5Tget_nmembers(type);
    memset(element, 0, H5Tget_size(type));
    for (unsigned i = 0; i < (unsigned)members; i++) {
        const hid_t member = must(H5Tget_member_type(type, i));
        zoo_fill(file, member, element + H5Tget_member_offset(type, i), seed + i);
        H5Tclose(member);
    }
}

static void fill_many(hid_t file, hid_t type, char *elements, size_t count, unsigned seed)
{
    const size_t size = H5Tget_size(type);
    for (size_t i = 0; i < count; i++)
        zoo_fill(file, type, elements + i * size, seed + (unsigned)i);
}

/* Arrays, sequences, and the two halves of a complex number. */
static void fill_elements(hid_t file, hid_t type, char *element, unsigned seed)
{
    const hid_t base = must(H5Tget_super(type));
    const size_t size = H5Tget_size(base);
    if (H5Tget_class(type) == H5T_VLEN) {
        hvl_t sequence = {seed % 3, NULL};
        if (sequence.len) {
            sequence.p = calloc(sequence.len, size);
            fill_many(file, base, sequence.p, sequence.len, seed + 1);
        }
        memcpy(element, &sequence, sizeof sequence);
    } else
        fill_many(file, base, element, H5Tget_size(type) / size, seed);
    H5Tclose(base);
}

void zoo_fill(hid_t file, hid_t type, void *element, unsigned seed)
{
    const size_t size = H5Tget_size(type);
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_BITFIELD:
        fill_number(type, element, seed);
        break;
    case H5T_TIME:
    case H5T_OPAQUE:
        for (size_t i = 0; i < size; i++)
            ((unsigned char *)element)[i] = (unsigned char)(16 * seed + i);
        break;
    case H5T_STRING:
        fill_string(type, element, seed);
        break;
    case H5T_ENUM:
        must(H5Tget_member_value(type, seed % (unsigned)H5Tget_nmembers(type), element));
        break;
    case H5T_REFERENCE:
        memset(element, 0, size);
        if (seed % 4 == 3)
            break; /* the null reference */
        if (H5Tequal(type, H5T_STD_REF) > 0)
            fill_new_reference(file, element, seed);
        else
            fill_old_reference(file, type, element);
        break;
    case H5T_COMPOUND:
        fill_members(file, type, element, seed);
        break;
    default:
        fill_elements(file, type, element, seed);
    }
}

static char *filled(hid_t file, hid_t type, hid_t space, size_t *count)
{
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    *count = points > 0 ? (size_t)points : 0;
    char *elements = calloc(*count + 1, H5Tget_size(type));
    fill_many(file, type, elements, *count, 0);
    return elements;
}

void zoo_write(hid_t file, hid_t dataset, hid_t type, hid_t space)
{
    size_t count;
    char *elements = filled(file, type, space, &count);
    must(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
    if (count)
        must(H5Treclaim(type, space, H5P_DEFAULT, elements));
    free(elements);
}

static hid_t simple_space(hsize_t count)
{
    return must(count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR));
}

void zoo_dataset(hid_t where, const char *name, hid_t type, hsize_t count, hid_t dcpl)
{
    const hid_t space = simple_space(count);
    const hid_t dataset = must(H5Dcreate2(where, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    zoo_write(where, dataset, type, space);
    must(H5Dclose(dataset));
    H5Sclose(space);
}

void zoo_attribute(hid_t where, const char *name, hid_t type, hsize_t count)
{
    const hid_t space = simple_space(count);
    const hid_t attribute = must(H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    size_t number;
    char *elements = filled(where, type, space, &number);
    must(H5Awrite(attribute, type, elements));
    must(H5Treclaim(type, space, H5P_DEFAULT, elements));
    free(elements);
    must(H5Aclose(attribute));
    H5Sclose(space);
}

hid_t zoo_group(hid_t where, const char *name)
{
    return must(H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}
