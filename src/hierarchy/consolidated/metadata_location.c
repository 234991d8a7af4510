/* metadata_location.c - the place of the copy of a group's documents, and the condition that it is
 * put on. It stands in a document of its own, or in the group's. */
#include "hierarchy/consolidated/consolidated_internal.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>
#include <string.h>

#define FORMAT_KEY   "zarr_consolidated_format"
#define METADATA_KEY "metadata"

vz_json *vz_consolidated_copy_inline(vz_json *take, vz_error *err)
{
    vz_json *copy = vz_json_object(err);
    if (!copy) {
        vz_json_free(take);
        return NULL;
    }
    if (vz_json_set(copy, METADATA_KEY, take, err) && vz_json_set_text(copy, "kind", "inline", err) &&
        vz_json_set(copy, "must_understand", vz_json_bool(false, err), err))
        return copy;
    vz_json_free(copy);
    return NULL;
}

/* The group at that prefix, if it is loaded. */
static vz_node *loaded_group(vz_hierarchy *hierarchy, const char *prefix)
{
    vz_node *node = hierarchy->root;
    char *copy = strdup(prefix), *rest = copy, *segment;
    while (node && (segment = strsep(&rest, "/"))) {
        const vz_member *member = *segment && node->members ? vz_members_by_segment(node->members, segment) : NULL;
        if (*segment)
            node = member ? member->link.node : NULL;
    }
    free(copy);
    return copy ? node : NULL;
}

/* ---- what is there ---- */

static bool look_apart(vz_consolidated_location *place, vz_error *err)
{
    vz_store *store = place->hierarchy->store;
    const vz_range nothing = {0};
    char *key = vz_document_key_join(place->base, place->zarr_format->consolidated, err);
    vz_request request = {.key = key, .ranges = &nothing};
    const bool ok = key && vz_request_do(store, &request, NULL, err);
    place->version = ok && request.found ? request.version : (vz_version){0};
    if (key)
        vz_store_forget_held(store, key);
    free(key);
    return ok;
}

static bool look_inside(vz_consolidated_location *place, vz_error *err)
{
    vz_buffer text = {0};
    bool found = false;
    const bool ok =
        vz_document_get(place->hierarchy->store, place->base, place->zarr_format->group, &text, &found, err);
    place->hash = ok && found ? vz_hash_text(text.data, text.size) : 0;
    vz_buffer_clear(&text);
    return ok;
}

bool vz_consolidated_copy_look(vz_consolidated_location *place, vz_error *err)
{
    return (place->zarr_format->consolidated ? look_apart : look_inside)(place, err);
}

bool vz_consolidated_copy_expect(vz_consolidated_location *place, vz_error *err)
{
    const vz_node *group = loaded_group(place->hierarchy, place->base);
    place->version = (vz_version){0};
    place->hash = group ? group->document_hash : 0;
    return place->zarr_format->consolidated || place->hash || look_inside(place, err);
}

/* ---- putting, removing ---- */

static bool put_apart(const vz_consolidated_location *place, vz_json *metadata, vz_error *err)
{
    vz_store *store = place->hierarchy->store;
    uint64_t hash;
    vz_json *all = vz_json_object(err);
    if (!all)
        vz_json_free(metadata);
    /* Of a store that one process writes at a time nobody else puts one. */
    const vz_request_condition when = vz_store_keeps_back(store) ? VZ_WHEN_ANY
                                      : place->version.size      ? VZ_WHEN_VERSION
                                                                 : VZ_WHEN_ABSENT;
    const bool ok = all && vz_json_set(all, METADATA_KEY, metadata, err) &&
                    vz_json_set(all, FORMAT_KEY, vz_json_int64(1, err), err) &&
                    vz_document_put_when(store, place->base, place->zarr_format->consolidated, all, when,
                                         &place->version, &hash, err);
    vz_json_free(all);
    return ok;
}

/* The group's document says more than the copy, so it must not change under us. */
static bool put_inside(vz_consolidated_location *place, vz_json *metadata, vz_error *err)
{
    vz_hierarchy *hierarchy = place->hierarchy;
    vz_json *copy = vz_consolidated_copy_inline(metadata, err);
    vz_node *group = loaded_group(hierarchy, place->base);
    if (!copy || !vz_documents_lock(hierarchy, err)) {
        vz_json_free(copy);
        return false;
    }
    const uint64_t before = place->hash;
    const bool ok = vz_document_put_copy(hierarchy->store, place->zarr_format, place->base, &place->hash, copy, err);
    vz_documents_unlock(hierarchy);
    if (ok && group && group->document_hash == before)
        group->document_hash = place->hash;
    if (group)
        vz_node_keep_version(group, false, NULL);
    return ok;
}

bool vz_consolidated_copy_put(vz_consolidated_location *place, vz_json *metadata, vz_error *err)
{
    return (place->zarr_format->consolidated ? put_apart(place, metadata, err) : put_inside(place, metadata, err));
}

static bool delete_version(vz_store *store, const char *key, vz_error *err)
{
    const vz_range nothing = {0};
    vz_request request = {.key = key, .ranges = &nothing};
    const bool ok = vz_request_do(store, &request, NULL, err);
    vz_store_forget_held(store, key);
    if (!ok || !request.found)
        return ok;
    vz_request gone = {.op = VZ_REQUEST_DELETE, .key = key, .when = VZ_WHEN_VERSION, .version = request.version};
    return vz_request_do(store, &gone, NULL, err);
}

bool vz_consolidated_copy_delete(const vz_hierarchy *hierarchy, const char *key, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_request gone = {.op = VZ_REQUEST_DELETE, .key = key};
    if (hierarchy->store->class->change || vz_hierarchy_is_remote(hierarchy))
        return vz_request_do(hierarchy->store, &gone, NULL, err);
    while (!delete_version(hierarchy->store, key, &failed)) {
        if (failed.class != VZ_CHANGED) {
            if (err)
                *err = failed;
            return false;
        }
        failed = VZ_ERROR_NONE; /* each turn, another process has put a copy */
    }
    return true;
}

static bool remove_apart(const vz_consolidated_location *place, vz_error *err)
{
    char *key = vz_document_key_join(place->base, place->zarr_format->consolidated, err);
    const bool ok = key && vz_consolidated_copy_delete(place->hierarchy, key, err);
    free(key);
    return ok;
}

static bool remove_inside(vz_consolidated_location *place, vz_error *err)
{
    vz_json *removed = NULL;
    if (!vz_documents_lock(place->hierarchy, err))
        return false;
    const bool ok =
        vz_document_drop_copy(place->hierarchy->store, place->zarr_format, place->base, &place->hash, &removed, err);
    vz_documents_unlock(place->hierarchy);
    vz_json_free(removed);
    return ok;
}

bool vz_consolidated_copy_remove(vz_consolidated_location *place, vz_error *err)
{
    return place->zarr_format->consolidated ? remove_apart(place, err) : remove_inside(place, err);
}
