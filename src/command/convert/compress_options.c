/* compress_options.c - the rules of --compress. */
#include "command/convert/copy_internal.h"
#include <string.h>

/* One of the words that are known, which lives as long as the program; NULL: it is none. */
static const char *known_word(const char *text)
{
    static const char *const words[] = {"auto", "none", "zlib", "zstd", "blosc"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return words[i];
    return NULL;
}

static bool parse_word(const char *text, const char *value, vz_convert_rule *rule, vz_error *err)
{
    (void)text;
    rule->word = known_word(value);
    return rule->word ||
           vz_fail(err, VZ_INVALID, "--compress: \"%.200s\" is none of auto, none, zlib, zstd, blosc", value);
}

bool vz_convert_compress_rules_parse(const char *text, vz_convert_rules *rules, vz_error *err)
{
    return vz_convert_rules_parse(text, "--compress", parse_word, rules, err);
}

const char *vz_convert_compress_word(const vz_convert_rules *rules, const char *path)
{
    for (size_t i = 0; i < rules->count; i++)
        if (vz_convert_rule_fits(&rules->items[i], path))
            return rules->items[i].word;
    return "auto";
}
