/* reference_output.c - a reference file, written from its beginning to its end, or a store with
 * lists of references, each of which is such a file. */
#include "base/os/file.h"
#include "base/util/json.h"
#include "command/view/view_internal.h"
#include "store/kerchunk/kerchunk.h"
#include "store/store/kind.h"
#include "store/store/request.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PART_SIZE ((size_t)1 << 20) /* bytes that are written together */

static bool write_waiting(vz_view_output *out, vz_error *err)
{
    if (!vz_os_file_write(out->file, out->written, out->waiting.data, out->waiting.size, err))
        return false;
    out->written += out->waiting.size;
    out->waiting.size = 0;
    return out->written <= out->size_max ||
           vz_fail(err, VZ_LIMIT, "a reference file of more than %llu bytes, which nobody could open",
                   (unsigned long long)out->size_max);
}

static bool write_some(vz_view_output *out, vz_error *err)
{
    return out->waiting.size < PART_SIZE || write_waiting(out, err);
}

bool vz_view_text(vz_buffer *out, const char *text, size_t size, vz_error *err)
{
    vz_json *json = vz_json_string(text, size, err);
    const bool ok = json && vz_json_print(json, 0, out, err);
    vz_json_free(json);
    return ok;
}

/* The version of the source, which readers of ours compare. */
static bool write_head(vz_view_output *out, const vz_view_request *request, vz_error *err)
{
    const vz_view_source *source = request->source;
    return vz_buffer_printf(
               &out->waiting, err,
               "{\"version\": 1,\n\"generationMetadata\": {\"generatedBy\": \"h5zarr virtual, vol-zarr " VZ_VERSION
               "\", \"sources\": {") &&
           vz_view_text(&out->waiting, request->name, strlen(request->name), err) &&
           vz_buffer_printf(&out->waiting, err, ": {\"size\": %llu", (unsigned long long)source->size) &&
           (source->file < 0 ||
            vz_buffer_printf(&out->waiting, err, ", \"mtime_ns\": %lld", (long long)source->modified_ns)) &&
           (!source->etag || (vz_buffer_printf(&out->waiting, err, ", \"etag\": ") &&
                              vz_view_text(&out->waiting, source->etag, strlen(source->etag), err))) &&
           vz_buffer_printf(&out->waiting, err, "}}},\n\"refs\": {");
}

static bool begin_file(vz_view_output *out, const char *path, mode_t mode, vz_error *err)
{
    out->file = vz_os_create(path, O_RDWR | O_EXCL | O_NOFOLLOW, mode);
    out->written = 0;
    out->has_member = false;
    if (out->file < 0)
        return vz_fail_errno(err, errno, "%.300s cannot be made", path);
    return write_head(out, out->request, err);
}

static bool finish_file(vz_view_output *out, vz_error *err)
{
    static const char end[] = "\n}}\n";
    return vz_buffer_append(&out->waiting, end, sizeof end - 1, err) && write_waiting(out, err);
}

static bool close_file(vz_view_output *out, bool ok, vz_error *err)
{
    if (out->file >= 0 && vz_os_close(out->file) != 0 && ok)
        ok = vz_fail_errno(err, errno, "the references cannot be written");
    out->file = -1;
    vz_buffer_clear(&out->waiting);
    return ok;
}

static bool begin_store(vz_view_output *out, vz_error *err)
{
    const vz_store_creation wanted = {.kind = out->request->container};
    const vz_store_kind *kind = vz_location_kind(out->request->target, &wanted, err);
    out->into = kind ? vz_location_create(out->request->path, kind, 0, VZ_MAKE_NEW, err) : NULL;
    if (out->into && asprintf(&out->list, "%s.references", out->request->path) >= 0)
        return true;
    out->list = NULL;
    return out->into && vz_fail_memory(err);
}

bool vz_view_output_begin(vz_view_output *out, const vz_view_request *request, vz_error *err)
{
    *out = (vz_view_output){.request = request, .file = -1, .size_max = VZ_KERCHUNK_MAX_SIZE};
    return request->form == VZ_VIEW_STORE ? begin_store(out, err) : begin_file(out, request->path, 0666, err);
}

/* ---- lists of a store ---- */

bool vz_view_list_begin(vz_view_output *out, const char *prefix, vz_error *err)
{
    out->skipped = *prefix ? strlen(prefix) + 1 : 0;
    return begin_file(out, out->list, 0600, err);
}

/* Stores that take no pieces have all of it in memory. */
static bool send_whole(vz_view_output *out, const char *key, vz_error *err)
{
    vz_buffer text = {0};
    const bool ok = vz_buffer_reserve(&text, (size_t)out->written, err) &&
                    vz_os_file_read(out->file, 0, text.data, (size_t)out->written, err) &&
                    vz_store_put(out->into, key, (vz_bytes){text.data, (size_t)out->written}, err);
    vz_buffer_clear(&text);
    return ok;
}

