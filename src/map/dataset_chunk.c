/* dataset_chunk.c - direct chunk access (H5Dread_chunk and its family): HDF5's offsets in elements, Zarr's coordinates.
 */
#include "map/dataset.h"

#include "map/dataset_view.h"

/* Coordinates of the chunk that begins at `offset`; *stored tells whether callers see the store's bytes or decoded
 * ones. */
static vz_array *chunk_at(vz_node *node, const hsize_t *offset, uint64_t *chunk, bool *use_stored, vz_error *err)
{
    vz_shown shown;
    const vz_dataset_view *view = vz_dataset_view_of(node, err);
    if (!view || !vz_dataset_filters(node, &shown, err))
        return NULL;
    const vz_array_meta *meta = node->meta;
    if (vz_dataset_layout(node) != H5D_CHUNKED) {
        vz_fail(err, VZ_INVALID, "the dataset is not chunked");
        return NULL;
    }
    if (meta->dtype->kind == VZ_DTYPE_OBJECT) {
        vz_fail(err, VZ_UNSUPPORTED, "direct chunk access to variable-length data");
        return NULL;
    }
    if (shown.count > 0 && !shown.exact) {
        vz_fail(err, VZ_UNSUPPORTED,
                "direct chunk access: the store's codec has another framing than the filter shown");
        return NULL;
    }
    memset(chunk, 0, VZ_MAX_RANK * sizeof *chunk);
    for (unsigned d = 0; d < view->rank; d++) {
        if (offset[d] % meta->chunks[d] != 0 || offset[d] >= meta->shape[d]) {
            vz_fail(err, VZ_INVALID, "no chunk begins at offset %llu of dimension %u", (unsigned long long)offset[d],
                    d);
            return NULL;
        }
        chunk[d] = offset[d] / meta->chunks[d];
    }
    *use_stored = shown.count > 0;
    return vz_node_io(node, err);
}

bool vz_dataset_chunk_read(vz_node *node, const hsize_t *offset, vz_buffer *out, vz_error *err)
{
    uint64_t chunk[VZ_MAX_RANK];
    bool use_stored, found;
    vz_array *io = chunk_at(node, offset, chunk, &use_stored, err);
    if (!io || !vz_array_get_chunk(io, chunk, use_stored, out, &found, err))
        return false;
    return found || vz_fail(err, VZ_NOT_FOUND, "the chunk is not stored");
}

bool vz_dataset_chunk_write(vz_node *node, const hsize_t *offset, uint32_t filters, const void *buf, size_t size,
                            vz_error *err)
{
    uint64_t chunk[VZ_MAX_RANK];
    bool use_stored;
    if (!vz_node_check_writable(node, err))
        return false;
    vz_array *io = chunk_at(node, offset, chunk, &use_stored, err);
    if (!io)
        return false;
    if (filters != 0)
        return vz_fail(err, VZ_UNSUPPORTED, "direct chunk write with filters left out (mask 0x%x)", filters);
    return vz_array_put_chunk(io, chunk, use_stored, (vz_bytes){buf, size}, err) && vz_node_wrote(node, err);
}

bool vz_dataset_chunk_size(vz_node *node, const hsize_t *offset, hsize_t *size, bool *found, vz_error *err)
{
    uint64_t chunk[VZ_MAX_RANK], bytes = 0;
    bool use_stored;
    vz_array *io = chunk_at(node, offset, chunk, &use_stored, err);
    if (!io || !vz_array_chunk_size(io, chunk, &bytes, found, err))
        return false;
    *size = use_stored || !*found ? bytes : node->meta->chunk_size;
    return true;
}

typedef struct visit_context {
    const vz_array_meta *meta;
    bool use_stored;
    vz_dataset_chunk_visit visit;
    void *context;
} visit_context;

static bool visit_chunk(void *pointer, const uint64_t *chunk, uint64_t size)
{
    const visit_context *c = pointer;
    hsize_t offset[VZ_MAX_RANK];
    for (unsigned d = 0; d < c->meta->rank; d++)
        offset[d] = chunk[d] * c->meta->chunks[d];
    return c->visit(c->context, offset, c->use_stored ? size : c->meta->chunk_size);
}

bool vz_dataset_chunks(vz_node *node, vz_dataset_chunk_visit visit, void *context, vz_error *err)
{
    vz_shown shown;
    if (!vz_dataset_view_of(node, err) || !vz_dataset_filters(node, &shown, err))
        return false;
    visit_context c = {node->meta, shown.count > 0 || node->meta->dtype->kind == VZ_DTYPE_OBJECT, visit, context};
    vz_array *io = vz_node_io(node, err);
    return io && vz_array_flush(io, err) && vz_array_each_chunk(io, visit_chunk, &c, err);
}
