/* inflate_entry.c - see central_internal.h. */
#include "store/zip/central_internal.h"
#include <libdeflate.h>

#define AT_FLAGS        6 /* in a local header (APPNOTE 4.3.7) */
#define AT_METHOD       8
#define AT_CRC          14
#define AT_NAME_LENGTH  26
#define AT_EXTRA_LENGTH 28

bool vz_zip_check_method(uint16_t method, uint16_t flags, vz_error *err)
{
    if (flags & VZ_ZIP_FLAG_ENCRYPTED)
        return vz_fail(err, VZ_UNSUPPORTED, "encrypted entries of zip files");
    return method == VZ_ZIP_STORED || method == VZ_ZIP_DEFLATED ||
           vz_fail(err, VZ_UNSUPPORTED, "compression method %u of zip files", method);
}

bool vz_zip_measure_local(const uint8_t *head, uint64_t local, uint64_t stored, uint64_t size, uint32_t *length,
                          vz_error *err)
{
    uint64_t first, after;
    if (vz_bytes_load_le32(head) != VZ_ZIP_LOCAL_SIGNATURE)
        return vz_fail(err, VZ_CORRUPT, "the zip file has no entry where its directory says");
    *length =
        VZ_ZIP_LOCAL_SIZE + (uint32_t)vz_zip_load16(head + AT_NAME_LENGTH) + vz_zip_load16(head + AT_EXTRA_LENGTH);
    return (vz_add(local, *length, &first) && vz_add(first, stored, &after) && after <= size) ||
           vz_fail(err, VZ_CORRUPT, "the entry lies outside of the zip file");
}

bool vz_zip_is_header_of(const uint8_t *head, const char *key, uint16_t method, uint32_t crc)
{
    const size_t length = strlen(key);
    return vz_bytes_load_le32(head) == VZ_ZIP_LOCAL_SIGNATURE && vz_zip_load16(head + AT_NAME_LENGTH) == length &&
           vz_zip_load16(head + AT_METHOD) == method && memcmp(head + VZ_ZIP_LOCAL_SIZE, key, length) == 0 &&
           ((vz_zip_load16(head + AT_FLAGS) & VZ_ZIP_FLAG_DESCRIPTOR) || vz_bytes_load_le32(head + AT_CRC) == crc);
}

bool vz_zip_inflate(vz_bytes stored, uint8_t *place, size_t size, vz_error *err)
{
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    if (!inflater)
        return vz_fail_memory(err);
    const enum libdeflate_result result =
        libdeflate_deflate_decompress(inflater, stored.data, stored.size, place, size, NULL);
    libdeflate_free_decompressor(inflater);
    return result == LIBDEFLATE_SUCCESS || vz_fail(err, VZ_CORRUPT, "the entry is damaged");
}

bool vz_zip_check_sum(const uint8_t *data, size_t size, uint32_t crc, vz_error *err)
{
    return libdeflate_crc32(0, data, size) == crc || vz_fail(err, VZ_CORRUPT, "the entry's checksum does not match");
}
