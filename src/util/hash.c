/* hash.c - FNV-1a with a final mix (FNV alone leaves the high bits of short keys alike); of long texts, words in
 * lanes. */
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

/* ---- long texts ---- */

#define LANE_PRIME 0x9fb21c651e98df25u

void vz_hash_begin(vz_long_hash *hash, size_t size)
{
    for (size_t i = 0; i < VZ_HASH_LANES; i++)
        hash->lanes[i] = mix(FNV_OFFSET ^ size) + i;
    hash->rest = 0;
}

/* The lanes do not wait for one another. */
void vz_hash_more(vz_long_hash *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    size_t at = 0;
    for (; size - at >= VZ_HASH_STEP; at += VZ_HASH_STEP)
        for (size_t i = 0; i < VZ_HASH_LANES; i++) {
            uint64_t word;
            memcpy(&word, bytes + at + i * sizeof word, sizeof word);
            hash->lanes[i] = (hash->lanes[i] ^ word) * LANE_PRIME;
            hash->lanes[i] ^= hash->lanes[i] >> 32;
        }
    if (at < size)
        hash->rest = vz_hash(bytes + at, size - at, FNV_OFFSET);
}

uint64_t vz_hash_end(const vz_long_hash *hash)
{
    uint64_t h = hash->rest;
    for (size_t i = 0; i < VZ_HASH_LANES; i++)
        h = mix(h ^ hash->lanes[i]);
    return h;
}

uint64_t vz_hash_long(const void *data, size_t size)
{
    vz_long_hash hash;
    vz_hash_begin(&hash, size);
    vz_hash_more(&hash, data, size);
    return vz_hash_end(&hash);
}
