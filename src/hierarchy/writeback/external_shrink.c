/* external_shrink.c - another program made an array smaller while this one holds dirty chunks
 * beyond the new shape. These chunks are dropped with an error: in the store they would appear
 * again when the array grows. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/writeback/writeback_internal.h"
#include <stdlib.h>

/* The array in memory has the shape that the document tells, and was read so. */
static bool read_shape(vz_node *node, const vz_json *document, vz_error *err)
{
    vz_meta *theirs = node->zarr_format->load(document, err);
    const vz_json *shape = vz_json_get(document, "shape");
    bool ok = theirs && theirs->rank == node->meta->rank && shape && vz_json_own(&node->document, err) &&
              vz_json_set(node->document, "shape", vz_json_copy(shape, err), err);
    if (ok)
        memcpy(node->meta->shape, theirs->shape, sizeof node->meta->shape);
    vz_meta_free(theirs);
    return ok;
}

bool vz_flush_follow_shrink(vz_node *node, bool *lost, vz_error *err)
{
    const char *name = node->zarr_format->array;
    char *prefix = vz_node_prefix(node, err);
    vz_json *document = NULL;
    const bool ok = prefix && vz_document_read(node->hierarchy->store, prefix, name, &document, err) && document &&
                    read_shape(node, document, err);
    if (ok) {
        *lost = vz_array_drop_outside(node->io);
        node->seen.cut_off = false;
        node->seen.stamp = (vz_stamp){0};
    }
    vz_json_free(document);
    free(prefix);
    return ok;
}
