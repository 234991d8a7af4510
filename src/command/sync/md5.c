/* md5.c - MD5 (RFC 1321): S3's and Google's ETags, and Azure's Content-MD5. It tells whether bytes
 * arrived, not who wrote them. */
#include "command/sync/sync_internal.h"
#include <math.h>
#include <stdlib.h>

static uint32_t sines[64];
static vz_os_once once = VZ_OS_ONCE_INIT;

static void make_sines(void)
{
    for (int i = 0; i < 64; i++)
        sines[i] = (uint32_t)(int64_t)floor(fabs(sin(i + 1)) * 4294967296.0);
}

static uint32_t rotate(uint32_t value, unsigned by)
{
    return value << by | value >> (32 - by);
}

static void take_block(vz_sync_md5 *sum, const uint8_t *block)
{
    static const uint8_t turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t a = sum->state[0], b = sum->state[1], c = sum->state[2], d = sum->state[3];
    for (unsigned i = 0; i < 64; i++) {
        const unsigned round = i / 16;
        const uint32_t mixed[4] = {(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)};
        const unsigned word[4] = {i, 5 * i + 1, 3 * i + 5, 7 * i};
        const uint32_t added = a + mixed[round] + sines[i] + vz_bytes_load_le32(block + 4 * (word[round] % 16));
        a = d;
        d = c;
        c = b;
        b += rotate(added, turns[round][i % 4]);
    }
    sum->state[0] += a;
    sum->state[1] += b;
    sum->state[2] += c;
    sum->state[3] += d;
}

void vz_sync_md5_begin(vz_sync_md5 *sum)
{
    vz_os_run_once(&once, make_sines);
    *sum = (vz_sync_md5){.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
}

void vz_sync_md5_more(vz_sync_md5 *sum, const void *data, size_t size)
{
    const uint8_t *at = data;
    while (size > 0) {
        const size_t filled = sum->size % 64, room = 64 - filled, step = size < room ? size : room;
        if (step == 64) {
            take_block(sum, at);
        } else {
            memcpy(sum->block + filled, at, step);
            if (step == room)
                take_block(sum, sum->block);
        }
        sum->size += step;
        at += step;
        size -= step;
    }
}

void vz_sync_md5_end(vz_sync_md5 *sum, uint8_t result[16])
{
    static const uint8_t end[64] = {0x80};
    uint8_t length[8];
    const uint64_t bits = sum->size * 8;
    const size_t filled = sum->size % 64;
    vz_bytes_store_le32(length, (uint32_t)bits);
    vz_bytes_store_le32(length + 4, (uint32_t)(bits >> 32));
    vz_sync_md5_more(sum, end, filled < 56 ? 56 - filled : 120 - filled);
    vz_sync_md5_more(sum, length, sizeof length);
    for (int i = 0; i < 4; i++)
        vz_bytes_store_le32(result + 4 * i, sum->state[i]);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool vz_sync_md5_parse(const char *etag, const char *base64, uint8_t result[16])
{
    if (base64) {
        vz_buffer bytes = {0};
        const bool ok = vz_base64_decode(base64, strlen(base64), &bytes, NULL) && bytes.size == 16;
        if (ok)
            memcpy(result, bytes.data, 16);
        vz_buffer_clear(&bytes);
        return ok;
    }
    if (!etag || strlen(etag) != 34 || etag[0] != '"' || etag[33] != '"')
        return false;
    for (int i = 0; i < 16; i++) {
        const int high = digit(etag[1 + 2 * i]), low = digit(etag[2 + 2 * i]);
        if (high < 0 || low < 0)
            return false;
        result[i] = (uint8_t)(16 * high + low);
    }
    return true;
}
