/* metadata_file.c - the header that every file of metadata has, and what is packed behind it. */
#include "base/os/file.h"
#include "store/icechunk/icechunk_internal.h"
#include "store/store/prefetch.h"
#include <zstd.h>

#define MAGIC          "ICE\360\237\247\212CHUNK"
#define MAGIC_SIZE     (sizeof MAGIC - 1)
#define VERSION_AT     36
#define TYPE_AT        37
#define COMPRESSION_AT 38
#define VERSION_MAX    2
#define FIRST_ROOM     ((size_t)64 << 10)

bool vz_icechunk_file_is(vz_bytes start)
{
    return start.size >= MAGIC_SIZE && memcmp(start.data, MAGIC, MAGIC_SIZE) == 0;
}

bool vz_icechunk_fail_flat(const vz_icechunk_flat *flat, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "damaged data: \"%s\" does not lie in the file", flat->wrong);
}

bool vz_icechunk_fail_in(const char *file, const vz_error *why, vz_error *err)
{
    if (!err || err->class != VZ_OK)
        return false;
    vz_error_set(err, why->class, "%s: %s", file, why->text);
    err->sys_errno = why->sys_errno;
    return false;
}

/* ---- unpacking ---- */

static bool grow(vz_buffer *out, vz_error *err)
{
    const size_t room = out->capacity < FIRST_ROOM ? FIRST_ROOM : 2 * out->capacity;
    if (out->capacity >= VZ_FLAT_MAX)
        return vz_fail(err, VZ_LIMIT, "more than %zu bytes when it is unpacked", VZ_FLAT_MAX);
    return vz_buffer_reserve(out, room < VZ_FLAT_MAX ? room : VZ_FLAT_MAX, err);
}

static bool unpack_all(ZSTD_DStream *stream, vz_bytes packed, vz_buffer *out, vz_error *err)
{
    ZSTD_inBuffer in = {packed.data, packed.size, 0};
    for (size_t left = 1; left != 0;) {
        if (out->size == out->capacity && !grow(out, err))
            return false;
        ZSTD_outBuffer to = {out->data, out->capacity, out->size};
        left = ZSTD_decompressStream(stream, &to, &in);
        if (ZSTD_isError(left))
            return vz_fail(err, VZ_CORRUPT, "damaged data: zstd: %s", ZSTD_getErrorName(left));
        const bool is_stuck = in.pos == in.size && to.pos < to.size;
        out->size = to.pos;
        if (left != 0 && is_stuck)
            return vz_fail(err, VZ_CORRUPT, "damaged data: the file ends too early");
    }
    return in.pos == in.size || vz_fail(err, VZ_CORRUPT, "damaged data: bytes behind the end");
}

static bool unpack(vz_bytes packed, vz_buffer *out, vz_error *err)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    const bool ok = stream ? unpack_all(stream, packed, out, err) : vz_fail_memory(err);
    ZSTD_freeDStream(stream);
    return ok;
}

bool vz_icechunk_file_unpack(vz_bytes file, vz_icechunk_file_type type, vz_buffer *content, vz_error *err)
{
    if (file.size < VZ_ICECHUNK_HEADER_SIZE || !vz_icechunk_file_is(file))
        return vz_fail(err, VZ_CORRUPT, "it does not begin as a file of Icechunk does");
    const uint8_t version = file.data[VERSION_AT], compression = file.data[COMPRESSION_AT];
    if (version == 0 || version > VERSION_MAX)
        return vz_fail(err, VZ_UNSUPPORTED, "format version %u of Icechunk: 1 and 2 are known", version);
    if (file.data[TYPE_AT] != type)
        return vz_fail(err, VZ_CORRUPT, "it is a file of type %u, and not %u", file.data[TYPE_AT], (unsigned)type);
    const vz_bytes packed = {file.data + VZ_ICECHUNK_HEADER_SIZE, file.size - VZ_ICECHUNK_HEADER_SIZE};
    if (compression == 1)
        return unpack(packed, content, err);
    if (compression != 0)
        return vz_fail(err, VZ_UNSUPPORTED, "its compression %u: 0 and 1 are known", compression);
    return vz_buffer_append(content, packed.data, packed.size, err);
}

bool vz_icechunk_file_read(vz_store *below, const char *key, vz_icechunk_file_type type, vz_buffer *content,
                           vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_buffer file = {.limit = VZ_ICECHUNK_FILE_MAX};
    vz_version version;
    bool found = false;
    const bool ok = (vz_store_take_prefetched(below, key, &file, &found, &version) ||
                     vz_store_get(below, key, VZ_WHOLE, &file, &found, &why)) &&
                    (found || vz_fail(&why, VZ_NOT_FOUND, "there is no such file")) &&
                    vz_icechunk_file_unpack((vz_bytes){file.data, file.size}, type, content, &why);
    vz_buffer_clear(&file);
    return ok || vz_icechunk_fail_in(key, &why, err);
}
