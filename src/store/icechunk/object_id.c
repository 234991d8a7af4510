/* object_id.c - ids as names of files have them. */
#include "store/icechunk/icechunk_internal.h"

static const char letters[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

#define BITS (8 * VZ_ICECHUNK_ID_SIZE)

void vz_icechunk_id_print(const uint8_t id[VZ_ICECHUNK_ID_SIZE], char text[VZ_ICECHUNK_ID_LETTERS + 1])
{
    for (unsigned i = 0; i < VZ_ICECHUNK_ID_LETTERS; i++) {
        unsigned value = 0;
        for (unsigned bit = 5 * i; bit < 5 * i + 5; bit++)
            value = value << 1 | (bit < BITS ? id[bit / 8] >> (7 - bit % 8) & 1u : 0);
        text[i] = letters[value];
    }
    text[VZ_ICECHUNK_ID_LETTERS] = '\0';
}

bool vz_icechunk_id_parse(const char *text, size_t length, uint8_t id[VZ_ICECHUNK_ID_SIZE])
{
    memset(id, 0, VZ_ICECHUNK_ID_SIZE);
    if (length != VZ_ICECHUNK_ID_LETTERS)
        return false;
    for (unsigned i = 0; i < VZ_ICECHUNK_ID_LETTERS; i++) {
        const char letter = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]);
        const char *place = letter ? strchr(letters, letter) : NULL;
        const unsigned value = place ? (unsigned)(place - letters) : 0;
        for (unsigned bit = 5 * i; bit < 5 * i + 5; bit++) {
            const bool is_set = value >> (5 * i + 4 - bit) & 1u;
            if (is_set && bit >= BITS)
                return false;
            if (is_set)
                id[bit / 8] |= (uint8_t)(0x80u >> bit % 8);
        }
        if (!place)
            return false;
    }
    return true;
}
