/* crc32c.c - numcodecs "crc32c" and Zarr v3's: the data, then its CRC-32C (Castagnoli). Eight bytes
 * a step, by tables. */
#include "codec/codec/codec_internal.h"
#include "codec/codec/codec.h"

#include "base/os/thread.h"

#define POLYNOMIAL 0x82f63b78u /* reflected */
#define SLICES     8

static uint32_t tables[SLICES][256];
static vz_os_once once = VZ_OS_ONCE_INIT;

static void make_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        tables[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int slice = 1; slice < SLICES; slice++)
            tables[slice][i] = tables[slice - 1][i] >> 8 ^ tables[0][tables[slice - 1][i] & 0xff];
}

static uint32_t crc32c(vz_bytes data)
{
    vz_os_run_once(&once, make_tables);
    uint32_t crc = UINT32_MAX;
    const uint8_t *p = data.data;
    size_t left = data.size;
    for (; left >= SLICES; p += SLICES, left -= SLICES) {
        const uint32_t low = crc ^ vz_bytes_load_le32(p), high = vz_bytes_load_le32(p + 4);
        crc = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^ tables[4][low >> 24] ^
              tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^ tables[1][high >> 16 & 0xff] ^
              tables[0][high >> 24];
    }
    for (; left; p++, left--)
        crc = crc >> 8 ^ tables[0][(crc ^ *p) & 0xff];
    return ~crc;
}

static bool crc32c_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    return vz_checksum_configure(codec, config, crc32c, false, err);
}

const vz_codec_class vz_codec_crc32c = {
    .id = "crc32c",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(vz_checksum_state),
    .configure = crc32c_configure,
    .encoded_size = vz_checksum_encoded_size,
    .decode = vz_checksum_decode,
    .encode = vz_checksum_encode,
};
