/* group_above.c - the documents at the root of a store, read before it is opened. They decide
 * whether it is an array, and whether the directory above is a group that it may be part of. */
#include "hierarchy/documents/documents.h"

vz_json *vz_document_peek_root(vz_store *store, const char *document, bool *found, vz_error *err)
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

static vz_meta_document_kind look_at(vz_store *store, const vz_zarr_format *zarr_format)
{
    bool found;
    vz_error failed = VZ_ERROR_NONE;
    vz_json *document = vz_document_peek_root(store, zarr_format->array, &found, &failed);
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

vz_store *vz_document_group_above(vz_store *store, vz_error *err)
{
    vz_store *above = may_have_group_above(store) ? vz_store_above(store, false, err) : NULL;
    if (!above || is_group_over(above, store))
        return above;
    vz_store_close(above);
    return NULL;
}

bool vz_document_root_is_array(vz_store *store)
{
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++) {
        bool has = false;
        if (vz_store_has(store, vz_zarr_formats[i]->array, &has, NULL) && has)
            return !vz_zarr_formats[i]->says || look_at(store, vz_zarr_formats[i]) == VZ_SAYS_ARRAY;
    }
    return false;
}
