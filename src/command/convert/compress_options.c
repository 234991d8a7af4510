/* compress_options.c - the rules of --compress. */
#include "command/convert/copy_internal.h"
#include <fnmatch.h>
#include <stdlib.h>
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

/* The word follows the last colon: a pattern may have colons of its own. */
static bool parse_rule(char *text, vz_convert_compress_rule *rule, vz_error *err)
{
    char *colon = strrchr(text, ':');
    *rule = (vz_convert_compress_rule){.word = known_word(colon ? colon + 1 : text)};
    if (!rule->word)
        return vz_fail(err, VZ_INVALID, "--compress: \"%.200s\" is none of auto, none, zlib, zstd, blosc",
                       colon ? colon + 1 : text);
    if (!colon)
        return true;
    *colon = '\0';
    rule->pattern = strdup(text);
    return rule->pattern || vz_fail_memory(err);
}

bool vz_convert_compress_rules_parse(const char *text, vz_convert_compress_rules *rules, vz_error *err)
{
    *rules = (vz_convert_compress_rules){0};
    if (!text)
        return true;
    size_t rows = 1;
    for (const char *at = text; *at; at++)
        rows += *at == ';';
    char *copy = strdup(text), *rest = copy;
    rules->items = calloc(rows, sizeof *rules->items);
    bool ok = (copy && rules->items) || vz_fail_memory(err);
    for (char *each; ok && (each = strsep(&rest, ";"));)
        if (*each)
            ok = parse_rule(each, &rules->items[rules->count++], err);
    free(copy);
    if (ok && rules->count == 0)
        ok = vz_fail(err, VZ_INVALID, "--compress: nothing is said");
    if (!ok)
        vz_convert_compress_rules_clear(rules);
    return ok;
}

void vz_convert_compress_rules_clear(vz_convert_compress_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        free(rules->items[i].pattern);
    free(rules->items);
    *rules = (vz_convert_compress_rules){0};
}

const char *vz_convert_compress_word(const vz_convert_compress_rules *rules, const char *path)
{
    for (size_t i = 0; i < rules->count; i++)
        if (!rules->items[i].pattern || (path && fnmatch(rules->items[i].pattern, path, 0) == 0))
            return rules->items[i].word;
    return "auto";
}
