/* extension_v3.c - what v3's extension points have in common: a name with or without a
 * configuration, sizes, what must be understood. */
#include "metadata/metadata/v3_internal.h"
#include <string.h>

const char *vz_v3_name(const vz_json *extension)
{
    size_t length;
    const bool is_object = vz_json_kind_of(extension) == VZ_JSON_OBJECT;
    const vz_json *value = is_object ? vz_json_get(extension, "name") : extension;
    const char *name = value ? vz_json_get_string(value, &length) : NULL;
    return name && *name && strlen(name) == length ? name : NULL;
}

const vz_json *vz_v3_configuration(const vz_json *extension)
{
    const vz_json *configuration = vz_json_get(extension, "configuration");
    return vz_json_kind_of(configuration) == VZ_JSON_OBJECT ? configuration : NULL;
}

bool vz_v3_is_optional(const vz_json *extension)
{
    bool must;
    const vz_json *value = vz_json_get(extension, "must_understand");
    return value && vz_json_get_bool(value, &must) && !must;
}

bool vz_v3_check_members(const vz_json *document, const char *const known[], size_t count, vz_error *err)
{
    const char *key;
    vz_json *value;
    for (size_t i = 0; vz_json_member(document, i, &key, &value); i++) {
        bool is_known = vz_v3_is_optional(value);
        for (size_t k = 0; !is_known && k < count; k++)
            is_known = strcmp(key, known[k]) == 0;
        if (!is_known)
            return vz_fail(err, VZ_UNSUPPORTED, "zarr.json: \"%.100s\" is not known, and must be understood", key);
    }
    return true;
}

bool vz_v3_sizes(const vz_json *list, const char *what, unsigned rank, uint64_t least, uint64_t *sizes, vz_error *err)
{
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY || vz_json_length(list) != rank)
        return vz_fail(err, VZ_CORRUPT, "zarr.json: \"%s\" is no list of %u sizes", what, rank);
    for (unsigned d = 0; d < rank; d++)
        if (!vz_json_get_uint64(vz_json_at(list, d), &sizes[d]) || sizes[d] > INT64_MAX || sizes[d] < least)
            return vz_fail(err, VZ_CORRUPT, "zarr.json: \"%s\"[%u] is no size", what, d);
    return true;
}

/* ---- printing ---- */

vz_json *vz_v3_extension(const char *name, vz_json *take, bool configured, vz_error *err)
{
    vz_json *extension = vz_json_object(err);
    bool ok = extension && vz_json_set_text(extension, "name", name, err);
    if (ok && (take || configured)) {
        ok = vz_json_set(extension, "configuration", take, err);
        take = NULL;
    }
    vz_json_free(take);
    if (ok)
        return extension;
    vz_json_free(extension);
    return NULL;
}

vz_json *vz_v3_object_of(const char *key, vz_json *take, vz_error *err)
{
    vz_json *object = vz_json_object(err);
    if (object && vz_json_set(object, key, take, err))
        return object;
    if (!object)
        vz_json_free(take);
    vz_json_free(object);
    return NULL;
}
