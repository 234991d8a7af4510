/* copy_elements.c - the elements of a dataset, in boxes that cover whole chunks. */
#include "command/convert/copy_internal.h"
#include "command/convert/convert_internal.h"
#include <stdlib.h>

typedef struct passage {
    vz_convert_job *c;
    hid_t from, to, type;
    const vz_convert_element *element;
    hid_t from_space, to_space;
    vz_slabs slabs;
    uint64_t memory; /* bytes for the elements of one box */
    uint64_t room;   /* elements that the buffer holds */
    void *buffer;
} passage;

static bool pass_on(passage *p, hid_t space, uint64_t count, vz_error *err)
{
    if (H5Dread(p->from, p->type, space, p->from_space, H5P_DEFAULT, p->buffer) < 0) {
        vz_convert_h5_fail(err, "its elements cannot be read");
        return vz_convert_copy_source_failed(p->c, err);
    }
    bool ok = vz_convert_translate_references(p->c, p->element, p->buffer, count, err);
    if (ok && H5Dwrite(p->to, p->type, space, p->to_space, H5P_DEFAULT, p->buffer) < 0)
        ok = vz_convert_h5_fail(err, "its elements cannot be written");
    if (p->element->has_variable) {
        vz_boxes_adapt(&p->slabs, p->element, p->buffer, count, p->memory);
        H5Treclaim(p->type, space, H5P_DEFAULT, p->buffer);
    }
    if (ok)
        vz_convert_copy_done(p->c, count * p->element->size);
    return ok;
}

static bool move_box(passage *p, const uint64_t *start, const uint64_t *extent, vz_error *err)
{
    const unsigned rank = p->slabs.rank;
    const uint64_t count = vz_slabs_count(rank, extent);
    if (!vz_convert_box_reserve(&p->buffer, &p->room, count, p->element->size, err))
        return false;
    const hid_t space = vz_convert_box_select(rank, start, extent, p->from_space, err);
    const hid_t other = space < 0 ? space : vz_convert_box_select(rank, start, extent, p->to_space, err);
    const bool ok = other >= 0 && pass_on(p, space, count, err);
    vz_convert_id_close(other);
    vz_convert_id_close(space);
    return ok;
}

static bool move_elements(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_element *element, hid_t type,
                          vz_error *err)
{
    uint64_t start[VZ_SLABS_RANK_MAX], extent[VZ_SLABS_RANK_MAX];
    passage p = {.c = c, .from = from, .to = to, .type = type, .element = element, .memory = c->request->memory / 2};
    p.from_space = H5Dget_space(from);
    p.to_space = H5Dget_space(to);
    bool ok = (p.from_space >= 0 && p.to_space >= 0) || vz_convert_h5_fail(err, "its extent cannot be had");
    ok = ok && vz_boxes_begin(&p.slabs, from, to, element, p.memory, err);
    vz_convert_stored_chunks stored;
    const bool is_sparse = ok && !p.slabs.done && vz_convert_stored_take_sparse(from, &stored);
    for (size_t i = 0; ok && is_sparse && i < stored.count; i++)
        ok = vz_convert_stored_box(from, &stored, i, start, extent)
                 ? move_box(&p, start, extent, err)
                 : vz_fail(err, VZ_CORRUPT, "a chunk lies beyond its extent");
    while (ok && !is_sparse && vz_slabs_next(&p.slabs, start, extent))
        ok = move_box(&p, start, extent, err);
    if (is_sparse)
        vz_convert_stored_clear(&stored);
    free(p.buffer);
    vz_convert_id_close(p.to_space);
    vz_convert_id_close(p.from_space);
    return ok;
}

bool vz_convert_copy_box(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_element *element, hid_t type,
                         const uint64_t *start, const uint64_t *extent, vz_error *err)
{
    passage p = {.c = c, .from = from, .to = to, .type = type, .element = element, .memory = c->request->memory / 2};
    p.from_space = H5Dget_space(from);
    p.to_space = H5Dget_space(to);
    const int rank = p.from_space < 0 ? -1 : H5Sget_simple_extent_ndims(p.from_space);
    p.slabs.rank = rank < 0 ? 0 : (unsigned)rank;
    const bool ok = (rank >= 0 && p.to_space >= 0) || vz_convert_h5_fail(err, "its extent cannot be had");
    const bool moved = ok && move_box(&p, start, extent, err);
    free(p.buffer);
    vz_convert_id_close(p.to_space);
    vz_convert_id_close(p.from_space);
    return moved;
}

/* Nothing was ever written to it, and reading gives the fill value, as it does in the target. */
bool vz_convert_is_unwritten(hid_t dataset)
{
    H5D_space_status_t status;
    const hid_t dcpl = H5Dget_create_plist(dataset);
    const H5D_layout_t layout = dcpl < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(dcpl);
    const bool outside = layout == H5D_CONTIGUOUS && H5Pget_external_count(dcpl) > 0;
    vz_convert_id_close(dcpl);
    return (layout == H5D_CHUNKED || layout == H5D_CONTIGUOUS) && !outside &&
           H5Dget_space_status(dataset, &status) >= 0 && status == H5D_SPACE_STATUS_NOT_ALLOCATED;
}

/* The mapping of a virtual dataset that stays one is its properties'. */
static bool stays_virtual(hid_t to)
{
    const hid_t dcpl = H5Dget_create_plist(to);
    const bool is_virtual = dcpl >= 0 && H5Pget_layout(dcpl) == H5D_VIRTUAL;
    vz_convert_id_close(dcpl);
    return is_virtual;
}

static bool is_readable(const vz_convert_job *c, hid_t dataset, vz_error *err)
{
    const hid_t dcpl = H5Dget_create_plist(dataset);
    const bool ok = dcpl >= 0 ? vz_convert_filters_check_readable(dcpl, err)
                              : vz_convert_h5_fail(err, "its filters cannot be read");
    vz_convert_id_close(dcpl);
    return ok || vz_convert_copy_source_failed(c, err);
}

bool vz_convert_copy_elements(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_element *element, hid_t type,
                              vz_error *err)
{
    bool done = vz_convert_is_unwritten(from) || stays_virtual(to);
    if (!done && !vz_convert_copy_chunks(c, from, to, element, &done, err))
        return false;
    return done || (is_readable(c, from, err) && move_elements(c, from, to, element, type, err));
}
