/* document_io.c - documents as texts of the store: got, parsed, put. */
#include "hierarchy/documents/documents_internal.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

#define SMALL     65536 /* bytes of a document that gets its memory at once */
#define SHORT_KEY 256

/* Most keys are short, and need no memory of their own: in `place`, or on the heap. */
static char *key_of(char place[SHORT_KEY], const char *prefix, const char *document, vz_error *err)
{
    const size_t length = strlen(prefix), more = strlen(document) + 1;
    if (length + more >= SHORT_KEY)
        return vz_document_key_join(prefix, document, err);
    memcpy(place, prefix, length);
    place[length] = '/';
    memcpy(place + length + (length > 0), document, more);
    return place;
}

static void free_key(const char place[SHORT_KEY], char *key)
{
    if (key != place)
        free(key);
}

bool vz_document_get(vz_store *store, const char *prefix, const char *document, vz_buffer *text, bool *found,
                     vz_error *err)
{
    vz_version version;
    char place[SHORT_KEY], *key = key_of(place, prefix, document, err);
    text->limit = VZ_DOCUMENT_MAX_SIZE;
    const bool ok = key && (vz_store_see_prefetched(store, key, text, found, &version) ||
                            vz_store_get(store, key, VZ_WHOLE, text, found, err));
    free_key(place, key);
    return ok;
}

static bool meet(vz_store *store, const char *key, vz_buffer *text, bool *found, vz_version *version, vz_error *err)
{
    vz_request request = {.key = key, .into = text};
    *version = (vz_version){0};
    if (store->capabilities & VZ_STORE_CHEAP)
        return vz_store_get(store, key, VZ_WHOLE, text, found, err);
    if (!vz_request_do(store, &request, NULL, err))
        return false;
    *found = request.found;
    *version = request.version;
    return true;
}

bool vz_document_meet(vz_store *store, const char *prefix, const char *document, vz_buffer *text, bool *found,
                      vz_version *version, vz_error *err)
{
    char place[SHORT_KEY], *key = key_of(place, prefix, document, err);
    text->limit = VZ_DOCUMENT_MAX_SIZE;
    const bool ok = key && (vz_store_see_prefetched(store, key, text, found, version) ||
                            meet(store, key, text, found, version, err));
    free_key(place, key);
    return ok;
}

bool vz_document_get_first(vz_store *store, const char *prefix, const char *document, vz_buffer *text, bool *found,
                           vz_version *version, vz_error *err)
{
    char place[SHORT_KEY], *key = key_of(place, prefix, document, err);
    text->limit = VZ_DOCUMENT_MAX_SIZE;
    const bool ok = key && (vz_store_take_prefetched(store, key, text, found, version) ||
                            meet(store, key, text, found, version, err));
    free_key(place, key);
    return ok;
}

/* NULL without an error: there is no copy in it. */
static vz_json *parse_without_copy(const char *text, size_t size, vz_error *err)
{
    static const char nothing[] = "{}";
    size_t start, length;
    vz_buffer rest = {0};
    vz_json *json = NULL;
    if (!vz_json_find_object(text, size, VZ_CONSOLIDATED, &start, &length) || length < sizeof nothing)
        return NULL;
    if (vz_buffer_append(&rest, text, start, err) && vz_buffer_append(&rest, nothing, sizeof nothing - 1, err) &&
        vz_buffer_append(&rest, text + start + length, size - start - length, err))
        json = vz_json_parse_within((const char *)rest.data, rest.size, VZ_DOCUMENT_MAX_VALUES, err);
    vz_buffer_clear(&rest);
    return json;
}

vz_json *vz_document_parse(const char *document, const char *text, size_t size, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_json *json = vz_zarr_document_has_copy(document) ? parse_without_copy(text, size, &failed) : NULL;
    if (json)
        return json;
    if (failed.class == VZ_OK)
        return vz_document_parse_whole(document, text, size, err);
    vz_error_set(err, failed.class, "%s: %s", document, failed.text);
    return NULL;
}

vz_json *vz_document_parse_whole(const char *document, const char *text, size_t size, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_json *json = vz_json_parse_within(text, size, VZ_DOCUMENT_MAX_VALUES, &failed);
    if (!json)
        vz_error_set(err, failed.class, "%s: %s", document, failed.text);
    return json;
}

bool vz_document_read(vz_store *store, const char *prefix, const char *document, vz_json **value, vz_error *err)
{
    vz_buffer text = {0};
    bool found = false;
    *value = NULL;
    const bool ok = vz_document_get(store, prefix, document, &text, &found, err) &&
                    (!found || (*value = vz_document_parse(document, (const char *)text.data, text.size, err)));
    vz_buffer_clear(&text);
    return ok;
}

static bool fail_size(const char *document, vz_error *err)
{
    return vz_fail(err, VZ_LIMIT, "%s would have more than %zu bytes or %zu values, and could not be read again",
                   document, VZ_DOCUMENT_MAX_SIZE, VZ_DOCUMENT_MAX_VALUES);
}

static bool check_size(const vz_json *value, const char *document, vz_json_size *size, vz_error *err)
{
    *size = (vz_json_size){0};
    vz_json_measure(value, VZ_DOCUMENT_INDENT, 0, size);
    return (size->values <= VZ_DOCUMENT_MAX_VALUES && size->bytes <= 2 * VZ_DOCUMENT_MAX_SIZE) ||
           fail_size(document, err);
}

void vz_printed_document_clear(vz_printed_document *printed)
{
    free(printed->key);
    vz_buffer_clear(&printed->text);
    *printed = (vz_printed_document){0};
}

bool vz_document_print(vz_printed_document *printed, const char *prefix, const char *document, const vz_json *value,
                       vz_error *err)
{
    return (printed->key = vz_document_key_join(prefix, document, err)) &&
           check_size(value, document, &printed->size, err) &&
           (printed->size.bytes > SMALL || vz_buffer_reserve(&printed->text, printed->size.bytes, err)) &&
           vz_json_print(value, VZ_DOCUMENT_INDENT, &printed->text, err) &&
           (printed->text.size <= VZ_DOCUMENT_MAX_SIZE || fail_size(document, err));
}

bool vz_document_put_when(vz_store *store, const char *prefix, const char *document, const vz_json *value,
                          vz_request_condition when, const vz_version *version, uint64_t *hash, vz_error *err)
{
    vz_printed_document printed = {0};
    bool ok = vz_document_print(&printed, prefix, document, value, err);
    if (ok) {
        vz_request request = {.op = VZ_REQUEST_PUT,
                              .key = printed.key,
                              .value = {printed.text.data, printed.text.size},
                              .when = when,
                              .version = *version};
        vz_store_forget_prefetched(store, printed.key);
        ok = vz_request_do(store, &request, NULL, err);
    }
    if (ok)
        *hash = vz_hash_text(printed.text.data, printed.text.size);
    vz_printed_document_clear(&printed);
    return ok;
}
