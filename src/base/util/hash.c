/* hash.c - FNV-1a with a final mix (FNV alone leaves the high bits of short keys equal). Long texts
 * are taken by words in lanes, keys by words that are folded. */
#include "base/util/bytes_internal.h"

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

/* ---- keys ---- */

#ifdef __SIZEOF_INT128__

/* Which bits of it differ where one bit of a does depends on all of a. The seed is in a, so the
 * bits of the next word can undo none. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t vz_hash_key(const char *key, size_t size, uint64_t seed)
{
    enum { WORD = sizeof(uint64_t), HALF = sizeof(uint32_t) };
    const uint64_t first = 0xa0761d6478bd642fu, second = 0xe7037ed1a0b428dbu;
    uint64_t hash = fold(seed ^ first, size ^ second), word = 0;
    for (; size > WORD; key += WORD, size -= WORD) {
        memcpy(&word, key, WORD);
        hash = fold(hash ^ word, second);
    }
    if (size >= HALF) { /* the two may overlap */
        uint32_t start, end;
        memcpy(&start, key, HALF);
        memcpy(&end, key + size - HALF, HALF);
        word = start | (uint64_t)end << 32;
    } else {
        word = 0;
        memcpy(&word, key, size);
    }
    return fold(hash ^ word, first);
}

#else

uint64_t vz_hash_key(const char *key, size_t size, uint64_t seed)
{
    return vz_hash(key, size, seed);
}

#endif

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
