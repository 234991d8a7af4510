/* copy_elements.c - elements through memory, in pieces of bounded size: chunks that the source
 * does not have, the copy does not get. */
#include "hdf5/h5/h5.h"
#include "hdf5/copy/copy_internal.h"
#include "base/util/bytes.h"
#include <stdlib.h>

/* of a dataset, in memory at once; a larger chunk is a piece of its own */
#define PIECE_BYTES ((hsize_t)16 << 20)

typedef struct piece {
    int rank;
    hsize_t dims[H5S_MAX_RANK], size[H5S_MAX_RANK], at[H5S_MAX_RANK];
} piece;

/* As many chunks as fit, the last dimension first; without chunks as many elements. */
static bool piece_plan(piece *p, hid_t space, hid_t dcpl, size_t element)
{
    hsize_t bytes = element;
    *p = (piece){.rank = H5Sget_simple_extent_ndims(space)};
    if (p->rank < 0 || H5Sget_simple_extent_dims(space, p->dims, NULL) < 0)
        return false;
    for (int d = 0; d < p->rank; d++)
        p->size[d] = 1;
    if (p->rank > 0 && H5Pget_layout(dcpl) == H5D_CHUNKED && H5Pget_chunk(dcpl, p->rank, p->size) != p->rank)
        return false;
    for (int d = 0; d < p->rank; d++) {
        p->size[d] = p->size[d] < p->dims[d] ? p->size[d] : p->dims[d];
        bytes *= p->size[d];
    }
    for (int d = p->rank - 1; d >= 0; d--) {
        const hsize_t times = bytes < PIECE_BYTES ? PIECE_BYTES / bytes : 1;
        const hsize_t wanted = times > p->dims[d] / p->size[d] ? p->dims[d] : p->size[d] * times;
        bytes = bytes / p->size[d] * wanted;
        p->size[d] = wanted;
    }
    return true;
}

static bool piece_next(piece *p)
{
    for (int d = p->rank - 1; d >= 0; d--) {
        p->at[d] += p->size[d];
        if (p->at[d] < p->dims[d])
            return true;
        p->at[d] = 0;
    }
    return false;
}

static hid_t piece_select(const piece *p, hid_t space)
{
    hsize_t count[H5S_MAX_RANK];
    for (int d = 0; d < p->rank; d++)
        count[d] = p->size[d] < p->dims[d] - p->at[d] ? p->size[d] : p->dims[d] - p->at[d];
    if (p->rank == 0)
        return H5Screate(H5S_SCALAR);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, p->at, NULL, count, NULL) < 0)
        return H5I_INVALID_HID;
    return H5Screate_simple(p->rank, count, NULL);
}

static bool copy_piece(vz_objcopy *copy, hid_t from, hid_t to, hid_t type, hid_t space, hid_t memory)
{
    const size_t size = H5Tget_size(type);
    const hssize_t count = H5Sget_simple_extent_npoints(memory);
    if (!vz_copy_hdf5(copy, size > 0 && count >= 0))
        return false;
    void *elements = calloc((size_t)count, size);
    if (!elements)
        return vz_fail_memory(copy->err);
    bool ok = vz_copy_hdf5(copy, H5Dread(from, type, memory, space, H5P_DEFAULT, elements) >= 0);
    if (ok) {
        ok = (copy->same_file || vz_copy_null_references(type, elements, (size_t)count, copy->err)) &&
             vz_copy_hdf5(copy, H5Dwrite(to, type, memory, space, H5P_DEFAULT, elements) >= 0);
        vz_copy_reclaim(type, memory, elements);
    }
    free(elements);
    return ok;
}

/* ---- all of them, or the chunks that there are ---- */

static bool copy_here(vz_objcopy *copy, hid_t from, hid_t to, hid_t type, hid_t space, const piece *p)
{
    const hid_t memory = piece_select(p, space);
    const bool ok = vz_copy_hdf5(copy, memory >= 0) && copy_piece(copy, from, to, type, space, memory);
    if (memory >= 0)
        vz_h5_close_quietly(memory);
    return ok;
}

/* Where stored chunks begin: `count` times `rank` numbers. */
typedef struct chunks {
    hsize_t *at;
    size_t rank, count, room;
} chunks;

static int note_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size, void *context)
{
    chunks *c = context;
    uint64_t bytes;
    (void)mask, (void)address, (void)size;
    if (c->count == c->room) {
        const size_t room = c->room ? 2 * c->room : 64;
        hsize_t *grown = vz_mul(room, c->rank * sizeof *grown, &bytes) ? realloc(c->at, bytes) : NULL;
        if (!grown)
            return -1;
        c->at = grown;
        c->room = room;
    }
    memcpy(c->at + c->count++ * c->rank, offset, c->rank * sizeof *offset);
    return 0;
}

/* Is there a chunk of the source that is not stored? Then `c` has those that are. If that is
 * unknown, the answer is no. */
static bool has_gaps(const piece *p, hid_t from, hid_t dcpl, hsize_t *sides, chunks *c)
{
    uint64_t all = 1;
    *c = (chunks){.rank = (size_t)p->rank};
    if (p->rank <= 0 || H5Pget_layout(dcpl) != H5D_CHUNKED || H5Pget_chunk(dcpl, p->rank, sides) != p->rank)
        return false;
    for (int d = 0; d < p->rank; d++)
        if (sides[d] == 0 || !vz_mul(all, (p->dims[d] - 1) / sides[d] + 1, &all))
            all = UINT64_MAX;
    hsize_t stored = 0;
    if (VZ_H5_QUIETLY(H5Dget_num_chunks(from, H5S_ALL, &stored)) < 0 || stored >= all)
        return false;
    return VZ_H5_QUIETLY(H5Dchunk_iter(from, H5P_DEFAULT, note_chunk, c)) >= 0;
}

static bool is_inside(const piece *p)
{
    for (int d = 0; d < p->rank; d++)
        if (p->at[d] >= p->dims[d])
            return false;
    return true;
}

static bool copy_chunks(vz_objcopy *copy, hid_t from, hid_t to, hid_t type, hid_t space, piece *p, const chunks *c)
{
    bool ok = true;
    for (size_t i = 0; ok && i < c->count; i++) {
        memcpy(p->at, c->at + i * c->rank, c->rank * sizeof *p->at);
        ok = !is_inside(p) || copy_here(copy, from, to, type, space, p);
    }
    return ok;
}

bool vz_objcopy_elements(vz_objcopy *copy, hid_t from, hid_t to, hid_t type, hid_t space, hid_t dcpl)
{
    piece p, chunk;
    chunks stored;
    if (H5Sget_simple_extent_type(space) == H5S_NULL || H5Sget_simple_extent_npoints(space) <= 0 ||
        /* the copy names the same files */
        H5Dget_storage_size(from) == 0 || H5Pget_external_count(dcpl) > 0)
        return true;
    if (!vz_copy_hdf5(copy, piece_plan(&p, space, dcpl, H5Tget_size(type))))
        return false;
    chunk = p;
    bool ok = true;
    if (has_gaps(&p, from, dcpl, chunk.size, &stored))
        ok = copy_chunks(copy, from, to, type, space, &chunk, &stored);
    else
        do
            ok = copy_here(copy, from, to, type, space, &p);
        while (ok && piece_next(&p));
    free(stored.at);
    return ok;
}
