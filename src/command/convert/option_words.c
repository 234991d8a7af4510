/* option_words.c - values of options of the command line. */
#include "base/util/bytes.h"
#include "command/convert/convert.h"
#include "command/convert/copy.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool vz_convert_parse_bytes(const char *text, uint64_t least, uint64_t *bytes, vz_error *err)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    bool ok = errno == 0 && end != text && *text != '-';
    if (ok && *end) {
        const char *unit = strchr(units, *end & ~0x20);
        ok = unit && end[1] == '\0' && vz_mul(number, (uint64_t)1 << 10 * (unit - units + 1), &number);
    }
    *bytes = number;
    return (ok && number >= least) || vz_fail(err, VZ_INVALID, "\"%.100s\" is no number of bytes, as in 512M", text);
}

bool vz_convert_check_words(const char *chunks, const char *compress, vz_error *err)
{
    vz_convert_rules shapes;
    vz_convert_rules codecs;
    if (!vz_convert_chunk_rules_parse(chunks, &shapes, err))
        return false;
    vz_convert_rules_clear(&shapes);
    const bool ok = vz_convert_compress_rules_parse(compress, &codecs, err);
    if (ok)
        vz_convert_rules_clear(&codecs);
    return ok;
}
