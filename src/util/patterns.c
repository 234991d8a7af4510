/* patterns.c - the list of patterns that the option `create` takes. */
#include "util/patterns.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>

static const char *const words[] = {[VZ_CONTAINER_AUTO] = "auto",
                                    [VZ_CONTAINER_DIRECTORY] = "directory",
                                    [VZ_CONTAINER_ZIP] = "zip",
                                    [VZ_CONTAINER_FILE] = "file"};

/* Behind the brackets that begin here; NULL: they never end, and the character stands for itself. */
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
static size_t take_kind(const char *pattern, size_t length, vz_container *container, bool *has_kind)
{
    const char *colon = memrchr(pattern, ':', length);
    const char *kind = colon ? colon + 1 : NULL, *end = pattern + length;
    const size_t left = colon ? (size_t)(colon - pattern) : 0;
    *has_kind = false;
    while (kind && kind < end && is_blank(*kind))
        kind++;
    for (size_t i = 0; kind && i < sizeof words / sizeof *words; i++) {
        if ((size_t)(end - kind) != strlen(words[i]) || memcmp(kind, words[i], strlen(words[i])) != 0)
            continue;
        *container = (vz_container)i;
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

bool vz_patterns_take(const char *patterns, const char *name, vz_container *container)
{
    bool any = false;
    for (const char *at = patterns, *end; at; at = *end ? end + 1 : NULL) {
        vz_container kind;
        bool has_kind;
        end = end_of(at);
        const char *first = at, *last = end;
        while (first < last && is_blank(*first))
            first++;
        while (first < last && is_blank(last[-1]))
            last--;
        if (first == last)
            continue;
        any = true;
        size_t length = take_kind(first, (size_t)(last - first), &kind, &has_kind);
        while (length && is_blank(first[length - 1]))
            length--;
        if (length && !matches(first, length, name))
            continue;
        if (has_kind)
            *container = kind;
        return true;
    }
    return !any;
}
