/* link_name.c - link names a store cannot hold are escaped: "%XX" for a byte that is in the way,
 * a hash for what is too long. */
#include "hierarchy/documents/documents_internal.h"
#include "store/store/store.h"
#include <stdlib.h>

#define CUT_AT 200 /* bytes kept of a name that is too long: readable, and room for the hash */

/* In any case: stores travel to file systems that fold it. */
static bool is_metadata_name(const char *name)
{
    static const char *const names[] = {".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

/* The byte whose escape makes the whole name harmless, or NULL. */
static const char *offending_dot(const char *name)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return name;
    if (is_metadata_name(name) || vz_partial_is_name(name))
        return strrchr(name, '.');
    return NULL;
}

/* Length of what stands at `p` and can stay: a whole UTF-8 sequence, 0 for a byte that cannot. */
static size_t plain_length(const char *p, const char *end)
{
    return *p == '\\' || *p == '/' ? 0 : vz_utf8_sequence(p, (size_t)(end - p), false);
}

static bool escape(const char *name, vz_buffer *out, vz_error *err)
{
    const char *end = name + strlen(name), *dot = offending_dot(name);
    for (const char *p = name; p < end;) {
        const size_t length = p == dot ? 0 : plain_length(p, end);
        const bool ok = length > 0 ? vz_buffer_append(out, p, length, err)
                                   : vz_buffer_printf(out, err, "%%%02X", (unsigned char)*p);
        if (!ok)
            return false;
        p += length ? length : 1;
    }
    return true;
}

/* The length up to which text can be cut without leaving half a UTF-8 sequence or half an
 * escape. */
static size_t cut_length(const vz_buffer *text)
{
    size_t length = text->size < CUT_AT ? text->size : CUT_AT;
    if (length < text->size)
        while (length > 0 && (text->data[length] & 0xc0) == 0x80)
            length--;
    return length;
}

static bool append_hash(const char *name, vz_buffer *segment, vz_error *err)
{
    segment->size = cut_length(segment);
    const uint64_t hash = vz_hash(name, strlen(name), 0);
    return vz_buffer_printf(segment, err, "%%~%016llx", (unsigned long long)hash);
}

static char *to_segment(const char *name, bool hashed, vz_error *err)
{
    vz_buffer segment = {0};
    bool ok = escape(name, &segment, err);
    if (ok && (hashed || segment.size > VZ_NAME_MAX_SEGMENT))
        ok = append_hash(name, &segment, err);
    if (ok && vz_buffer_append(&segment, "", 1, err))
        return (char *)segment.data;
    vz_buffer_clear(&segment);
    return NULL;
}

char *vz_segment_of_name(const char *name, vz_error *err)
{
    return to_segment(name, false, err);
}

char *vz_segment_of_name_hashed(const char *name, vz_error *err)
{
    return to_segment(name, true, err);
}

char *vz_document_key_join(const char *prefix, const char *name, vz_error *err)
{
    const size_t length = strlen(prefix), more = strlen(name);
    char *key = malloc(length + more + 2);
    if (!key) {
        vz_fail_memory(err);
        return NULL;
    }
    memcpy(key, prefix, length);
    const size_t slash = length > 0 && more > 0;
    key[length] = '/';
    memcpy(key + length + slash, name, more + 1);
    return key;
}

bool vz_text_is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return false;
    return true;
}
