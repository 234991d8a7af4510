/* remote_read.c - H5Dread of chunks of an HDF5 file on a server whose filters are known: they are
 * fetched together, and decoded by all workers. HDF5 reads everything else, and again what
 * failed here. */
#include "array/array/array.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/datasets/space.h"
#include "hdf5/native/remote_internal.h"
#include "hdf5/types/types.h"

static vz_native_array *array_of(vz_object *dataset, hid_t file_space)
{
    vz_native_elements *elements = vz_native_elements_of(dataset);
    if (elements->is_array_known && !elements->array)
        return NULL;
    const vz_native_chunks *chunks = vz_native_remote_places(dataset, file_space, false);
    if (!chunks)
        return NULL;
    vz_byte_source *source = elements->is_array_known ? NULL : vz_native_remote_source(vz_native_under(dataset));
    if (source)
        elements->array = VZ_H5_QUIETLY(vz_native_array_new(dataset, source, chunks));
    elements->is_array_known = true;
    return elements->array;
}

/* Are the bytes in memory those in the file, or numbers that workers convert? HDF5 converts fill
 * values in a way of its own. */
static bool find_conversion(const vz_native_array *a, hid_t mem_type, vz_number_conversion *conversion, bool *converts)
{
    vz_number_format memory;
    *converts = H5Tequal(a->type, mem_type) <= 0;
    return !*converts || (a->is_number && !a->is_sparse && vz_type_number(mem_type, &memory) &&
                          vz_conversion_find(a->number, memory, conversion));
}

static bool transfer(const vz_native_array *a, const vz_pair *pair, vz_transfer *t)
{
    vz_error err = VZ_ERROR_NONE;
    vz_pair_runs *runs = NULL;
    if (pair->is_region)
        t->region = &pair->region;
    else if (!(runs = vz_pair_runs_open(pair, false, &err)))
        return false;
    t->next_runs = vz_pair_runs_next;
    t->runs_context = runs;
    const bool ok = vz_array_read(a->array, t, &err);
    vz_pair_runs_close(runs);
    return ok;
}

static bool read_bytes(const vz_native_array *a, const vz_h5_datasets_call *c)
{
    bool converts;
    vz_pair pair;
    vz_error err = VZ_ERROR_NONE;
    vz_number_conversion conversion;
    const vz_extent extent = {.rank = a->meta->rank, .dims = a->meta->shape};
    if (!c->buf[0] || !find_conversion(a, c->mem_type[0], &conversion, &converts) ||
        !vz_dataset_may_convert_numbers(c->dxpl, converts) ||
        !vz_pair_open(&pair, &extent, c->mem_space[0], c->file_space[0], &err))
        return false;
    vz_transfer t = {
        .buffer = c->buf[0], .element_size = H5Tget_size(c->mem_type[0]), .conversion = converts ? &conversion : NULL};
    const bool ok = pair.count > 0 && transfer(a, &pair, &t);
    vz_pair_close(&pair);
    return ok;
}

bool vz_native_remote_read(vz_object *dataset, const vz_h5_datasets_call *call)
{
    if (!vz_native_is_remote(dataset))
        return false;
    const vz_native_array *a = array_of(dataset, call->file_space[0]);
    const bool ok = a && VZ_H5_QUIETLY(read_bytes(a, call));
    if (!ok && H5Eget_num(H5E_DEFAULT) > 0)
        H5Eclear2(H5E_DEFAULT);
    return ok;
}
