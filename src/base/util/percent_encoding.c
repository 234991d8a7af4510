/* percent_encoding.c - see bytes.h. */
#include "base/util/bytes.h"

/* Letters of ASCII in every locale. */
static bool is_unreserved(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~", c));
}

bool vz_percent_append(vz_buffer *out, uint8_t byte, const char *also, vz_error *err)
{
    static const char digits[] = "0123456789ABCDEF";
    const char coded[] = {'%', digits[byte >> 4], digits[byte & 15]};
    if (is_unreserved(byte) || (byte && strchr(also, byte)))
        return vz_buffer_append(out, &byte, 1, err);
    return vz_buffer_append(out, coded, sizeof coded, err);
}

bool vz_percent_encode(vz_buffer *out, const char *text, const char *also, vz_error *err)
{
    for (; *text; text++)
        if (!vz_percent_append(out, (uint8_t)*text, also, err))
            return false;
    return true;
}
