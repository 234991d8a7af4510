/* consolidated_v3.c - consolidated metadata that a Zarr format keeps in the group's own
 * document. */
#include "hierarchy/documents/documents_internal.h"

#define ATTEMPTS 20 /* each that fails is another process that changed the document */

static vz_json *parse(const vz_zarr_format *zarr_format, const vz_buffer *text, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_json *document = vz_document_parse_whole(zarr_format->group, (const char *)text->data, text->size, &failed);
    if (document)
        return document;
    if (failed.class == VZ_LIMIT) /* a copy that is too large for us must go all the same */
        return vz_document_parse(zarr_format->group, (const char *)text->data, text->size, err);
    if (err)
        *err = failed;
    return NULL;
}

/* Is there no copy, as the text shows without being parsed? Not where a letter may be escaped. */
static bool mentions_none(const vz_buffer *text)
{
    static const char escape[] = "\\u00";
    return !memmem(text->data, text->size, VZ_CONSOLIDATED, sizeof VZ_CONSOLIDATED - 1) &&
           !memmem(text->data, text->size, escape, sizeof escape - 1);
}

/* The document as it is now, and which version, where that can be a condition. `without`: the hash
 * of a document that need not be parsed where there is no copy in it; 0: none. NULL without an
 * error: there is none, or it is that one. */
static vz_json *document_now(vz_store *store, const vz_zarr_format *zarr_format, const char *prefix, uint64_t without,
                             uint64_t *hash, vz_version *version, vz_error *err)
{
    vz_buffer text = {0};
    bool found;
    vz_json *document = NULL;
    if (vz_document_meet(store, prefix, zarr_format->group, &text, &found, version, err) && found) {
        *hash = vz_hash_text(text.data, text.size);
        if (without == 0 || *hash != without || !mentions_none(&text))
            document = parse(zarr_format, &text, err);
    }
    vz_buffer_clear(&text);
    return document;
}

static bool is_copy(const vz_json *copy)
{
    return copy && vz_json_kind_of(copy) != VZ_JSON_NULL;
}

/* Exchanges the copy in the document for another one (NULL: for none), unless both are none.
 * Another one is put only where the document is the one of *hash: else VZ_CHANGED. *old: what
 * was there, the caller's. */
static bool exchange(vz_store *store, const vz_zarr_format *zarr_format, const char *prefix, uint64_t *hash,
                     const vz_json *copy, vz_json **old, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_version version = {0};
    uint64_t now = 0;
    *old = NULL;
    vz_json *document = document_now(store, zarr_format, prefix, copy ? 0 : *hash, &now, &version, &failed);
    if (!document) {
        if (err)
            *err = failed;
        return failed.class == VZ_OK;
    }
    const bool follows = *hash == now;
    if (copy && !follows) {
        vz_json_free(document);
        return vz_fail(err, VZ_CHANGED, "another program changed %s meanwhile", zarr_format->group);
    }
    *old = vz_json_detach(document, VZ_CONSOLIDATED);
    vz_json *own = copy ? vz_json_copy(copy, err) : NULL;
    bool ok = !copy || (own && vz_json_set(document, VZ_CONSOLIDATED, own, err));
    if (ok && (copy || is_copy(*old)))
        ok = vz_document_put_when(store, prefix, zarr_format->group, document,
                                  version.size ? VZ_WHEN_VERSION : VZ_WHEN_ANY, &version, &now, err);
    if (ok && follows)
        *hash = now;
    vz_json_free(document);
    return ok;
}

/* Tries again when another process changes the document between our read and our write. */
static bool drop_until_done(vz_store *store, const vz_zarr_format *zarr_format, const char *prefix, uint64_t *hash,
                            vz_json **old, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool ok = false;
    for (unsigned attempt = 0; !ok && attempt < ATTEMPTS && (!attempt || failed.class == VZ_CHANGED); attempt++) {
        failed = VZ_ERROR_NONE;
        ok = exchange(store, zarr_format, prefix, hash, NULL, old, &failed);
        if (!ok) {
            vz_json_free(*old);
            *old = NULL;
        }
    }
    if (!ok && err)
        *err = failed;
    return ok;
}

bool vz_document_drop_copy(vz_store *store, const vz_zarr_format *zarr_format, const char *prefix, uint64_t *hash,
                           vz_json **removed, vz_error *err)
{
    if (!drop_until_done(store, zarr_format, prefix, hash, removed, err))
        return false;
    if (is_copy(*removed))
        return true;
    vz_json_free(*removed);
    *removed = NULL;
    return true;
}

bool vz_document_put_copy(vz_store *store, const vz_zarr_format *zarr_format, const char *prefix, uint64_t *hash,
                          vz_json *copy, vz_error *err)
{
    vz_json *old = NULL;
    const bool ok = exchange(store, zarr_format, prefix, hash, copy, &old, err);
    vz_json_free(old);
    vz_json_free(copy);
    return ok;
}
