/* options.c - options from text and from the environment. */
#include "base/util/options_internal.h"
#include "base/util/options.h"
#include "base/util/name_policy.h"
#include "base/util/hash.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { KEPT_LISTS = 64 };       /* of texts, by their hash */
enum { DESCRIPTION_MAX = 240 }; /* of a value, in a message */
enum { GIVEN_SIZE = 64 };       /* of an option's name, in a message */

static void list_names(char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < vz_option_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", vz_option_rows[i].name);
}

/* An option that is only part of this value, and how both would be written. */
static bool describe_meant(const vz_option_row *row, const char *value, bool environment, vz_buffer *out, vz_error *err)
{
    if (!vz_option_swallows(value))
        return true;
    if (row->type == VZ_OPTION_ENDPOINT)
        return vz_buffer_printf(out, err, "; options are separated by ';'");
    return vz_buffer_printf(out, err, "; perhaps meant: ") && vz_option_print_meant(row, value, environment, out, err);
}

/* The option as it was given: by its name, or by a variable of the environment. */
static void name_given(const vz_option_row *row, bool environment, char name[GIVEN_SIZE])
{
    static const char variable[] = "variable VOL_ZARR_";
    snprintf(name, GIVEN_SIZE, "%s%s", environment ? variable : "option ", row->name);
    for (size_t i = sizeof variable - 1; environment && name[i]; i++)
        name[i] = (char)toupper((unsigned char)name[i]);
}

static bool wrong_value(const vz_option_row *row, const char *value, bool environment, vz_error *err)
{
    char known[400];
    list_names(known, sizeof known);
    vz_buffer values = {0};
    if (!vz_buffer_printf(&values, err, "(") || !vz_option_describe_values(row, &values, err) ||
        !vz_buffer_printf(&values, err, ")") || !describe_meant(row, value, environment, &values, err)) {
        vz_buffer_clear(&values);
        return false;
    }
    /* A value given for a server's address may hold a password. */
    const char *given = row->type == VZ_OPTION_ENDPOINT ? "what was given" : value;
    const char *quote = row->type == VZ_OPTION_ENDPOINT ? "" : "\"";
    char name[GIVEN_SIZE];
    name_given(row, environment, name);
    vz_fail(err, VZ_INVALID, "%s: %s%.60s%s is not what it takes %.*s; known options: %s", name, quote, given, quote,
            (int)(values.size < DESCRIPTION_MAX ? values.size : DESCRIPTION_MAX), (const char *)values.data, known);
    vz_buffer_clear(&values);
    return false;
}

static bool wrong_name(const char *name, vz_error *err)
{
    char known[400];
    list_names(known, sizeof known);
    return vz_fail(err, VZ_INVALID, "unknown option \"%.60s\"; known options: %s", name, known);
}

/* ---- from text ---- */

static unsigned size_shift(const char *unit)
{
    static const char units[] = "KMGT";
    const char *found = *unit ? strchr(units, toupper((unsigned char)*unit)) : NULL;
    return found ? 10 * (unsigned)(found - units + 1) : 0;
}

static bool parse_number(const vz_option_row *row, const char *text, int64_t *out)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    errno = 0;
    int64_t number = strtoll(text, &end, 10);
    const unsigned shift = row->type == VZ_OPTION_SIZE ? size_shift(end) : 0;
    if (errno || end[shift > 0] != '\0' || number > row->max >> shift)
        return false;
    number <<= shift;
    if (number < row->min)
        return false;
    *out = number;
    return true;
}

static bool parse_switch(const char *text, bool *out)
{
    static const char *const words[] = {"0", "1", "false", "true", "no", "yes", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) != 0)
            continue;
        *out = i % 2;
        return true;
    }
    return false;
}

/* The position of the word, or -1. */
static int word_index(const vz_option_row *row, const char *text)
{
    for (int i = 0; row->words[i]; i++)
        if (strcmp(row->words[i], text) == 0)
            return i;
    return -1;
}

static bool parse_word(const vz_option_row *row, const char *text, char *out)
{
    if (strlen(text) >= row->room)
        return false;
    memset(out, 0, row->room);
    memcpy(out, text, strlen(text));
    return true;
}

/* A list of options is copied freely, and HDF5 keeps some for long: so each text that was ever
 * given is kept for good. Threads that give one at once may each keep it. */
static const char *keep_text(const char *text)
{
    typedef struct kept_text {
        struct kept_text *next;
        char text[];
    } kept_text;
    static _Atomic(kept_text *) lists[KEPT_LISTS];
    if (!*text)
        return "";
    const size_t size = strlen(text) + 1;
    _Atomic(kept_text *) *list = &lists[vz_hash(text, size, 0) % KEPT_LISTS];
    kept_text *first = *list;
    for (kept_text *kept = first; kept; kept = kept->next)
        if (strcmp(kept->text, text) == 0)
            return kept->text;
    kept_text *added = malloc(sizeof *added + size);
    if (!added)
        return NULL;
    memcpy(added->text, text, size);
    do
        added->next = first;
    while (!atomic_compare_exchange_weak(list, &first, added));
    return added->text;
}

