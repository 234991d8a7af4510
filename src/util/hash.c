/* hash.c - FNV-1a with a final mix (FNV alone leaves the high bits of short keys alike). */
#include "util/bytes.h"

#define FNV_OFFSET 0xcbf29ce484222325u
#define FNV_PRIME  0x100000001b3u

static uint64_t mix(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 33;
}

uint64_t vz_hash(const void *data, size_t size, uint64_t seed)
{
    const uint8_t *bytes = data;
    uint64_t h = FNV_OFFSET ^ seed;
    for (size_t i = 0; i < size; i++)
        h = (h ^ bytes[i]) * FNV_PRIME;
    return mix(h);
}

uint64_t vz_hash_long(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t h = FNV_OFFSET ^ size, word;
    size_t at = 0;
    for (; size - at >= sizeof word; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        h = (h ^ mix(word)) * FNV_PRIME;
    }
    return vz_hash(bytes + at, size - at, h);
}
