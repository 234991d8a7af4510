/* script_read.c - reads the store that script_create makes: whatever is said to be read is right. */
#include "script.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(struct state *state, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state->wrong, sizeof state->wrong, format, arguments);
    va_end(arguments);
    return true; /* the call said success */
}

static herr_t count_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    (void)group, (void)name, (void)info;
    ++*(int *)context;
    return 0;
}

static bool step_list(struct state *state)
{
    int count = 0;
    H5G_info_t info;
    if (H5Literate2(state->file, H5_INDEX_NAME, H5_ITER_INC, NULL, count_link, &count) < 0 ||
        H5Gget_info(state->file, &info) < 0)
        return false;
    if (count != 6 || info.nlinks != 6)
        return wrong(state, "the root has %d links, says the iteration, and %d", count, (int)info.nlinks);
    return true;
}

static bool step_exist(struct state *state)
{
    const htri_t there = H5Lexists(state->file, "late", H5P_DEFAULT),
                 missing = H5Lexists(state->file, "no", H5P_DEFAULT);
    if (there < 0 || missing < 0)
        return false;
    return there && !missing ? true : wrong(state, "H5Lexists: %d, %d", there, missing);
}

static bool read_all(struct state *state, const char *name, hid_t type, hsize_t expected, void *values)
{
    hid_t dataset = H5Dopen2(state->file, name, H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    const hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    bool ok = points >= 0;
    if (ok && (hsize_t)points != expected)
        wrong(state, "%s has %d elements", name, (int)points);
    else
        ok = ok && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    return ok;
}

static bool check_numbers(struct state *state, const char *name, int which, int count, int from, int to)
{
    int values[NUMBERS_ROWS * NUMBERS_COLUMNS] = {0};
    if (!read_all(state, name, H5T_NATIVE_INT, (hsize_t)count, values))
        return false;
    for (int i = 0; i < count && !state->wrong[0]; i++) {
        const int expected = i >= from && i < to ? element(which, 0, i) : 0;
        if (values[i] != expected)
            wrong(state, "%s[%d] is %d, not %d", name, i, values[i], expected);
    }
    return true;
}

static bool step_numbers(struct state *state)
{
    return check_numbers(state, "g/numbers", ARRAY_NUMBERS, NUMBERS_ROWS * NUMBERS_COLUMNS, 0,
                         NUMBERS_ROWS * NUMBERS_COLUMNS);
}

static bool step_parts(struct state *state)
{
    return check_numbers(state, "parts", ARRAY_PARTS, 10, 1, 7);
}

static bool step_late(struct state *state)
{
    return check_numbers(state, "late", ARRAY_LATE, 5, 0, 5);
}

static bool step_gone(struct state *state)
{
    return check_numbers(state, "gone", ARRAY_GONE, 6, 0, 6);
}

static bool step_text(struct state *state)
{
    char *values[TEXTS] = {NULL};
    hid_t type = text_type();
    const bool ok = read_all(state, "text", type, TEXTS, values);
    for (int i = 0; i < TEXTS && ok && !state->wrong[0]; i++) {
        char expected[40];
        snprintf(expected, sizeof expected, TEXT_OLD, i);
        if (!values[i] || strcmp(values[i], expected) != 0)
            wrong(state, "text[%d] is \"%.40s\"", i, values[i] ? values[i] : "(null)");
    }
    for (int i = 0; i < TEXTS && ok; i++)
        H5free_memory(values[i]);
    H5Tclose(type);
    return ok;
}

static bool step_rows(struct state *state)
{
    struct row values[TEXTS] = {{0, NULL}};
    hid_t type = row_type();
    const bool ok = read_all(state, "rows", type, TEXTS, values);
    for (int i = 0; i < TEXTS && ok && !state->wrong[0]; i++) {
        char expected[40];
        snprintf(expected, sizeof expected, ROW_OLD, i);
        if (values[i].number != i || !values[i].text || strcmp(values[i].text, expected) != 0)
            wrong(state, "rows[%d] is %d, \"%.40s\"", i, values[i].number, values[i].text ? values[i].text : "(null)");
    }
    for (int i = 0; i < TEXTS && ok; i++)
        H5free_memory(values[i].text);
    H5Tclose(type);
    return ok;
}

static bool step_attributes(struct state *state)
{
    int number = 0;
    char *unit = NULL;
    hid_t type = text_type();
    hid_t a = H5Aopen_by_name(state->file, "g", "number", H5P_DEFAULT, H5P_DEFAULT);
    hid_t b = H5Aopen_by_name(state->file, "g", "unit", H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = a >= 0 && b >= 0 && H5Aread(a, H5T_NATIVE_INT, &number) >= 0 && H5Aread(b, type, &unit) >= 0;
    if (ok && (number != 7 || !unit || strcmp(unit, "volt") != 0))
        wrong(state, "the attributes are %d, \"%.40s\"", number, unit ? unit : "(null)");
    if (ok)
        H5free_memory(unit);
    if (a >= 0)
        H5Aclose(a);
    if (b >= 0)
        H5Aclose(b);
    H5Tclose(type);
    return ok;
}

const struct step script_read[] = {
    {"open", step_open_to_read}, {"list", step_list},
    {"exist", step_exist},       {"numbers", step_numbers},
    {"parts", step_parts},       {"late", step_late},
    {"gone", step_gone},         {"text", step_text},
    {"rows", step_rows},         {"attributes", step_attributes},
    {"close", step_close},       {NULL, NULL},
};

static const struct script scripts[] = {{"create", script_create}, {"pieces", script_pieces}, {"tall", script_tall},
                                        {"change", script_change}, {"more", script_more},     {"reopen", script_reopen},
                                        {"read", script_read}};

const struct script *script_find(const char *name)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(scripts[i].name, name) == 0)
            return &scripts[i];
    return NULL;
}
