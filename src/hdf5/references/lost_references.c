/* lost_references.c - references to deleted objects in lists of dimension scales. netCDF-C and
 * H5DS follow such a list as a whole, so one lost reference must not spoil the others. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/resolve/token.h"
#include "hdf5/references/references_internal.h"
#include <stdlib.h>

/* Does a token lead nowhere? Fails if that cannot be found out. */
static bool is_lost(vz_hierarchy *hierarchy, uint64_t token, bool *lost, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    *lost = !vz_token_node(hierarchy, token, &failed);
    return !*lost || failed.class == VZ_NOT_FOUND || vz_fail(err, failed.class, "%s", failed.text);
}

static bool token_at(vz_hierarchy *hierarchy, const char *text, uint64_t *token, vz_error *err)
{
    char *path = vz_text_is_coded_path(text) ? vz_text_to_path(text, err) : strdup(text);
    *token = path ? vz_token_at_path(hierarchy, path, err) : 0;
    if (!path && err && err->class == VZ_OK)
        vz_fail_memory(err);
    free(path);
    return *token != 0;
}

bool vz_reference_replace_lost(vz_hierarchy *hierarchy, const vz_json *text, uint64_t *token, vz_error *err)
{
    bool lost;
    uint64_t now;
    const char *path = vz_json_get_string(vz_json_get(text, "path"), NULL);
    if (!*token || !path || *path != '/' || !vz_reference_is_here(hierarchy, vz_json_get(text, "source")))
        return true;
    if (!is_lost(hierarchy, *token, &lost, err))
        return false;
    if (!lost)
        return true;
    if (!token_at(hierarchy, path, &now, err) || !is_lost(hierarchy, now, &lost, err))
        return false;
    if (!lost)
        *token = now;
    return true;
}

static bool drop_from(vz_hierarchy *hierarchy, hvl_t *sequence, vz_error *err)
{
    uint8_t *to = sequence->p;
    const uint8_t *from = sequence->p;
    const size_t size = sizeof(hobj_ref_t), count = sequence->len;
    for (size_t i = 0; i < count; i++, from += size) {
        bool lost;
        if (!is_lost(hierarchy, vz_bytes_load_le64(from), &lost, err))
            return false;
        if (lost)
            continue;
        memmove(to, from, size);
        to += size;
    }
    sequence->len = (size_t)(to - (uint8_t *)sequence->p) / size;
    return true;
}

bool vz_references_drop_lost(vz_hierarchy *hierarchy, const vz_type_tree *form, void *elements, size_t count,
                             vz_error *err)
{
    if (form->class != H5T_VLEN || !form->base->is_reference || form->base->size != sizeof(hobj_ref_t))
        return true;
    for (size_t i = 0; i < count; i++) {
        hvl_t sequence;
        uint8_t *element = (uint8_t *)elements + i * form->size;
        memcpy(&sequence, element, sizeof sequence);
        if (!drop_from(hierarchy, &sequence, err))
            return false;
        memcpy(element, &sequence, sizeof sequence);
    }
    return true;
}
