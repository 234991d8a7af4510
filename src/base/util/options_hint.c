/* options_hint.c - a value that holds another option, since a blank or comma stands where ';'
 * should: found, and the line that was meant. */
#include "base/util/options_internal.h"
#include <ctype.h>

static bool separates(char c)
{
    return isspace((unsigned char)c) || c == ',' || c == '&' || c == ';';
}

/* Where the name of an option ends whose '=' comes next; NULL: none begins here. */
static const char *end_of_option(const char *at)
{
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
    const char *equals = at + length;
    while (isspace((unsigned char)*equals))
        equals++;
    return *equals == '=' && vz_option_find(at, length) ? at + length : NULL;
}

static const char *next_option(const char *at)
{
    for (; *at; at++)
        if (separates(*at) && end_of_option(at + 1))
            return at + 1;
    return NULL;
}

bool vz_option_swallows(const char *value)
{
    return next_option(value) != NULL;
}

static bool print_name(const char *name, size_t length, bool environment, vz_buffer *out, vz_error *err)
{
    if (!environment)
        return vz_buffer_append(out, name, length, err);
    bool ok = vz_buffer_printf(out, err, "%s", VZ_OPTIONS_ENVIRONMENT);
    for (size_t i = 0; i < length && ok; i++)
        ok = vz_buffer_printf(out, err, "%c", toupper((unsigned char)name[i]));
    return ok;
}

bool vz_option_print_meant(const vz_option_row *row, const char *value, bool environment, vz_buffer *out, vz_error *err)
{
    const char *name = row->name;
    size_t name_length = strlen(name);
    for (;;) {
        const char *next = next_option(value);
        const char *end = next ? next - 1 : value + strlen(value);
        while (end > value && separates(end[-1]))
            end--;
        if (!print_name(name, name_length, environment, out, err) ||
            !vz_buffer_printf(out, err, "=%.*s", (int)(end - value), value))
            return false;
        if (!next)
            return true;
        if (!vz_buffer_printf(out, err, environment ? " " : ";"))
            return false;
        name = next;
        name_length = (size_t)(end_of_option(next) - next);
        value = strchr(next, '=') + 1;
        while (isspace((unsigned char)*value))
            value++;
    }
}
