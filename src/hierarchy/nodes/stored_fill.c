/* stored_fill.c - a fill value that is another one in the document than for HDF5, because xarray
 * takes the document's for the missing value. */
#include "hierarchy/nodes/node_state.h"

static const vz_json *said(const vz_node *node, const char *key)
{
    return vz_json_get(vz_json_get(node->annotation, VZ_ANNOTATION_FILL), key);
}

bool vz_node_stored_fill_print(const vz_node *node, vz_json *document, vz_error *err)
{
    const vz_json *written = said(node, "w");
    if (!written || !node->zarr_format->fill_value)
        return true;
    return vz_json_set(document, node->zarr_format->fill_value, vz_json_copy(written, err), err);
}

/* Another program's fill value counts. */
static bool is_ours(const vz_node *node, const vz_json *written)
{
    return vz_node_understood(node) && node->zarr_format->fill_value && written && said(node, "v") &&
           vz_json_equal(written, vz_json_get(node->document, node->zarr_format->fill_value));
}

bool vz_node_stored_fill_read(vz_node *node, vz_error *err)
{
    if (node->kind != VZ_NODE_ARRAY || !vz_json_length(node->annotation) || !is_ours(node, said(node, "w")))
        return true;
    vz_json *document = vz_json_copy(node->document, err);
    if (!document)
        return false;
    vz_error failed = VZ_ERROR_NONE;
    const bool set = vz_json_set(document, node->zarr_format->fill_value, vz_json_copy(said(node, "v"), err), err);
    vz_meta *meta = set ? node->zarr_format->load(document, &failed) : NULL;
    const bool ok = set && failed.class != VZ_NO_MEMORY &&
                    (!meta || vz_meta_set_fill(node->meta, meta->fill_defined ? meta->fill : NULL, err));
    vz_meta_free(meta);
    vz_json_free(document);
    return ok;
}
