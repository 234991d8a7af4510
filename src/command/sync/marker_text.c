/* marker_text.c - the document that stands in a store which is not finished (marker.c). */
#include "command/sync/sync_internal.h"
#include <stdlib.h>

#define MARK     "unfinished copy" /* docs/format.md */
#define ID_BYTES 16

static bool add_id(vz_json *about, vz_error *err)
{
    uint64_t number[2];
    char text[2 * ID_BYTES + 1];
    vz_process_unlike(number);
    snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)number[0], (unsigned long long)number[1]);
    return vz_json_set_text(about, "id", text, err);
}

/* An array, since zarr-python makes a new group where an object is no node. */
bool vz_sync_print_marker(vz_sync *run, vz_error *err)
{
    vz_json *document = vz_json_array(err), *about = vz_json_object(err);
    bool ok = document && about && add_id(about, err) &&
              vz_describe_set_text(about, "source", run->source.label, err) &&
              vz_json_set(about, "new", vz_json_bool(run->is_new, err), err) &&
              vz_json_set_text(about, "advice", "h5zarr sync or cp, run again, finishes this store", err);
    ok = ok && vz_json_append(document, vz_json_text(MARK, err), err);
    if (ok) {
        ok = vz_json_append(document, about, err);
        about = NULL;
    }
    ok = ok && vz_json_print(document, 2, &run->marker, err);
    vz_json_free(about);
    vz_json_free(document);
    return ok;
}

bool vz_sync_read_marker(const vz_buffer *document, vz_buffer *source, bool *is_new, vz_error *err)
{
    vz_json *json = document->size && document->size <= VZ_SYNC_MARKER_MAX
                        ? vz_json_parse((const char *)document->data, document->size, err)
                        : NULL;
    const vz_json *about = vz_json_at(json, 1);
    const bool is_marker = vz_json_is(vz_json_at(json, 0), MARK) && about;
    const char *text = is_marker ? vz_json_get_text(about, "source") : NULL;
    *is_new = false;
    if (is_marker)
        vz_json_get_bool(vz_json_get(about, "new"), is_new);
    const bool ok = is_marker && vz_buffer_append(source, text ? text : "", text ? strlen(text) + 1 : 1, err);
    vz_json_free(json);
    return ok;
}

bool vz_sync_is_marker(const vz_buffer *document)
{
    vz_buffer source = {0};
    bool is_new;
    const bool is = vz_sync_read_marker(document, &source, &is_new, &(vz_error){0});
    vz_buffer_clear(&source);
    return is;
}

bool vz_sync_is_own_marker(const vz_sync *run, const char *key, vz_bytes bytes)
{
    const char *slash = strrchr(key, '/');
    return run->marker.size && bytes.size == run->marker.size && strcmp(slash ? slash + 1 : key, "zarr.json") == 0 &&
           memcmp(bytes.data, run->marker.data, bytes.size) == 0;
}
