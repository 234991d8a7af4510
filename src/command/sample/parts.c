/* parts.c - a part of an array: as text, and as a selection of HDF5. */
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 4096 /* bytes of a part as a user types it */

void vz_sample_part_all(const vz_sample_facts *facts, vz_sample_part *part)
{
    *part = (vz_sample_part){.rank = facts->rank};
    for (unsigned i = 0; i < facts->rank; i++) {
        part->count[i] = facts->shape[i];
        part->step[i] = 1;
    }
}

uint64_t vz_sample_part_count(const vz_sample_part *part)
{
    uint64_t count = 1;
    for (unsigned i = 0; i < part->rank; i++)
        if (part->count[i] == 0)
            return 0;
    for (unsigned i = 0; i < part->rank; i++)
        count = vz_sample_product(count, part->count[i]);
    return count;
}

/* ---- from text ---- */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* A number of 62 bits, with its sign. *has: there is one. */
static bool parse_number(const char **at, int64_t *number, bool *has, vz_error *err)
{
    const char *from = skip_blanks(*at);
    const bool is_negative = *from == '-';
    from += is_negative;
    *has = *from >= '0' && *from <= '9';
    *number = 0;
    for (; *from >= '0' && *from <= '9'; from++) {
        if (*number >= INT64_MAX / 20)
            return vz_fail(err, VZ_INVALID, "a number of more than 62 bits");
        *number = 10 * *number + (*from - '0');
    }
    if (is_negative && !*has)
        return vz_fail(err, VZ_INVALID, "a minus sign without a number");
    *number = is_negative ? -*number : *number;
    *at = skip_blanks(from);
    return true;
}

static uint64_t bound(int64_t number, uint64_t length)
{
    if (number < 0) {
        const uint64_t back = (uint64_t)-number;
        return back > length ? 0 : length - back;
    }
    return (uint64_t)number > length ? length : (uint64_t)number;
}

static bool take_index(vz_sample_part *part, unsigned i, int64_t number, uint64_t length, vz_error *err)
{
    const uint64_t at = number < 0 ? length - (uint64_t)-number : (uint64_t)number;
    if (number < 0 ? (uint64_t)-number > length : at >= length)
        return vz_fail(err, VZ_INVALID, "index %lld is out of range: dimension %u has %llu", (long long)number, i,
                       (unsigned long long)length);
    part->start[i] = at;
    part->count[i] = part->step[i] = 1;
    part->is_index[i] = true;
    return true;
}

/* "3", "10:20", ":", "::5" */
static bool parse_dimension(const char **at, vz_sample_part *part, unsigned i, uint64_t length, vz_error *err)
{
    int64_t number[3] = {0};
    bool has[3] = {false};
    unsigned colons = 0;
    if (!parse_number(at, &number[0], &has[0], err))
        return false;
    for (; **at == ':' && colons < 2; colons++) {
        (*at)++;
        if (!parse_number(at, &number[colons + 1], &has[colons + 1], err))
            return false;
    }
    if (!colons)
        return has[0] ? take_index(part, i, number[0], length, err)
                      : vz_fail(err, VZ_INVALID, "an index or a range is missing for dimension %u", i);
    if (has[2] && number[2] <= 0)
        return vz_fail(err, VZ_INVALID, "steps are positive");
    const uint64_t first = has[0] ? bound(number[0], length) : 0, end = has[1] ? bound(number[1], length) : length;
    part->step[i] = has[2] ? (uint64_t)number[2] : 1;
    part->start[i] = first;
    part->count[i] = end > first ? (end - first - 1) / part->step[i] + 1 : 0;
    return true;
}

/* Dimensions that the text names, "..." apart. */
static unsigned named_dimensions(const char *text)
{
    unsigned named = 0;
    bool any = false;
    for (; *text; text++) {
        if (strncmp(text, "...", 3) == 0) {
            text += 2;
            any = false;
            while (text[1] == ' ')
                text++;
            if (text[1] == ',')
                text++;
        } else if (*text == ',') {
            named++;
            any = false;
        } else {
            any = any || *text != ' ';
        }
    }
    return named + any;
}

