/* chunk_options.c - the rules of --chunks. */
#include "command/convert/copy_internal.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((uint64_t)1 << 20) /* that a chunk of "auto" has at most */

static bool parse_extent(const char *text, vz_convert_rule *rule)
{
    if (strcmp(text, "auto") == 0) {
        rule->is_auto = true;
        return true;
    }
    for (;;) {
        char *end;
        errno = 0;
        if (!isdigit((unsigned char)*text) || rule->rank == VZ_CHUNKS_RANK_MAX)
            return false;
        const unsigned long long extent = strtoull(text, &end, 10);
        if (errno || extent == 0)
            return false;
        rule->extent[rule->rank++] = extent;
        if (*end == '\0')
            return true;
        if (*end != ',')
            return false;
        text = end + 1;
    }
}

static bool parse_shape(const char *text, const char *value, vz_convert_rule *rule, vz_error *err)
{
    return parse_extent(value, rule) ||
           vz_fail(err, VZ_INVALID, "chunks \"%.200s\": neither numbers with commas nor \"auto\"", text);
}

bool vz_convert_chunk_rules_parse(const char *text, vz_convert_rules *rules, vz_error *err)
{
    return vz_convert_rules_parse(text, "chunks", parse_shape, rules, err);
}

static bool is_too_large(unsigned rank, const uint64_t *chunk, uint64_t element_size)
{
    uint64_t size = element_size;
    for (unsigned i = 0; i < rank; i++)
        if (__builtin_mul_overflow(size, chunk[i], &size))
            return true;
    return size > CHUNK_BYTES;
}

void vz_convert_chunk_guess(unsigned rank, const uint64_t *dims, uint64_t element_size, uint64_t *chunk)
{
    for (unsigned i = 0; i < rank; i++)
        chunk[i] = dims[i] ? dims[i] : 1;
    while (is_too_large(rank, chunk, element_size)) {
        unsigned longest = 0;
        for (unsigned i = 1; i < rank; i++)
            if (chunk[i] > chunk[longest])
                longest = i;
        if (chunk[longest] == 1)
            return;
        chunk[longest] = (chunk[longest] + 1) / 2;
    }
}

bool vz_convert_chunk_rules_apply(const vz_convert_rules *rules, const char *path, unsigned rank, const uint64_t *dims,
                                  const uint64_t *maximum, uint64_t element_size, uint64_t *chunk)
{
    for (size_t r = 0; r < rules->count; r++) {
        const vz_convert_rule *rule = &rules->items[r];
        const bool fits = rule->is_auto || rule->rank == rank;
        if (!fits || !vz_convert_rule_fits(rule, path))
            continue;
        if (rule->is_auto)
            vz_convert_chunk_guess(rank, dims, element_size, chunk);
        for (unsigned i = 0; i < rank; i++) {
            const uint64_t wanted = rule->is_auto ? chunk[i] : rule->extent[i];
            chunk[i] = wanted > maximum[i] && maximum[i] > 0 ? maximum[i] : wanted;
        }
        return true;
    }
    return false;
}
