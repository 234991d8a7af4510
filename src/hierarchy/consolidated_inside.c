/* consolidated_inside.c - consolidated metadata that a spelling keeps in the group's own document. */
#include "hierarchy/document.h"

/* The document as it is now. NULL without an error: there is none. */
static vz_json *document_now(vz_store *store, const vz_spelling *spelling, const char *prefix, uint64_t *hash,
                             vz_error *err)
{
    vz_buffer text = {0};
    vz_error failed = VZ_ERROR_NONE;
    bool found;
    vz_json *document = NULL;
    if (vz_document_get(store, prefix, spelling->group, &text, &found, err) && found) {
        *hash = vz_document_hash(text.data, text.size);
        document = vz_document_parse_whole(spelling->group, (const char *)text.data, text.size, &failed);
        if (!document && failed.class == VZ_LIMIT) /* a copy that is too large for us must go all the same */
            document = vz_document_parse(spelling->group, (const char *)text.data, text.size, err);
        else if (!document && err)
            *err = failed;
    }
    vz_buffer_clear(&text);
    return document;
}

bool vz_document_drop_copy(vz_store *store, const vz_spelling *spelling, const char *prefix, uint64_t *hash,
                           vz_json **removed, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    uint64_t now = 0;
    *removed = NULL;
    vz_json *document = document_now(store, spelling, prefix, &now, &failed);
    if (!document) {
        if (err)
            *err = failed;
        return failed.class == VZ_OK;
    }
    vz_json *copy = vz_json_detach(document, VZ_CONSOLIDATED);
    const bool follows = *hash == now;
    bool ok = true;
    if (copy && vz_json_kind_of(copy) != VZ_JSON_NULL)
        ok = vz_document_put(store, prefix, spelling->group, document, &now, err);
    if (ok && follows)
        *hash = now;
    if (ok && copy && vz_json_kind_of(copy) != VZ_JSON_NULL)
        *removed = copy;
    else
        vz_json_free(copy);
    vz_json_free(document);
    return ok;
}

bool vz_document_put_copy(vz_store *store, const vz_spelling *spelling, const char *prefix, uint64_t *hash,
                          vz_json *copy, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    uint64_t now = 0;
    vz_json *document = document_now(store, spelling, prefix, &now, &failed);
    if (!document) {
        vz_json_free(copy);
        if (err)
            *err = failed;
        return failed.class == VZ_OK;
    }
    const bool follows = *hash == now;
    const bool ok = vz_json_set(document, VZ_CONSOLIDATED, copy, err) &&
                    vz_document_put(store, prefix, spelling->group, document, &now, err);
    if (ok && follows)
        *hash = now;
    vz_json_free(document);
    return ok;
}
