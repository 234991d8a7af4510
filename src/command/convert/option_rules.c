/* option_rules.c - options that hold for some datasets: rules with patterns. */
#include "command/convert/copy_internal.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The value follows the last colon: a pattern may have colons of its own. */
static bool parse_rule(char *text, vz_convert_rule_value *parse_value, vz_convert_rule *rule, vz_error *err)
{
    char *colon = strrchr(text, ':');
    *rule = (vz_convert_rule){0};
    if (!parse_value(text, colon ? colon + 1 : text, rule, err))
        return false;
    if (!colon)
        return true;
    *colon = '\0';
    rule->pattern = strdup(text);
    return rule->pattern || vz_fail_memory(err);
}

bool vz_convert_rules_parse(const char *text, const char *option, vz_convert_rule_value *parse_value,
                            vz_convert_rules *rules, vz_error *err)
{
    *rules = (vz_convert_rules){0};
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
            ok = parse_rule(each, parse_value, &rules->items[rules->count++], err);
    free(copy);
    if (ok && rules->count == 0)
        ok = vz_fail(err, VZ_INVALID, "%s: nothing is said", option);
    if (!ok)
        vz_convert_rules_clear(rules);
    return ok;
}

void vz_convert_rules_clear(vz_convert_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        free(rules->items[i].pattern);
    free(rules->items);
    *rules = (vz_convert_rules){0};
}

bool vz_convert_rule_fits(const vz_convert_rule *rule, const char *path)
{
    return !rule->pattern || (path && fnmatch(rule->pattern, path, 0) == 0);
}
