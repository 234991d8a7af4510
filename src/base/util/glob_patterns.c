/* glob_patterns.c - the list of patterns that the option `create` takes. */
#include "base/util/options_internal.h"
#include "base/util/c_library.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>

static const char *const words[] = {[VZ_CONTAINER_AUTO] = "auto",
                                    [VZ_CONTAINER_DIRECTORY] = "directory",
                                    [VZ_CONTAINER_ZIP] = "zip",
                                    [VZ_CONTAINER_FILE] = "file"};

/* Behind the brackets that begin here; NULL: they never end, and the character stands for
 * itself. */
static const char *behind_brackets(const char *at)
{
    at++;
    at += *at == '!' || *at == '^';
    for (bool first = true; *at; first = false) {
        if (*at == ']' && !first)
            return at + 1;
        at += *at == '\\' && at[1] ? 2 : 1;
    }
    return NULL;
}

/* Where the pattern that begins here ends: at a comma, or with the list. */
static const char *end_of(const char *at)
{
    while (*at && *at != ',') {
        const char *behind = *at == '[' ? behind_brackets(at) : NULL;
        if (behind)
            at = behind;
        else
            at += *at == '\\' && at[1] ? 2 : 1;
    }
    return at;
}

static bool is_blank(char c)
{
    return isspace((unsigned char)c) != 0;
}

/* Takes the kind behind the last colon off, if it is one. */
static size_t take_kind(const char *pattern, size_t length, vz_option_container *container, bool *has_kind)
{
    const char *colon = vz_find_last(pattern, ':', length);
    const char *kind = colon ? colon + 1 : NULL, *end = pattern + length;
    const size_t left = colon ? (size_t)(colon - pattern) : 0;
    *has_kind = false;
    while (kind && kind < end && is_blank(*kind))
        kind++;
    for (size_t i = 0; kind && i < sizeof words / sizeof *words; i++) {
        if ((size_t)(end - kind) != strlen(words[i]) || memcmp(kind, words[i], strlen(words[i])) != 0)
            continue;
        *container = (vz_option_container)i;
        *has_kind = true;
        return left;
    }
    return length;
}

static bool matches(const char *pattern, size_t length, const char *name)
{
    char *copy = strndup(pattern, length);
    const bool does = copy && fnmatch(copy, name, 0) == 0;
    free(copy);
    return does;
}

/* One pattern of a list, without its kind and the blanks around it. */
typedef struct pattern {
    const char *text;
    size_t length;
    bool is_empty; /* nothing stands there, no kind either */
    bool has_kind;
    vz_option_container kind;
} pattern;

/* The pattern that begins here; *rest is what follows it, NULL behind the last one. */
static pattern next_pattern(const char *at, const char **rest)
{
    const char *last = end_of(at);
    *rest = *last ? last + 1 : NULL;
    while (at < last && is_blank(*at))
        at++;
    while (at < last && is_blank(last[-1]))
        last--;
    pattern p = {.text = at, .is_empty = at == last};
    p.length = take_kind(at, (size_t)(last - at), &p.kind, &p.has_kind);
    while (p.length && is_blank(at[p.length - 1]))
        p.length--;
    return p;
}

bool vz_patterns_valid(const char *patterns)
{
    for (const char *at = patterns; at;) {
        const pattern p = next_pattern(at, &at);
        for (size_t i = 0; i < p.length; i++)
            if (is_blank(p.text[i]) || p.text[i] == '=' || p.text[i] == ';')
                return false;
    }
    return true;
}

bool vz_patterns_take(const char *patterns, const char *name, vz_option_container *container)
{
    bool any = false;
    for (const char *at = patterns; at;) {
        const pattern p = next_pattern(at, &at);
        if (p.is_empty)
            continue;
        any = true;
        if (p.length && !matches(p.text, p.length, name))
            continue;
        if (p.has_kind)
            *container = p.kind;
        return true;
    }
    return !any;
}
