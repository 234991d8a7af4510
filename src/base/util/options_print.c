/* options_print.c - options as text: the string that parses to them, and the table of the
 * documentation. */
#include "base/util/options_internal.h"
#include <inttypes.h>
#include <stdlib.h>

static const void *const_field_of(const vz_options *options, const vz_option_row *row)
{
    return (const char *)options + row->offset;
}

static bool print_value(const vz_option_row *row, const vz_options *options, vz_buffer *out, vz_error *err)
{
    const void *field = const_field_of(options, row);
    unsigned choice;
    switch (row->type) {
    case VZ_OPTION_NUMBER:
    case VZ_OPTION_SIZE:
        return vz_buffer_printf(out, err, "%" PRId64, *(const int64_t *)field);
    case VZ_OPTION_SWITCH:
        return vz_buffer_printf(out, err, "%d", *(const bool *)field);
    case VZ_OPTION_CHOICE:
        memcpy(&choice, field, sizeof choice);
        return vz_buffer_printf(out, err, "%s", row->words[choice]);
    case VZ_OPTION_WORD:
        return vz_buffer_printf(out, err, "%s", (const char *)field);
    case VZ_OPTION_TEXT:
    case VZ_OPTION_PATTERNS:
    case VZ_OPTION_ENDPOINT:
    case VZ_OPTION_REGION:
        if (strchr(*(const char *const *)field, ';'))
            return vz_fail(err, VZ_INVALID, "option %s: a value with ';' has no text form", row->name);
        return vz_buffer_printf(out, err, "%s", *(const char *const *)field);
    }
    return false;
}

static bool same_value(const vz_option_row *row, const vz_options *a, const vz_options *b)
{
    const void *x = const_field_of(a, row), *y = const_field_of(b, row);
    if (row->type == VZ_OPTION_WORD)
        return strcmp(x, y) == 0;
    if (vz_option_is_text(row))
        return strcmp(*(const char *const *)x, *(const char *const *)y) == 0;
    const size_t size = row->type == VZ_OPTION_SWITCH   ? sizeof(bool)
                        : row->type == VZ_OPTION_CHOICE ? sizeof(int)
                                                        : sizeof(int64_t);
    return memcmp(x, y, size) == 0;
}

char *vz_options_print(const vz_options *options, vz_error *err)
{
    vz_options standards;
    vz_options_set_standards(&standards);
    vz_buffer out = {0};
    bool ok = true;
    for (size_t i = 0; i < vz_option_count && ok; i++) {
        if (same_value(&vz_option_rows[i], options, &standards))
            continue;
        ok = vz_buffer_printf(&out, err, "%s%s=", out.size ? ";" : "", vz_option_rows[i].name) &&
             print_value(&vz_option_rows[i], options, &out, err);
    }
    if (ok && vz_buffer_append(&out, "", 1, err))
        return (char *)out.data;
    vz_buffer_clear(&out);
    return NULL;
}

bool vz_options_describe(vz_buffer *out, vz_error *err)
{
    if (!vz_buffer_printf(out, err, "| option | values | default | meaning |\n|---|---|---|---|\n"))
        return false;
    for (size_t i = 0; i < vz_option_count; i++) {
        const vz_option_row *row = &vz_option_rows[i];
        if (!vz_buffer_printf(out, err, "| `%s` | ", row->name) || !vz_option_describe_values(row, out, err) ||
            !vz_buffer_printf(out, err, " | %s | %s |\n", *row->standard ? row->standard : "(empty)", row->sentence))
            return false;
    }
    return true;
}