static bool parse(const char *text, const vz_sample_facts *facts, vz_sample_part *part, vz_error *err)
{
    const unsigned named = named_dimensions(text);
    bool has_rest = false;
    if (named > facts->rank)
        return vz_fail(err, VZ_INVALID, "%u indices are too many: the array has %u dimensions", named, facts->rank);
    unsigned i = 0;
    for (const char *at = skip_blanks(text); *at;) {
        if (strncmp(at, "...", 3) == 0 && !has_rest) {
            has_rest = true;
            i += facts->rank - named;
            at = skip_blanks(at + 3);
        } else if (i >= facts->rank || !parse_dimension(&at, part, i, facts->shape[i], err)) {
            return vz_fail(err, VZ_INVALID, "cannot be understood");
        } else {
            i++;
        }
        if (*at && *at != ',')
            return vz_fail(err, VZ_INVALID, "cannot be understood at \"%.20s\"", at);
        at = skip_blanks(at + (*at == ','));
    }
    return true;
}

bool vz_sample_part_parse(const char *text, const vz_sample_facts *facts, vz_sample_part *part, vz_error *err)
{
    char inner[TEXT_MAX];
    const char *begin = skip_blanks(text);
    size_t length = strlen(begin);
    while (length > 0 && begin[length - 1] == ' ')
        length--;
    vz_sample_part_all(facts, part);
    if (*begin == '[') {
        if (length < 2 || begin[length - 1] != ']')
            return vz_fail(err, VZ_INVALID, "part \"%.100s\": a bracket is missing", text);
        begin++;
        length -= 2;
    }
    if (length >= sizeof inner)
        return vz_fail(err, VZ_INVALID, "a part of more than %zu bytes", sizeof inner);
    memcpy(inner, begin, length);
    inner[length] = '\0';
    vz_error why = VZ_ERROR_NONE;
    return parse(inner, facts, part, &why) || vz_fail(err, VZ_INVALID, "part \"%.100s\": %.300s", text, why.text);
}

/* ---- to text ---- */

bool vz_sample_part_text(const vz_sample_facts *facts, const vz_sample_part *part, vz_buffer *out, vz_error *err)
{
    bool ok = vz_words_printf(out, err, "[");
    for (unsigned i = 0; ok && i < part->rank; i++) {
        const unsigned long long start = part->start[i], count = part->count[i], step = part->step[i];
        const char *before = i ? ", " : "";
        if (part->is_index[i])
            ok = vz_words_printf(out, err, "%s%llu", before, start);
        else if (start == 0 && step == 1 && count == facts->shape[i])
            ok = vz_words_printf(out, err, "%s:", before);
        else if (step == 1)
            ok = vz_words_printf(out, err, "%s%llu:%llu", before, start, start + count);
        else
            ok = vz_words_printf(out, err, "%s%llu:%llu:%llu", before, start,
                                 count ? start + (count - 1) * step + 1 : start, step);
    }
    return ok && vz_words_printf(out, err, "]");
}

/* ---- to HDF5 ---- */

bool vz_sample_select(const vz_sample_object *array, const vz_sample_part *part, hid_t *space, hid_t *memory,
                      vz_error *err)
{
    hsize_t start[VZ_SAMPLE_RANK_MAX], count[VZ_SAMPLE_RANK_MAX], step[VZ_SAMPLE_RANK_MAX];
    for (unsigned i = 0; i < part->rank; i++) {
        start[i] = part->start[i];
        count[i] = part->count[i];
        step[i] = part->step[i];
    }
    *space = H5Dget_space(array->id);
    *memory = part->rank ? H5Screate_simple((int)part->rank, count, NULL) : H5Screate(H5S_SCALAR);
    const bool is_selected =
        *space >= 0 && *memory >= 0 &&
        (part->rank == 0 || H5Sselect_hyperslab(*space, H5S_SELECT_SET, start, step, count, NULL) >= 0);
    return is_selected || vz_convert_h5_fail(err, "its elements cannot be selected");
}