static bool send(vz_view_output *out, const char *key, vz_error *err)
{
    vz_pieces *pieces = vz_pieces_begin(out->into, key);
    vz_buffer part = {0};
    if (!pieces)
        return send_whole(out, key, err);
    bool ok = vz_buffer_reserve(&part, PART_SIZE, err);
    for (uint64_t at = 0; ok && at < out->written; at += part.size) {
        part.size = out->written - at < PART_SIZE ? (size_t)(out->written - at) : PART_SIZE;
        ok = vz_os_file_read(out->file, at, part.data, part.size, err) &&
             vz_pieces_write(out->into, pieces, at, (vz_bytes){part.data, part.size}, err);
    }
    ok = ok && vz_pieces_put(out->into, key, pieces, true, err);
    vz_pieces_drop(pieces);
    vz_buffer_clear(&part);
    return ok;
}

bool vz_view_list_end(vz_view_output *out, const char *prefix, bool ok, vz_error *err)
{
    char *key = ok ? vz_document_key_join(prefix, VZ_META_REFERENCES_NAME, err) : NULL;
    ok = ok && key && finish_file(out, err) && send(out, key, err);
    free(key);
    out->bytes += out->written;
    out->skipped = 0;
    ok = close_file(out, ok, err);
    vz_os_unlink(out->list);
    return ok;
}

/* ---- values ---- */

static bool begin_member(vz_view_output *out, vz_error *err)
{
    const char *before = out->has_member ? ",\n" : "\n";
    out->has_member = true;
    return vz_buffer_append(&out->waiting, before, strlen(before), err);
}

static bool begin_key(vz_view_output *out, const char *key, vz_error *err)
{
    return begin_member(out, err) && vz_view_text(&out->waiting, key, strlen(key), err) &&
           vz_buffer_append(&out->waiting, ": ", 2, err);
}

bool vz_view_output_document(vz_view_output *out, const char *key, vz_bytes text, vz_error *err)
{
    out->bytes += out->into ? text.size : 0;
    return out->into ? vz_store_put(out->into, key, text, err)
                     : begin_key(out, key, err) &&
                           vz_view_text(&out->waiting, (const char *)text.data, text.size, err) && write_some(out, err);
}

bool vz_view_output_json(vz_view_output *out, const char *key, const vz_json *value, vz_error *err)
{
    return begin_key(out, key, err) && vz_json_print(value, 0, &out->waiting, err) && write_some(out, err);
}

bool vz_view_output_bytes(vz_view_output *out, const char *key, vz_bytes bytes, vz_error *err)
{
    out->inlined += bytes.size;
    out->bytes += out->file < 0 ? bytes.size : 0;
    if (out->file < 0) /* of an array without references */
        return vz_store_put(out->into, key, bytes, err);
    char *text = vz_base64_encode(bytes.data, bytes.size, err);
    const bool ok = text && begin_key(out, key + out->skipped, err) &&
                    vz_buffer_append(&out->waiting, "\"base64:", 8, err) &&
                    vz_buffer_append(&out->waiting, text, strlen(text), err) &&
                    vz_buffer_append(&out->waiting, "\"", 1, err) && write_some(out, err);
    free(text);
    return ok;
}

bool vz_view_output_range(vz_view_output *out, const char *start, const char *chunk, const char *end, uint64_t offset,
                          uint64_t size, vz_error *err)
{
    char first[VZ_DECIMAL_SIZE], second[VZ_DECIMAL_SIZE];
    const size_t of_first = vz_decimal(offset, first), of_second = vz_decimal(size, second);
    vz_buffer *text = &out->waiting;
    out->references++;
    return begin_member(out, err) && vz_buffer_append(text, start, strlen(start), err) &&
           vz_buffer_append(text, chunk, strlen(chunk), err) && vz_buffer_append(text, end, strlen(end), err) &&
           vz_buffer_append(text, first, of_first, err) && vz_buffer_append(text, ", ", 2, err) &&
           vz_buffer_append(text, second, of_second, err) && vz_buffer_append(text, "]", 1, err) &&
           write_some(out, err);
}

char *vz_view_chunk_key(const vz_view_array *array, const uint64_t *chunk, vz_error *err)
{
    char name[VZ_VIEW_CHUNK_NAME];
    return vz_meta_chunk_key(array->meta, "", chunk, name, sizeof name, err)
               ? vz_document_key_join(array->prefix, name, err)
               : NULL;
}

bool vz_view_output_end(vz_view_output *out, bool ok, vz_error *err)
{
    if (out->file >= 0) {
        ok = ok && finish_file(out, err);
        out->bytes = out->written;
        ok = close_file(out, ok, err);
    }
    ok = ok && (!out->into || !out->into->class->commit || vz_store_commit(out->into, err));
    vz_store_close(out->into);
    free(out->list);
    return ok;
}
