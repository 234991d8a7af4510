/* remote_chunks.c - before HDF5 reads chunks of a file on a server, one after another, their places
 * are given to the source of the bytes. The source asks for many at once. HDF5 reads and decodes
 * them as ever, so a wrong hint costs time only. */
#include "hdf5/native/remote_internal.h"
#include <stdlib.h>

#define CHUNKS_MAX ((size_t)1 << 20) /* places that are kept of a dataset */
#define SPARSE     4                 /* a selection of a smaller part of its box gets no hint */

/* ---- places of all chunks, in the order of the index ---- */

typedef struct listing {
    vz_native_chunks *chunks;
    size_t capacity;
    bool failed;
} listing;

static bool grow(listing *l)
{
    if (l->chunks->place_count < l->capacity)
        return true;
    const size_t capacity = l->capacity ? 2 * l->capacity : 64;
    vz_native_place *places = capacity > CHUNKS_MAX ? NULL : realloc(l->chunks->places, capacity * sizeof *places);
    if (!places)
        return false;
    l->chunks->places = places;
    l->capacity = capacity;
    return true;
}

static uint64_t number_of(const vz_native_chunks *e, const hsize_t *first)
{
    uint64_t at[H5S_MAX_RANK];
    for (int i = 0; i < e->rank; i++)
        at[i] = first[i] / e->chunk[i];
    return vz_native_chunk_number(e, at);
}

static int list_chunk(const hsize_t *first, unsigned mask, haddr_t address, hsize_t size, void *context)
{
    listing *l = context;
    l->chunks->are_masked |= mask != 0;
    if (!grow(l)) {
        l->failed = true;
        return 1;
    }
    l->chunks->places[l->chunks->place_count++] = (vz_native_place){number_of(l->chunks, first), address, (size_t)size};
    return 0;
}

static void find_places(vz_object *dataset, vz_native_chunks *e)
{
    listing l = {.chunks = e};
    H5VL_native_dataset_optional_args_t native = {.chunk_iter = {list_chunk, &l}};
    H5VL_optional_args_t args = {.op_type = H5VL_NATIVE_DATASET_CHUNK_ITER, .args = &native};
    e->are_places_known = true;
    if (H5VLdataset_optional(vz_native_under(dataset), vz_native_connector(), &args, H5P_DATASET_XFER_DEFAULT, NULL) <
            0 ||
        l.failed)
        e->place_count = 0;
    vz_native_places_sort(e);
}

/* ---- of a selection ---- */

/* The box of chunks around a selection. */
typedef struct chunk_box {
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK]; /* with the last one */
    uint64_t count;
    bool is_dense; /* the selection takes much of it */
} chunk_box;

static bool box_of_all(const vz_native_chunks *e, chunk_box *box)
{
    for (int i = 0; i < e->rank; i++) {
        box->low[i] = 0;
        box->high[i] = e->grid[i] - 1;
    }
    box->is_dense = true;
    return true;
}

static bool box_of_selection(const vz_native_chunks *e, hid_t space, bool is_dense, chunk_box *box)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    const hssize_t points = H5Sget_select_npoints(space);
    double volume = 1;
    if (points <= 0 || H5Sget_simple_extent_ndims(space) != e->rank || H5Sget_select_bounds(space, low, high) < 0)
        return false;
    for (int i = 0; i < e->rank; i++) {
        box->low[i] = low[i] / e->chunk[i];
        box->high[i] = high[i] / e->chunk[i];
        if (box->high[i] >= e->grid[i])
            return false;
        volume *= (double)(high[i] - low[i] + 1);
    }
    box->is_dense = (double)points * SPARSE >= volume;
    return !is_dense || box->is_dense;
}

static bool is_in(const vz_native_chunks *e, const chunk_box *box, uint64_t number)
{
    for (int i = e->rank; i-- > 0; number /= e->grid[i])
        if (number % e->grid[i] < box->low[i] || number % e->grid[i] > box->high[i])
            return false;
    return true;
}

static bool find_box(const vz_native_chunks *e, hid_t space, bool is_dense, chunk_box *box)
{
    const bool found = space == H5S_ALL ? box_of_all(e, box) : box_of_selection(e, space, is_dense, box);
    box->count = 1;
    for (int i = 0; found && i < e->rank; i++)
        if (!vz_mul(box->count, box->high[i] - box->low[i] + 1, &box->count))
            return false;
    return found && box->count > 1;
}

