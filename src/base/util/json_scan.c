/* json_scan.c - members in the text of an object, and values that are passed over, before it is
 * parsed. */
#include "base/util/json.h"
#if defined __SSE2__
#include <emmintrin.h>
#endif

/* Behind the string that begins at `at`; `size` if it does not end. */
static size_t skip_string(const char *text, size_t size, size_t at)
{
    for (at++; at < size && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at < size ? at + 1 : size;
}

static size_t skip_blanks(const char *text, size_t size, size_t at)
{
    while (at < size && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r'))
        at++;
    return at;
}

/* ---- what is not looked into ---- */

enum { BLOCK = 64 }; /* bytes that are looked at together: a bit each */

/* Where in a block such characters are; brackets of either kind. */
typedef struct marks {
    uint64_t quotes, backslashes, opens, closes;
} marks;

#define FOLD 0x20 /* makes { of [ and } of ], of nothing else */

static marks marks_of(const uint8_t *block)
{
    marks found = {0};
#if defined __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), open = _mm_set1_epi8('{'),
                  close = _mm_set1_epi8('}'), fold = _mm_set1_epi8(FOLD);
    for (unsigned i = 0; i < BLOCK; i += sizeof fold) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(block + i)), folded = _mm_or_si128(bytes, fold);
        found.quotes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, quote)) << i;
        found.backslashes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, backslash)) << i;
        found.opens |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(folded, open)) << i;
        found.closes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(folded, close)) << i;
    }
#else
    for (unsigned i = 0; i < BLOCK; i++) {
        found.quotes |= (uint64_t)(block[i] == '"') << i;
        found.backslashes |= (uint64_t)(block[i] == '\\') << i;
        found.opens |= (uint64_t)((block[i] | FOLD) == '{') << i;
        found.closes |= (uint64_t)((block[i] | FOLD) == '}') << i;
    }
#endif
    return found;
}

/* The bytes behind a backslash that is not itself behind one. *carry: so begins the next block. */
static uint64_t escaped_bits(uint64_t backslashes, bool *carry)
{
    uint64_t escaped = *carry;
    backslashes &= ~escaped;
    *carry = false;
    while (backslashes) {
        const uint64_t lowest = backslashes & -backslashes;
        escaped |= lowest << 1;
        *carry = *carry || lowest >> (BLOCK - 1);
        backslashes &= ~(lowest | lowest << 1);
    }
    return escaped;
}

/* All bits from each quote to before the next one. */
static uint64_t between(uint64_t quotes)
{
    for (unsigned step = 1; step < BLOCK; step *= 2)
        quotes ^= quotes << step;
    return quotes;
}

/* How many bytes of the block the container still has; BLOCK + 1: all of them, and it goes on.
 * `size`: of what is the block's; zeros follow. */
static unsigned skip_block(vz_json_skip *s, const uint8_t *block, size_t size)
{
    const marks found = marks_of(block);
    const uint64_t escaped = escaped_bits(found.backslashes, &s->is_escaped);
    const uint64_t quotes = found.quotes & ~escaped;
    const uint64_t text = between(quotes) ^ (s->in_string ? UINT64_MAX : 0);
    const uint64_t opens = found.opens & ~text;
    s->in_string = text >> (BLOCK - 1);
    if (size < BLOCK)
        s->is_escaped = escaped >> size & 1;
    for (uint64_t left = opens | (found.closes & ~text); left; left &= left - 1) {
        s->depth += (left & -left & opens) ? 1 : -(size_t)1;
        if (s->depth == 0)
            return (unsigned)__builtin_ctzll(left) + 1;
    }
    return BLOCK + 1;
}