static bool take_text(const char *text, const char **out)
{
    const char *kept = keep_text(text);
    if (kept)
        *out = kept;
    return kept;
}

static bool parse_choice(const vz_option_row *row, const char *text, void *field)
{
    const int index = word_index(row, text);
    if (index < 0)
        return false;
    const unsigned value = (unsigned)index;
    memcpy(field, &value, sizeof value);
    return true;
}

static bool parse_value(const vz_option_row *row, const char *text, vz_options *options)
{
    void *field = vz_option_field(options, row);
    if (vz_option_swallows(text))
        return false;
    switch (row->type) {
    case VZ_OPTION_NUMBER:
    case VZ_OPTION_SIZE:
        return parse_number(row, text, field);
    case VZ_OPTION_SWITCH:
        return parse_switch(text, field);
    case VZ_OPTION_CHOICE:
        return parse_choice(row, text, field);
    case VZ_OPTION_WORD:
        return word_index(row, text) >= 0 && parse_word(row, text, field);
    case VZ_OPTION_TEXT:
        return take_text(text, field);
    case VZ_OPTION_PATTERNS:
        return vz_patterns_valid(text) && take_text(text, field);
    case VZ_OPTION_ENDPOINT:
        return (!*text || vz_endpoint_valid(text)) && take_text(text, field);
    case VZ_OPTION_REGION:
        return (!*text || vz_endpoint_region_valid(text)) && take_text(text, field);
    }
    return false;
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* One "key=value"; nothing but blanks is fine. */
static bool parse_assignment(char *text, bool redirect, vz_options *options, vz_error *err)
{
    char *name = trim(text);
    if (!*name)
        return true;
    char *equals = strchr(name, '=');
    char *value = equals ? trim(equals + 1) : NULL;
    if (equals)
        *equals = '\0';
    trim(name);
    const vz_option_row *row = vz_option_find(name, strlen(name));
    if (!row)
        return wrong_name(name, err);
    if (redirect && !row->redirect)
        return vz_fail(err, VZ_PERMISSION, "a doorway cannot set the option %s", row->name);
    if (!value || !parse_value(row, value, options))
        return wrong_value(row, value ? value : "", false, err);
    return true;
}

static bool parse(vz_options *options, const char *text, bool redirect, vz_error *err)
{
    char *copy = strdup(text ? text : "");
    if (!copy)
        return vz_fail_memory(err);
    vz_options changed = *options; /* all or nothing */
    bool ok = true;
    char *rest = copy;
    for (char *part = strsep(&rest, ";"); part && ok; part = strsep(&rest, ";"))
        ok = parse_assignment(part, redirect, &changed, err);
    free(copy);
    if (ok)
        *options = changed;
    return ok;
}

bool vz_options_parse(vz_options *options, const char *text, vz_error *err)
{
    return parse(options, text, false, err);
}

bool vz_options_parse_redirect(vz_options *options, const char *text, vz_error *err)
{
    return parse(options, text, true, err);
}

/* ---- defaults and environment ---- */

static void parse_standards(vz_options *options)
{
    *options = (vz_options){0};
    for (size_t i = 0; i < vz_option_count; i++)
        parse_value(&vz_option_rows[i], vz_option_rows[i].standard, options);
}

/* They are parsed once. Threads that come before the first one is ready parse for themselves. */
void vz_options_set_standards(vz_options *options)
{
    enum { NOT_YET, BEGUN, READY };
    static _Atomic(int) state = NOT_YET;
    static vz_options standards;
    int not_yet = NOT_YET;
    if (atomic_load_explicit(&state, memory_order_acquire) == READY) {
        *options = standards;
        return;
    }
    parse_standards(options);
    if (!atomic_compare_exchange_strong(&state, &not_yet, BEGUN))
        return;
    standards = *options;
    atomic_store_explicit(&state, READY, memory_order_release);
}

/* Most programs have none, and opening a small store takes less time than looking for each of
 * them. */
static bool have_options(char *const *variables)
{
    for (char *const *each = variables; *each; each++)
        if (strncmp(*each, VZ_OPTIONS_ENVIRONMENT, sizeof VZ_OPTIONS_ENVIRONMENT - 1) == 0)
            return true;
    return false;
}

static const char *value_among(char *const *variables, const vz_option_row *row)
{
    char name[64] = VZ_OPTIONS_ENVIRONMENT;
    size_t size = strlen(name);
    for (const char *p = row->name; *p && size + 1 < sizeof name; p++)
        name[size++] = (char)toupper((unsigned char)*p);
    for (char *const *each = variables; *each; each++)
        if (strncmp(*each, name, size) == 0 && (*each)[size] == '=')
            return *each + size + 1;
    return NULL;
}

bool vz_options_init(vz_options *options, char *const *variables, vz_error *err)
{
    vz_options_set_standards(options);
    const size_t count = have_options(variables) ? vz_option_count : 0;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        const char *value = value_among(variables, &vz_option_rows[i]);
        if (value && !parse_value(&vz_option_rows[i], value, options))
            ok = wrong_value(&vz_option_rows[i], value, true, err);
    }
    return ok;
}
