/* direct_chunk.c - direct chunk access (H5Dread_chunk and its family): HDF5's offsets in
 * elements, Zarr's coordinates; which bytes of a chunk HDF5 sees. */
#include "hdf5/datasets/datasets.h"

#include "hdf5/datasets/view_internal.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/writeback/writeback.h"
#include "hdf5/types/types.h"

/* A dataset whose chunk chain equals the filters shown gives and takes filtered bytes. All
 * others give elements of the shown type as no filter left them; where filters are shown, the
 * mask says that none was applied. */
typedef struct direct {
    const vz_dataset_view *view;
    const vz_meta *meta;
    vz_array *io;
    bool filtered;
    bool objects; /* neither form exists: only sizes are known */
    bool parted;  /* nor here: the parts of an element lie in several chunks (made by others) */
    vz_pipeline_shown shown;
    uint32_t all; /* mask of all filters shown */
} direct;

bool vz_dataset_must_be_chunked(vz_node *node, vz_error *err)
{
    return vz_dataset_layout(node) == H5D_CHUNKED || vz_fail(err, VZ_INVALID, "not a chunked dataset");
}

unsigned vz_dataset_rank(vz_node *node)
{
    const vz_dataset_view *view = vz_dataset_view_of(node, NULL);
    return view ? view->rank : 0;
}

static bool direct_open(direct *d, vz_node *node, vz_error *err)
{
    *d = (direct){.view = vz_dataset_view_of(node, err), .meta = node->meta};
    if (!d->view || !vz_dataset_filters(node, &d->shown, err))
        return false;
    if (!vz_dataset_must_be_chunked(node, err))
        return false;
    d->filtered = d->shown.count > 0 && d->shown.exact && d->view->same_bytes;
    d->objects = vz_type_has_vlen(d->view->shown) || H5Tdetect_class(d->view->shown, H5T_REFERENCE) > 0;
    for (unsigned i = d->view->rank; i < d->meta->rank; i++)
        d->parted = d->parted || d->meta->chunks[i] != d->meta->shape[i];
    d->all = (uint32_t)((1u << d->shown.count) - 1);
    d->io = vz_dataset_io(node, err);
    return d->io != NULL;
}

/* A chunk that cannot be read directly: fails as HDF5 does. */
static uint32_t mask_of(const direct *d)
{
    return d->filtered || d->objects ? 0 : d->all;
}

/* Coordinates of the chunk that begins at `offset`. */
static bool chunk_at(const direct *d, const hsize_t *offset, uint64_t *chunk, vz_error *err)
{
    memset(chunk, 0, VZ_MAX_RANK * sizeof *chunk);
    for (unsigned i = 0; i < d->view->rank; i++) {
        const bool inside = offset[i] < d->meta->shape[i];
        chunk[i] = inside ? vz_grid_at(d->meta, i, offset[i]) : 0;
        if (!inside || vz_grid_start(d->meta, i, chunk[i]) != offset[i])
            return vz_fail(err, VZ_INVALID, "no chunk begins at offset %llu of dimension %u",
                           (unsigned long long)offset[i], i);
    }
    return true;
}

static bool must_be_flat(const direct *d, vz_error *err)
{
    if (d->meta->edges)
        return vz_fail(err, VZ_UNSUPPORTED, "direct chunk access to an array with the chunk grid \"rectilinear\"");
    if (d->parted)
        return vz_fail(err, VZ_UNSUPPORTED, "direct chunk access to elements of which a chunk has a part only");
    return !d->objects || vz_fail(err, VZ_UNSUPPORTED, "direct chunk access to variable-length data and references");
}

static uint64_t shown_count(const direct *d)
{
    return d->meta->chunk_count / d->view->per;
}

static uint64_t shown_size(const direct *d)
{
    return shown_count(d) * H5Tget_size(d->view->shown);
}

static bool show_elements(const direct *d, vz_buffer *bytes, vz_error *err)
{
    if (d->view->same_bytes)
        return true;
    vz_buffer out = {0};
    vz_arena arena = {0};
    const bool ok =
        vz_buffer_reserve(&out, shown_size(d), err) &&
        vz_type_unpack(vz_dataset_stored(d->view), d->view->shown, bytes->data, shown_count(d), out.data, &arena, err);
    vz_arena_clear(&arena);
    if (!ok) {
        vz_buffer_clear(&out);
        return false;
    }
    out.size = shown_size(d);
    vz_buffer_clear(bytes);
    *bytes = out;
    return true;
}

bool vz_dataset_chunk_read(vz_node *node, const hsize_t *offset, vz_buffer *out, uint32_t *mask, vz_error *err)
{
    uint64_t chunk[VZ_MAX_RANK];
    direct d;
    bool found;
    if (!direct_open(&d, node, err) || !must_be_flat(&d, err) || !chunk_at(&d, offset, chunk, err))
        return false;
    *mask = mask_of(&d);
    if (!vz_array_get_chunk(d.io, chunk, d.filtered ? VZ_CHUNK_FILTERED : VZ_CHUNK_DECODED, out, &found, err))
        return false;
    return found ? d.filtered || show_elements(&d, out, err) : vz_fail(err, VZ_NOT_FOUND, "the chunk is not stored");
}