static void tell(vz_object *dataset, const vz_native_chunks *e, const chunk_box *box)
{
    vz_byte_read *reads = calloc(e->place_count, sizeof *reads);
    size_t count = 0;
    for (size_t i = 0; reads && i < e->place_count; i++)
        if (is_in(e, box, e->places[i].number))
            reads[count++] = (vz_byte_read){.offset = e->places[i].address, .size = e->places[i].size};
    vz_byte_source *source = count > 1 ? vz_native_remote_source(vz_native_under(dataset)) : NULL;
    if (source)
        vz_byte_source_read_many(source, reads, count, NULL);
    free(reads);
}

/* A file that is read does not grow, so all of this is found out once. */
static bool find_grid(void *dataset, hid_t dcpl, vz_native_chunks *e)
{
    H5VL_dataset_get_args_t args = {.op_type = H5VL_DATASET_GET_SPACE};
    hsize_t *extent = e->extent;
    const int rank = H5Pget_layout(dcpl) == H5D_CHUNKED ? H5Pget_chunk(dcpl, H5S_MAX_RANK, e->chunk) : 0;
    if (rank <= 0 || H5VLdataset_get(dataset, vz_native_connector(), &args, H5P_DATASET_XFER_DEFAULT, NULL) < 0)
        return false;
    const hid_t space = args.args.get_space.space_id;
    bool ok = H5Sget_simple_extent_ndims(space) == rank && H5Sget_simple_extent_dims(space, extent, NULL) >= 0;
    for (int i = 0; ok && i < rank; i++)
        ok = (e->grid[i] = extent[i] / e->chunk[i] + (extent[i] % e->chunk[i] > 0)) > 0;
    if (ok)
        e->rank = rank;
    vz_h5_close_quietly(space);
    return ok;
}

static vz_native_chunks *chunks_of(vz_object *dataset, vz_native_elements *elements)
{
    void *native = vz_native_under(dataset);
    H5VL_dataset_get_args_t args = {.op_type = H5VL_DATASET_GET_DCPL};
    if (elements->chunks || !(elements->chunks = calloc(1, sizeof *elements->chunks)))
        return elements->chunks;
    if (H5VLdataset_get(native, vz_native_connector(), &args, H5P_DATASET_XFER_DEFAULT, NULL) < 0)
        return elements->chunks;
    find_grid(native, args.args.get_dcpl.dcpl_id, elements->chunks);
    vz_h5_close_quietly(args.args.get_dcpl.dcpl_id);
    return elements->chunks;
}

/* While HDF5 reads the index, the chunks of the selection are guessed. */
static void find_places_for(vz_object *dataset, vz_native_chunks *e, const chunk_box *box)
{
    const vz_native_wanted wanted = {.chunks = e,
                                     .first = vz_native_chunk_number(e, box->low),
                                     .last = vz_native_chunk_number(e, box->high),
                                     .count = box->count};
    vz_native_remote_want(box->is_dense ? &wanted : NULL);
    find_places(dataset, e);
    vz_native_remote_want(NULL);
}

static const vz_native_chunks *places(vz_object *dataset, hid_t file_space, bool is_dense, chunk_box *box)
{
    vz_native_chunks *e = chunks_of(dataset, vz_native_elements_of(dataset));
    if (!e || e->rank == 0 || !find_box(e, file_space, is_dense, box))
        return NULL;
    if (!e->are_places_known)
        find_places_for(dataset, e, box);
    return e->place_count > 1 ? e : NULL;
}

/* A failure is none: reading says what is wrong. */
static void forget_failures(void)
{
    vz_native_is_noted = false;
    if (H5Eget_num(H5E_DEFAULT) > 0)
        H5Eclear2(H5E_DEFAULT);
}

const vz_native_chunks *vz_native_remote_places(vz_object *dataset, hid_t file_space, bool is_dense)
{
    chunk_box box;
    const vz_native_chunks *found = VZ_H5_QUIETLY(places(dataset, file_space, is_dense, &box));
    forget_failures();
    return found;
}

static void expect(vz_object *dataset, hid_t file_space)
{
    chunk_box box;
    const vz_native_chunks *e = places(dataset, file_space, true, &box);
    if (e)
        tell(dataset, e, &box);
}

void vz_native_remote_expect(vz_object *dataset, hid_t file_space)
{
    if (!vz_native_is_remote(dataset))
        return;
    VZ_H5_QUIETLY((expect(dataset, file_space), 0));
    forget_failures();
}
