/* find_root.c - does a group say that it is the root of a store? */
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/resolve/path.h"

#define SPECIFICATIONS ".specloc" /* an attribute of the roots of HDMF's stores */

/* NULL without an error: there is none. Of the root's, what is read is kept for who opens the
 * store. */
static bool read_document(vz_store *store, const char *prefix, const char *document, vz_json **value, vz_error *err)
{
    bool found;
    vz_error failed = VZ_ERROR_NONE;
    if (*prefix)
        return vz_document_read(store, prefix, document, value, err);
    *value = vz_document_peek_root(store, document, &found, &failed);
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

bool vz_path_says_root(vz_store *store, const char *prefix, bool *says, vz_error *err)
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
