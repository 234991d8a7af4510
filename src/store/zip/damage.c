/* damage.c - tells one damaged byte from a power cut, which leaves whole blocks as they were
 * before. */
#include "store/zip/state_internal.h"

#define POLYNOMIAL 0xedb88320u

typedef struct tables {
    uint32_t sums[256];    /* of one byte */
    uint8_t with_top[256]; /* which byte's sum has that highest byte: each has another one */
} tables;

static void fill(tables *t)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t sum = i;
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? POLYNOMIAL : 0);
        t->sums[i] = sum;
        t->with_top[sum >> 24] = (uint8_t)i;
    }
}

/* CRC-32 is linear. Two texts that differ in one byte have sums that differ by that byte's, taken
 * on by one step for each byte behind it. So the difference is taken back, step by step. */
bool vz_zip_is_one_byte_off(uint32_t found, uint32_t expected, size_t size)
{
    tables t;
    uint32_t difference = found ^ expected;
    fill(&t);
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = t.with_top[difference >> 24];
        if (byte && t.sums[byte] == difference)
            return true;
        difference = (difference ^ t.sums[byte]) << 8 | byte;
    }
    return false;
}
