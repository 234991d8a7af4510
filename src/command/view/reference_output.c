/* reference_output.c - a reference file, written from its beginning to its end. */
#include "base/os/file.h"
#include "base/util/json.h"
#include "command/view/view_internal.h"
#include "store/kerchunk/kerchunk.h"
#include <errno.h>
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
    return vz_buffer_printf(
               &out->waiting, err,
               "{\"version\": 1,\n\"generationMetadata\": {\"generatedBy\": \"h5zarr virtual, vol-zarr " VZ_VERSION
               "\", \"sources\": {") &&
           vz_view_text(&out->waiting, request->name, strlen(request->name), err) &&
           vz_buffer_printf(&out->waiting, err, ": {\"size\": %llu, \"mtime_ns\": %lld}}},\n\"refs\": {",
                            (unsigned long long)request->source->size, (long long)request->source->modified_ns);
}

bool vz_view_output_begin(vz_view_output *out, const vz_view_request *request, vz_error *err)
{
    *out = (vz_view_output){.size_max = VZ_KERCHUNK_MAX_SIZE};
    out->file = vz_os_create(request->path, O_WRONLY | O_EXCL | O_NOFOLLOW, 0666);
    if (out->file < 0)
        return vz_fail_errno(err, errno, "%.300s cannot be made", request->path);
    return write_head(out, request, err);
}

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
    return begin_key(out, key, err) && vz_view_text(&out->waiting, (const char *)text.data, text.size, err) &&
           write_some(out, err);
}

bool vz_view_output_bytes(vz_view_output *out, const char *key, vz_bytes bytes, vz_error *err)
{
    char *text = vz_base64_encode(bytes.data, bytes.size, err);
    const bool ok = text && begin_key(out, key, err) && vz_buffer_append(&out->waiting, "\"base64:", 8, err) &&
                    vz_buffer_append(&out->waiting, text, strlen(text), err) &&
                    vz_buffer_append(&out->waiting, "\"", 1, err) && write_some(out, err);
    free(text);
    out->inlined += bytes.size;
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
    static const char end[] = "\n}}\n";
    ok = ok && vz_buffer_append(&out->waiting, end, sizeof end - 1, err) && write_waiting(out, err);
    if (out->file >= 0 && vz_os_close(out->file) != 0 && ok)
        ok = vz_fail_errno(err, errno, "the reference file cannot be written");
    vz_buffer_clear(&out->waiting);
    return ok;
}
