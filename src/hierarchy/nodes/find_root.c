/* find_root.c - which of the groups above a directory is the root of the store that it is in. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

#define SPECIFICATIONS ".specloc" /* an attribute of the roots of HDMF's stores */

/* ---- the group above ---- */

/* A document that is read here is kept for the open. */
static vz_json *peek(vz_store *store, const char *document, bool *found, vz_error *err)
{
    vz_buffer room = {.limit = VZ_DOCUMENT_MAX_SIZE};
    vz_bytes text;
    vz_json *parsed = NULL;
    *found = false;
    if (vz_document_peek_around_copy(store, document, &room, &text, found, err) && *found)
        parsed = vz_document_parse(document, (const char *)text.data, text.size, err);
    vz_buffer_clear(&room);
    return parsed;
}

static vz_says look_at(vz_store *store, const vz_zarr_format *zarr_format)
{
    bool found;
    vz_error failed = VZ_ERROR_NONE;
    vz_json *document = peek(store, zarr_format->array, &found, &failed);
    const bool is_array = zarr_format->says(document) == VZ_SAYS_ARRAY;
    vz_json_free(document);
    return !found && failed.class == VZ_OK ? VZ_SAYS_NEITHER : is_array ? VZ_SAYS_ARRAY : VZ_SAYS_GROUP;
}

/* A document that another process put there is not read. */
static bool is_group_over(vz_store *above, const vz_store *below)
{
    for (size_t i = VZ_ZARR_FORMATS; i-- > 0;) { /* those first whose name tells */
        bool has = false;
        if (!vz_store_has(above, vz_zarr_formats[i]->group, &has, NULL))
            return false;
        if (has)
            return vz_store_may_be_inside(below, above) &&
                   (!vz_zarr_formats[i]->says || look_at(above, vz_zarr_formats[i]) == VZ_SAYS_GROUP);
    }
    return false;
}

static bool may_have_group_above(vz_store *store)
{
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++)
        if (vz_store_above_may_have(store, vz_zarr_formats[i]->group))
            return true;
    return false;
}

vz_store *vz_group_above(vz_store *store, vz_error *err)
{
    vz_store *above = may_have_group_above(store) ? vz_store_above(store, false, err) : NULL;
    if (!above || is_group_over(above, store))
        return above;
    vz_store_close(above);
    return NULL;
}

/* ---- the root ---- */

/* NULL without an error: there is none. Of the root's, what is read is kept for who opens the
 * store. */
static bool read_document(vz_store *store, const char *prefix, const char *document, vz_json **value, vz_error *err)
{
    bool found;
    vz_error failed = VZ_ERROR_NONE;
    if (*prefix)
        return vz_document_read(store, prefix, document, value, err);
    *value = peek(store, document, &found, &failed);
    if (failed.class != VZ_OK && err)
        *err = failed;
    return failed.class == VZ_OK;
}

/* NULL without an error: there are none. */
static bool read_attributes(vz_store *store, const char *prefix, vz_json **attributes, vz_error *err)
{
    *attributes = NULL;
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++) {
        const vz_zarr_format *zarr_format = vz_zarr_formats[i];
        vz_json *document;
        const bool in_one = vz_zarr_format_in_one(zarr_format);
        if (!read_document(store, prefix, in_one ? zarr_format->group : zarr_format->attributes, &document, err))
            return false;
        if (!document)
            continue;
        *attributes = in_one ? vz_json_detach(document, VZ_ATTRIBUTES) : document;
        if (in_one)
            vz_json_free(document);
        return true;
    }
    return true;
}

/* Members that only a root's annotation has: our mark, and those that explain paths. */
static bool is_annotation_of_root(const vz_json *annotation)
{
    static const char *const keys[] = {VZ_ANNOTATION_MARK, VZ_ANNOTATION_ALIASES, VZ_ANNOTATION_REFERENCES,
                                       VZ_ANNOTATION_MOVES};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (vz_json_get(annotation, keys[i]))
            return true;
    return false;
}

bool vz_group_says_root(vz_store *store, const char *prefix, bool *says, vz_error *err)
{
    vz_json *attributes, *annotation = NULL, *unused = NULL;
    *says = false;
    if (!read_attributes(store, prefix, &attributes, err))
        return false;
    const bool is_object = attributes && vz_json_kind_of(attributes) == VZ_JSON_OBJECT;
    bool ok = true;
    if (is_object && vz_json_get(attributes, SPECIFICATIONS))
        *says = true;
    else if (is_object && (ok = vz_node_annotation_detach(attributes, &annotation, &unused, err)))
        *says = is_annotation_of_root(annotation);
    vz_json_free(attributes);
    vz_json_free(annotation);
    vz_json_free(unused);
    return ok;
}

bool vz_root_is_array(vz_store *store)
{
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++) {
        bool has = false;
        if (vz_store_has(store, vz_zarr_formats[i]->array, &has, NULL) && has)
            return !vz_zarr_formats[i]->says || look_at(store, vz_zarr_formats[i]) == VZ_SAYS_ARRAY;
    }
    return false;
}
