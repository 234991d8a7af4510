/* complete_selection.c - updates the paths and ids in stored references. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/resolve/token.h"
#include "hdf5/references/references.h"

#include <stdlib.h>

/* Sets a member that says something else, or nothing yet. */
static bool put(vz_json *reference, const char *key, vz_json *take, bool *changed, vz_error *err)
{
    if (!take || vz_json_equal(take, vz_json_get(reference, key))) {
        vz_json_free(take);
        return take != NULL;
    }
    *changed = true;
    return vz_json_set(reference, key, take, err);
}

/* An id that is known is not taken back when its object has none (any more). */
static bool put_id(vz_json *reference, const char *key, const vz_node *node, bool *changed, vz_error *err)
{
    const char *id = node ? vz_json_get_string(vz_node_attribute(node, VZ_REFERENCE_ID), NULL) : NULL;
    return !id || put(reference, key, vz_json_text(id, err), changed, err);
}

static bool put_path(vz_hierarchy *hierarchy, vz_json *reference, const vz_node *target, bool *changed, vz_error *err)
{
    uint64_t since = 0;
    char *path = vz_node_path(target, err);
    bool ok = path && vz_hierarchy_since(hierarchy, path, &since, err) &&
              put(reference, "path", vz_text_json_of_path(path, err), changed, err);
    free(path);
    if (ok && since)
        return put(reference, VZ_REFERENCE_SINCE, vz_json_uint64(since, err), changed, err);
    if (ok && vz_json_remove(reference, VZ_REFERENCE_SINCE))
        *changed = true;
    return ok;
}

/* NULL: there is none, it has no name, or it is is_external. An error is one of memory only. */
static vz_node *target_of(vz_hierarchy *hierarchy, const vz_json *reference, vz_error *err)
{
    vz_error absent = VZ_ERROR_NONE;
    const uint64_t token = vz_reference_target(hierarchy, reference, err);
    const bool nameless = token && vz_token_is_nameless(hierarchy, token);
    return token && !nameless ? vz_token_node(hierarchy, token, &absent) : NULL;
}

bool vz_reference_complete(vz_hierarchy *hierarchy, vz_json *reference, bool *changed, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (vz_json_kind_of(reference) != VZ_JSON_OBJECT)
        return true;
    const vz_node *target = target_of(hierarchy, reference, &failed);
    if (!target)
        return failed.class == VZ_OK || vz_fail(err, failed.class, "%s", failed.text);
    /* One of a second name says that name, and the object knows all its names: its path need not
     * be stored anew. */
    const bool moved = vz_hierarchy_has_moves(hierarchy);
    return (!moved || put_path(hierarchy, reference, target, changed, err)) &&
           put_id(reference, VZ_REFERENCE_ID, target, changed, err) &&
           put_id(reference, VZ_REFERENCE_SOURCE_ID, vz_hierarchy_root(hierarchy), changed, err);
}

const char *vz_reference_bare_path(const vz_json *reference)
{
    const vz_json *source = vz_json_get(reference, "source");
    const char *path = vz_json_get_string(vz_json_get(reference, "path"), NULL);
    const size_t known = 1 + (source != NULL) + (vz_json_get(reference, VZ_REFERENCE_ID) != NULL) +
                         (vz_json_get(reference, VZ_REFERENCE_SOURCE_ID) != NULL);
    const bool is_here = !source || vz_json_is(source, ".");
    return path && *path == '/' && is_here && vz_json_length(reference) == known ? path : NULL;
}

bool vz_reference_has_target(vz_hierarchy *hierarchy, const vz_json *reference)
{
    vz_error failed = VZ_ERROR_NONE;
    const bool is_external = vz_json_get_string(vz_json_get(reference, "path"), NULL) &&
                             !vz_reference_is_here(hierarchy, vz_json_get(reference, "source"));
    return is_external || target_of(hierarchy, reference, &failed);
}
