/* referenced_array.c - an array whose chunks lie in other files. A list beside its document says
 * where (docs/format.md): a store of its own, which can only be read. */
#include "base/os/file.h"
#include "hierarchy/nodes/node_state_internal.h"
#include "store/kerchunk/kerchunk.h"
#include <stdlib.h>

/* Names in the list lead where those of a reference file at the store's path would lead. */
static vz_kerchunk_origin origin_of(const vz_hierarchy *hierarchy)
{
    vz_kerchunk_origin origin = {.path = hierarchy->is_remote ? hierarchy->path : hierarchy->store->path,
                                 .is_remote = hierarchy->is_remote};
    struct stat status;
    origin.options = hierarchy->is_remote ? hierarchy->asked_as : (vz_options){0};
    origin.options.targets = hierarchy->options.targets;
    origin.is_own = !hierarchy->is_remote && vz_os_stat(origin.path, &status) == 0 && vz_os_is_own(&status);
    origin.stamp.exists = true;
    return origin;
}

static bool read_list(vz_hierarchy *hierarchy, const char *prefix, vz_buffer *text, vz_error *err)
{
    const size_t most = hierarchy->is_remote ? VZ_KERCHUNK_REMOTE_MAX_SIZE : VZ_KERCHUNK_MAX_SIZE;
    bool found = false;
    char *key = vz_document_key_join(prefix, VZ_META_REFERENCES_NAME, err);
    text->limit = most;
    const bool ok =
        key && vz_store_get(hierarchy->store, key, VZ_WHOLE, text, &found, err) &&
        (found || vz_fail(err, VZ_CORRUPT, "the list of its chunks, %s, is missing", VZ_META_REFERENCES_NAME));
    text->limit = 0;
    free(key);
    return ok;
}

vz_store *vz_node_references_open(vz_hierarchy *hierarchy, const char *prefix, vz_error *err)
{
    const vz_kerchunk_origin origin = origin_of(hierarchy);
    vz_buffer text = {0};
    if (read_list(hierarchy, prefix, &text, err))
        return vz_kerchunk_over_array(&text, prefix, &origin, err);
    vz_buffer_clear(&text);
    return NULL;
}

vz_array *vz_node_open_referenced(vz_node *node, const char *prefix, vz_error *err)
{
    vz_store *store = vz_node_references_open(node->hierarchy, prefix, err);
    vz_array *array = store ? vz_array_open(store, node->meta, prefix, true, err) : NULL;
    if (array)
        vz_array_own_store(array);
    else
        vz_store_close(store);
    return array;
}
