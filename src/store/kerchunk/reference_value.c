/* reference_value.c - the value of a key: the bytes themselves, or a range of a file. */
#include "base/util/json.h"
#include "store/kerchunk/kerchunk_internal.h"
#include <stdlib.h>

#define BASE64     "base64:"
#define VALUES_MAX 4 /* an array, a name, an offset and a size */

/* Text is the bytes, or these in base64. It is decoded once. */
static bool take_text(const char *text, size_t length, vz_kerchunk_value *value, vz_error *err)
{
    const size_t skip = sizeof BASE64 - 1;
    const bool is_base64 = length >= skip && memcmp(text, BASE64, skip) == 0;
    const bool ok = is_base64 ? vz_base64_decode(text + skip, length - skip, &value->own, err)
                              : vz_buffer_append(&value->own, text, length, err);
    value->is_inline = true;
    value->bytes = (vz_bytes){value->own.data, value->own.size};
    return ok;
}

/* ---- names ---- */

/* Appends what a template stands for; *text is behind its braces then. */
static bool fill_in(const vz_kerchunk_table *table, const char **text, vz_buffer *out, vz_error *err)
{
    const char *end = strstr(*text, "}}");
    char name[64] = "";
    const char *first = *text + 2 + strspn(*text + 2, " ");
    size_t size = end && end > first ? (size_t)(end - first) : 0;
    while (size > 0 && first[size - 1] == ' ')
        size--;
    if (size > 0 && size < sizeof name)
        memcpy(name, first, size);
    const char *filled = *name && table->templates ? vz_strmap_get(table->templates, name) : NULL;
    if (!filled)
        return vz_fail(err, VZ_UNSUPPORTED, "the template in \"%.100s\": the file has no text of that name", *text);
    if (strstr(filled, "{{"))
        return vz_fail(err, VZ_UNSUPPORTED, "the template \"%s\", which is a function", name);
    *text = end + 2;
    return vz_buffer_append(out, filled, strlen(filled), err);
}

static bool take_name(const vz_kerchunk_table *table, const char *text, vz_kerchunk_value *value, vz_error *err)
{
    vz_buffer name = {0};
    bool ok = true;
    while (ok && *text) {
        const char *braces = strstr(text, "{{");
        const size_t plain = braces ? (size_t)(braces - text) : strlen(text);
        ok = vz_buffer_append(&name, text, plain, err);
        text += plain;
        if (ok && braces)
            ok = fill_in(table, &text, &name, err);
        if (ok && name.size > VZ_KERCHUNK_NAME_MAX)
            ok = vz_fail(err, VZ_LIMIT, "a name of more than %d bytes", VZ_KERCHUNK_NAME_MAX);
    }
    ok = ok && (name.size > 0 || vz_fail(err, VZ_CORRUPT, "a reference without the name of a file")) &&
         vz_buffer_append(&name, "", 1, err);
    if (!ok)
        vz_buffer_clear(&name);
    value->name = (char *)name.data;
    return ok;
}

static bool take_array(const vz_kerchunk_table *table, const vz_json *array, vz_kerchunk_value *value, vz_error *err)
{
    const size_t count = vz_json_length(array);
    size_t length = 0;
    const char *name = vz_json_get_string(vz_json_at(array, 0), &length);
    uint64_t end;
    if ((count != 1 && count != 3) || !name || strlen(name) != length)
        return vz_fail(err, VZ_CORRUPT, "a reference is [name] or [name, offset, size]");
    value->is_whole = count == 1;
    if (count == 3 && (!vz_json_get_uint64(vz_json_at(array, 1), &value->offset) ||
                       !vz_json_get_uint64(vz_json_at(array, 2), &value->size) ||
                       !vz_add(value->offset, value->size, &end) || end > INT64_MAX))
        return vz_fail(err, VZ_CORRUPT, "a reference whose offset and size are no places in a file");
    return take_name(table, name, value, err) && vz_kerchunk_archive_place(&table->archive, value, err);
}

bool vz_kerchunk_value_read(const vz_kerchunk_table *table, const vz_kerchunk_entry *entry, vz_kerchunk_value *value,
                            vz_error *err)
{
    *value = (vz_kerchunk_value){0};
    if (entry->value.size && entry->value.data[0] == '{') { /* a document, as it stands */
        value->is_inline = true;
        value->bytes = entry->value;
        return true;
    }
    vz_json *json = vz_json_parse_within((const char *)entry->value.data, entry->value.size, VALUES_MAX, err);
    if (!json)
        return false;
    size_t length = 0;
    const char *text = vz_json_get_string(json, &length);
    bool ok;
    if (text)
        ok = take_text(text, length, value, err);
    else if (vz_json_kind_of(json) == VZ_JSON_ARRAY)
        ok = take_array(table, json, value, err) && vz_kerchunk_take_etag(table, value, err);
    else
        ok = vz_fail(err, VZ_CORRUPT, "%s, which is no reference", vz_json_kind_name(json));
    vz_json_free(json);
    return ok;
}

void vz_kerchunk_value_clear(vz_kerchunk_value *value)
{
    vz_buffer_clear(&value->own);
    free(value->name);
    free(value->etag);
    if (value->leave)
        value->leave(value->context, value->held);
    *value = (vz_kerchunk_value){0};
}

bool vz_kerchunk_place_range(const vz_kerchunk_value *value, vz_range range, vz_range *part, vz_error *err)
{
    uint64_t first;
    size_t size;
    if (value->is_whole) {
        *part = range;
        return true;
    }
    if (!vz_os_range_resolve(value->size, range, &first, &size, err))
        return false;
    *part = (vz_range){.kind = VZ_RANGE_AT, .offset = value->offset + first, .size = size};
    return true;
}
