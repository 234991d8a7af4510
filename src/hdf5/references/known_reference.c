/* known_reference.c - JSON of references that was made before, and is made again of each long list:
 * is it what would be made now? Everything that it tells is looked up anew, so that nothing has to
 * be forgotten when names or ids change. */
#include "hdf5/references/references_internal.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/resolve/token.h"
#include <stdlib.h>
#include <string.h>

/* The member at that place, if it has that key. */
static const vz_json *member(const vz_json *json, size_t place, const char *key)
{
    const char *its;
    vz_json *value;
    return vz_json_member(json, place, &its, &value) && strcmp(its, key) == 0 ? value : NULL;
}

static bool has_null(const vz_json *json, size_t place, const char *key)
{
    const vz_json *value = member(json, place, key);
    return value && vz_json_kind_of(value) == VZ_JSON_NULL;
}

static bool has_number(const vz_json *json, size_t place, const char *key, uint64_t number)
{
    uint64_t found;
    return vz_json_get_uint64(member(json, place, key), &found) && found == number;
}

static bool tells_path(const vz_json *json, const char *path, uint64_t since)
{
    const size_t count = since ? 5 : 4;
    return vz_json_length(json) == count && vz_json_is(member(json, 1, "path"), path) && !vz_text_is_coded_path(path) &&
           vz_json_is(member(json, 0, "source"), ".") && has_null(json, 2, VZ_REFERENCE_ID) &&
           has_null(json, 3, VZ_REFERENCE_SOURCE_ID) && (!since || has_number(json, 4, VZ_REFERENCE_SINCE, since));
}

bool vz_reference_tells(vz_hierarchy *hierarchy, uint64_t token, const vz_json *json)
{
    uint64_t since = 0;
    if (!vz_token_is_named(hierarchy, token) || vz_node_attribute(vz_hierarchy_root(hierarchy), VZ_REFERENCE_ID))
        return false;
    char *path = vz_token_path_here(hierarchy, token, NULL);
    const bool tells = path && vz_hierarchy_since(hierarchy, path, &since, NULL) && tells_path(json, path, since);
    free(path);
    return tells;
}