size_t vz_json_skip_on(vz_json_skip *skip, const void *text, size_t size)
{
    const uint8_t *bytes = text;
    uint8_t last[BLOCK] = {0};
    for (size_t at = 0; at < size; at += BLOCK) {
        const size_t left = size - at;
        if (left < BLOCK)
            memcpy(last, bytes + at, left);
        const unsigned length = skip_block(skip, left < BLOCK ? last : bytes + at, left);
        skip->ends = length <= BLOCK;
        if (skip->ends)
            return at + length;
    }
    return size;
}

/* Behind the bracket that ends what begins at `at`; `size` if there is none. */
static size_t skip_container(const char *text, size_t size, size_t at)
{
    vz_json_skip skip = {0};
    return at + vz_json_skip_on(&skip, text + at, size - at);
}

/* ---- members ---- */

bool vz_json_find_object(const char *text, size_t size, const char *key, size_t *start, size_t *length)
{
    const size_t key_length = strlen(key);
    size_t at = skip_blanks(text, size, 0);
    if (at == size || text[at++] != '{')
        return false;
    while (at < size) {
        const size_t begin = at;
        if (text[at] == '{' || text[at] == '[') {
            at = skip_container(text, size, at);
        } else if (text[at] != '"') {
            at++;
        } else {
            at = skip_string(text, size, at);
            const bool named = at - begin == key_length + 2 && memcmp(text + begin + 1, key, key_length) == 0;
            const size_t colon = skip_blanks(text, size, at);
            const size_t value = colon < size && text[colon] == ':' ? skip_blanks(text, size, colon + 1) : size;
            if (named && value < size && text[value] == '{') {
                *start = value;
                *length = skip_container(text, size, value) - value;
                return true;
            }
        }
    }
    return false;
}

/* Behind the value that begins at `at`; `at` if there is none. */
static size_t skip_value(const char *text, size_t size, size_t at)
{
    static const char of_words[] = "+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    if (at < size && text[at] == '"')
        return skip_string(text, size, at);
    if (at < size && (text[at] == '{' || text[at] == '['))
        return skip_container(text, size, at);
    while (at < size && text[at] && strchr(of_words, text[at]))
        at++;
    return at;
}

static bool visit_member(const char *text, size_t key, size_t key_end, vz_bytes value, vz_json_visit visit,
                         void *context, vz_error *err)
{
    vz_json *name = vz_json_parse(text + key, key_end - key, err);
    size_t length = 0;
    const char *name_text = vz_json_get_string(name, &length);
    const bool ok = name && (strlen(name_text) != length || visit(context, name_text, value, err));
    vz_json_free(name);
    return ok;
}

bool vz_json_each_member(vz_bytes object, vz_json_visit visit, void *context, vz_error *err)
{
    const char *text = (const char *)object.data;
    const size_t size = object.size;
    size_t at = skip_blanks(text, size, 0);
    bool ends = false;
    if (at == size || text[at++] != '{')
        return vz_fail(err, VZ_CORRUPT, "JSON: no object");
    at = skip_blanks(text, size, at);
    if (at < size && text[at] == '}')
        ends = true;
    while (!ends) {
        const size_t key = at, key_end = at < size && text[at] == '"' ? skip_string(text, size, at) : at;
        at = skip_blanks(text, size, key_end);
        if (key_end == key || at == size || text[at] != ':')
            return vz_fail(err, VZ_CORRUPT, "JSON: a key and a colon are missing");
        const size_t value = skip_blanks(text, size, at + 1), value_end = skip_value(text, size, value);
        at = skip_blanks(text, size, value_end);
        if (value_end == value || at == size || (text[at] != ',' && text[at] != '}'))
            return vz_fail(err, VZ_CORRUPT, "JSON: an object does not end");
        if (!visit_member(text, key, key_end, (vz_bytes){object.data + value, value_end - value}, visit, context, err))
            return false;
        ends = text[at] == '}';
        if (!ends)
            at = skip_blanks(text, size, at + 1);
    }
    return skip_blanks(text, size, at + 1) == size || vz_fail(err, VZ_CORRUPT, "JSON: something follows an object");
}
