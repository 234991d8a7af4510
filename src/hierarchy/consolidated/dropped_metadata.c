/* dropped_metadata.c - consolidated metadata that was dropped before a change: where it stood,
 * so that it comes back, and what it held. A newer zarr-python than the oldest that is met spells
 * some types in its own way (3.4: "struct"). A copy that it made is no worse for them. */
#include "base/util/hash.h"
#include "hierarchy/consolidated/consolidated_internal.h"
#include "hierarchy/nodes/hierarchy.h"

static void free_copy(void *copy)
{
    vz_json_free(copy);
}

bool vz_consolidated_remember(vz_hierarchy *hierarchy, const char *prefix, vz_json *copy, vz_error *err)
{
    if (copy && !hierarchy->consolidation.dropped && !(hierarchy->consolidation.dropped = vz_strmap_new())) {
        vz_json_free(copy);
        return vz_fail_memory(err);
    }
    vz_json *older = copy ? vz_strmap_get(hierarchy->consolidation.dropped, prefix) : NULL;
    if (copy && !vz_strmap_put(hierarchy->consolidation.dropped, prefix, copy, err)) {
        vz_json_free(copy);
        return false;
    }
    vz_json_free(older);
    return copy != NULL;
}

static bool same_member(const vz_json *a, const vz_json *b, const char *key)
{
    const vz_json *x = vz_json_get(a, key), *y = vz_json_get(b, key);
    return x && y && vz_json_equal(x, y);
}

bool vz_consolidated_had(const vz_hierarchy *hierarchy, const vz_json *document)
{
    size_t cursor = 0;
    const char *prefix, *name;
    void *copy;
    vz_json *entry;
    while (hierarchy->consolidation.dropped &&
           vz_strmap_next(hierarchy->consolidation.dropped, &cursor, &prefix, &copy)) {
        const vz_json *metadata = vz_json_get(copy, "metadata");
        for (size_t i = 0; vz_json_member(metadata, i, &name, &entry); i++)
            if (same_member(entry, document, "data_type") && same_member(entry, document, "codecs"))
                return true;
    }
    return false;
}

void vz_consolidated_forget(vz_hierarchy *hierarchy)
{
    if (hierarchy->consolidation.dropped)
        vz_strmap_free(hierarchy->consolidation.dropped, free_copy);
    hierarchy->consolidation.dropped = NULL;
}
