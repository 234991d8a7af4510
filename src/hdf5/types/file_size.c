/* file_size.c - the size of an element in a file: its size in memory, corrected for texts and
 * sequences. */
#include "hdf5/types/types.h"
#include "base/util/bytes.h"

#define HEAP_ID 16 /* bytes: a length, an address of 8 bytes, and an index */

typedef struct difference {
    hid_t whole;
    uint64_t in_memory, in_file; /* bytes of the parts that differ */
} difference;

static bool add(difference *d, uint64_t count, uint64_t in_memory, uint64_t in_file, vz_error *err)
{
    return (vz_mul(in_memory, count, &in_memory) && vz_mul(in_file, count, &in_file) &&
            vz_add(d->in_memory, in_memory, &d->in_memory) && vz_add(d->in_file, in_file, &d->in_file)) ||
           vz_fail(err, VZ_LIMIT, "the elements of the datatype are too large");
}

static bool is_in_heap(hid_t type)
{
    return H5Tget_class(type) == H5T_VLEN || H5Tis_variable_str(type) > 0;
}

static bool add_part(void *context, const vz_type_part *part, vz_error *err)
{
    difference *all = context, of_part = {.whole = part->type};
    hsize_t dims[H5S_MAX_RANK];
    uint64_t count = 1;
    if (is_in_heap(part->type))
        of_part = (difference){.in_memory = H5Tget_size(part->type), .in_file = HEAP_ID};
    else if (!vz_type_parts(part->type, part->depth, add_part, &of_part, err))
        return false;
    const int rank = H5Tget_class(all->whole) == H5T_ARRAY ? H5Tget_array_dims2(all->whole, dims) : 0;
    for (int i = 0; i < rank; i++)
        if (!vz_mul(count, dims[i], &count))
            return vz_fail(err, VZ_LIMIT, "the elements of the datatype are too large");
    return add(all, count, of_part.in_memory, of_part.in_file, err);
}

bool vz_type_file_size(hid_t type, uint64_t *size, vz_error *err)
{
    difference d = {.whole = type};
    *size = is_in_heap(type) ? HEAP_ID : H5Tget_size(type);
    if (*size == 0)
        return vz_type_refused(err, "tell the size of a datatype");
    if (!is_in_heap(type) && !vz_type_parts(type, 0, add_part, &d, err))
        return false;
    *size = *size - d.in_memory + d.in_file;
    return true;
}
