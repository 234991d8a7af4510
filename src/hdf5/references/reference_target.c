/* reference_target.c - the target of a reference's text, as this connector and versions of
 * hdmf-zarr wrote it. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/resolve/token.h"
#include "hdf5/references/references_internal.h"
#include <stdio.h>
#include <stdlib.h>

/* Some versions of hdmf-zarr name the store itself. */
bool vz_reference_is_here(const vz_hierarchy *hierarchy, const vz_json *source)
{
    size_t length;
    const char *name = vz_json_get_string(source, &length), *path = vz_hierarchy_path(hierarchy);
    if (!name || length == 0 || strcmp(name, ".") == 0)
        return true;
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    return end >= length && memcmp(path + end - length, name, length) == 0 &&
           (end == length || path[end - length - 1] == '/');
}

/* In stores of others a source that is nowhere is this store, moved, if there is such a path. */
static bool leads_here(vz_hierarchy *hierarchy, const vz_json *source, const char *path)
{
    vz_source_kind kind = VZ_SOURCE_MISSING;
    vz_error ignored = VZ_ERROR_NONE;
    char *file = NULL, *found = NULL;
    if (vz_reference_is_here(hierarchy, source))
        return true;
    const bool ok = vz_source_find(hierarchy, vz_json_get_string(source, NULL), &kind, &file, &ignored);
    if (ok && kind == VZ_SOURCE_MISSING && !vz_hierarchy_is_ours(hierarchy))
        found = vz_source_path(vz_hierarchy_root(hierarchy), path, &ignored);
    const bool here = ok && (kind == VZ_SOURCE_THIS_STORE || found);
    free(file);
    free(found);
    return here;
}

/* hdmf-zarr takes no path for the root, and one without a slash for one from the root. A value that
 * is no object is no reference. */
static const char *path_in(const vz_json *text, char **made)
{
    const vz_json *value = vz_json_get(text, "path");
    const char *path = vz_json_get_string(value, NULL);
    *made = NULL;
    if (!value && vz_json_get(text, "source"))
        return "/";
    if (!path || *path == '/' || vz_text_is_coded_path(path))
        return path;
    return asprintf(made, "/%s", path) < 0 ? (*made = NULL) : *made;
}

uint64_t vz_reference_target(vz_hierarchy *hierarchy, const vz_json *text, vz_error *err)
{
    char *made;
    uint64_t since, token = 0;
    const char *path = path_in(text, &made);
    if (!vz_json_get_uint64(vz_json_get(text, VZ_REFERENCE_SINCE), &since))
        since = 0;
    if (path && leads_here(hierarchy, vz_json_get(text, "source"), path))
        token = vz_token_of_reference(hierarchy, path, since, err);
    free(made);
    return token;
}

vz_json *vz_reference_parse(const char *text, vz_error *err)
{
    vz_error unreadable = VZ_ERROR_NONE;
    vz_json *json = *text == '/' ? NULL : vz_json_parse(text, strlen(text), &unreadable);
    /* As LINDI has them. */
    vz_json *inner = vz_json_length(json) == 1 ? vz_json_detach(json, "_REFERENCE") : NULL;
    if (inner) {
        vz_json_free(json);
        json = inner;
    }
    if (json && vz_json_kind_of(json) == VZ_JSON_OBJECT)
        return json;
    vz_json_free(json);
    json = vz_json_object(err);
    if (json && vz_json_set(json, "path", vz_text_json_of_path(text, err), err))
        return json;
    vz_json_free(json);
    return NULL;
}

bool vz_reference_is_external(const vz_hierarchy *hierarchy, vz_json *json)
{
    vz_source_kind kind;
    char *file;
    const char *source = vz_json_get_string(vz_json_get(json, "source"), NULL);
    if ((!vz_json_get_string(vz_json_get(json, "path"), NULL) && !vz_json_get(json, VZ_REFERENCE_ADDRESS)) ||
        vz_reference_is_here(hierarchy, vz_json_get(json, "source")))
        return false;
    if (vz_source_find(hierarchy, source, &kind, &file, NULL) && kind == VZ_SOURCE_OTHER_STORE)
        vz_json_set_text(json, "source", file, NULL);
    free(file);
    return true;
}