static bool write_elements(const direct *d, const uint64_t *chunk, vz_bytes bytes, vz_error *err)
{
    if (bytes.size != shown_size(d))
        return vz_fail(err, VZ_INVALID, "a chunk has %llu bytes, not %zu", (unsigned long long)shown_size(d),
                       bytes.size);
    if (d->view->same_bytes)
        return vz_array_put_chunk(d->io, chunk, VZ_CHUNK_DECODED, bytes, err);
    vz_buffer packed = {0};
    vz_arena arena = {0};
    const bool ok =
        vz_buffer_reserve(&packed, d->meta->chunk_size, err) &&
        vz_type_pack(vz_dataset_stored(d->view), d->view->shown, bytes.data, shown_count(d), packed.data, &arena,
                     err) &&
        vz_array_put_chunk(d->io, chunk, VZ_CHUNK_DECODED, (vz_bytes){packed.data, d->meta->chunk_size}, err);
    vz_arena_clear(&arena);
    vz_buffer_clear(&packed);
    return ok;
}

/* A chunk cannot be stored without some of its array's codecs: what was left out is done here. */
static bool write_undone(const direct *d, const uint64_t *chunk, uint32_t mask, vz_bytes bytes, bool *foreign,
                         vz_error *err)
{
    vz_buffer elements = {0};
    bool undone = false;
    bool ok = !d->view->same_bytes || vz_pipeline_undo(d->meta, &d->shown, mask, bytes, &elements, &undone, err);
    if (ok && undone)
        ok = write_elements(d, chunk, (vz_bytes){elements.data, elements.size}, err);
    *foreign = ok && !undone;
    vz_buffer_clear(&elements);
    return ok;
}

bool vz_dataset_chunk_write(vz_node *node, const hsize_t *offset, uint32_t mask, vz_bytes bytes, bool *foreign,
                            vz_error *err)
{
    uint64_t chunk[VZ_MAX_RANK];
    direct d;
    *foreign = false;
    if (!vz_node_check_elements(node, err) || !direct_open(&d, node, err) || !must_be_flat(&d, err) ||
        !chunk_at(&d, offset, chunk, err) || !vz_edit_store_dimension(node, err))
        return false;
    mask &= d.all;
    const bool ok = mask == d.all         ? write_elements(&d, chunk, bytes, err)
                    : d.filtered && !mask ? vz_array_put_chunk(d.io, chunk, VZ_CHUNK_FILTERED, bytes, err)
                                          : write_undone(&d, chunk, mask, bytes, foreign, err);
    return ok && (*foreign || vz_flush_after_write(node, err));
}

/* ---- what there is ---- */

/* As many bytes as reading the chunk gives. */
static bool size_of(const direct *d, const uint64_t *chunk, uint64_t stored, hsize_t *size, vz_error *err)
{
    *size = d->filtered || d->objects || d->parted || d->meta->edges ? stored : shown_size(d);
    if (!d->filtered || d->meta->edges || !vz_array_is_reframed(d->io))
        return true;
    vz_buffer bytes = {0};
    bool found;
    const bool ok = vz_array_get_chunk(d->io, chunk, VZ_CHUNK_FILTERED, &bytes, &found, err);
    *size = bytes.size;
    vz_buffer_clear(&bytes);
    return ok;
}

bool vz_dataset_chunk_size(vz_node *node, const hsize_t *offset, hsize_t *size, uint32_t *mask, bool *found,
                           vz_error *err)
{
    uint64_t chunk[VZ_MAX_RANK], stored = 0;
    direct d;
    if (!direct_open(&d, node, err) || !chunk_at(&d, offset, chunk, err) ||
        !vz_array_chunk_size(d.io, chunk, &stored, found, err))
        return false;
    *mask = mask_of(&d);
    *size = 0;
    return !*found || size_of(&d, chunk, stored, size, err);
}

typedef struct visit_context {
    const direct *direct;
    bool sized, failed;
    vz_dataset_chunk_visit visit;
    void *context;
    vz_error *err;
} visit_context;

static bool visit_chunk(void *pointer, const uint64_t *chunk, uint64_t stored)
{
    visit_context *c = pointer;
    const direct *d = c->direct;
    hsize_t offset[VZ_MAX_RANK], size = 0;
    for (unsigned i = 0; i < d->view->rank; i++)
        offset[i] = vz_grid_start(d->meta, i, chunk[i]);
    c->failed = c->sized && !size_of(d, chunk, stored, &size, c->err);
    return !c->failed && c->visit(c->context, offset, size, mask_of(d));
}

bool vz_dataset_chunks(vz_node *node, bool sized, vz_dataset_chunk_visit visit, void *context, vz_error *err)
{
    direct d;
    if (!direct_open(&d, node, err))
        return false;
    visit_context c = {.direct = &d, .sized = sized, .visit = visit, .context = context, .err = err};
    return vz_array_flush(d.io, err) && vz_array_each_chunk(d.io, sized, visit_chunk, &c, err) && !c.failed;
}
