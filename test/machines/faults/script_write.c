/* script_write.c - the scripts that make a store and change it. */
#include "script.h"
#include <stdio.h>
#include <string.h>

/* ---- pieces ---- */

hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

hid_t row_type(void)
{
    hid_t text = text_type(), type = H5Tcreate(H5T_COMPOUND, sizeof(struct row));
    H5Tinsert(type, "number", HOFFSET(struct row, number), H5T_NATIVE_INT);
    H5Tinsert(type, "text", HOFFSET(struct row, text), text);
    H5Tclose(text);
    return type;
}

bool make_dataset(hid_t file, const char *name, hid_t type, hsize_t size, hsize_t chunk, const void *data)
{
    const hsize_t unlimited = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &size, &unlimited), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool ok = dataset >= 0 && (!data || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    H5Pclose(creation);
    H5Sclose(space);
    return ok;
}

static bool make_numbers(hid_t file, const char *name, int which, int count, hsize_t chunk)
{
    int values[64];
    for (int i = 0; i < count; i++)
        values[i] = element(which, 0, i);
    return make_dataset(file, name, H5T_NATIVE_INT, (hsize_t)count, chunk, values);
}

/* Writes `count` elements from `start` on of a dataset of one dimension. */
static bool write_part(hid_t dataset, hid_t type, hsize_t start, hsize_t count, const void *data)
{
    hid_t there = H5Dget_space(dataset), here = H5Screate_simple(1, &count, NULL);
    bool ok = there >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
              H5Dwrite(dataset, type, here, there, H5P_DEFAULT, data) >= 0;
    H5Sclose(here);
    if (there >= 0)
        H5Sclose(there);
    return ok;
}

static bool write_attribute(hid_t file, const char *object, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Aexists_by_name(file, object, name, H5P_DEFAULT) > 0
                          ? H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT)
                          : H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        ok = H5Aclose(attribute) >= 0 && ok;
    H5Sclose(space);
    return ok;
}

/* ---- opening, flushing, closing ---- */

bool step_create(struct state *state)
{
    state->file = H5Fcreate(state->path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    return state->file >= 0;
}

bool step_open_to_read(struct state *state)
{
    state->file = H5Fopen(state->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return state->file >= 0;
}

bool step_open_to_write(struct state *state)
{
    state->file = H5Fopen(state->path, H5F_ACC_RDWR, H5P_DEFAULT);
    return state->file >= 0;
}

bool step_flush(struct state *state)
{
    return H5Fflush(state->file, H5F_SCOPE_GLOBAL) >= 0;
}

bool step_close(struct state *state)
{
    if (H5Iis_valid(state->file) <= 0)
        return false;
    return H5Fclose(state->file) >= 0;
}

/* What was said at the first attempt counts; this one only lets go. */
bool step_close_again(struct state *state)
{
    return H5Iis_valid(state->file) <= 0 || H5Fclose(state->file) >= 0;
}

/* ---- a new store ---- */

static bool step_group(struct state *state)
{
    hid_t group = H5Gcreate2(state->file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return group >= 0 && H5Gclose(group) >= 0;
}

static bool step_numbers(struct state *state)
{
    const hsize_t sizes[2] = {NUMBERS_ROWS, NUMBERS_COLUMNS}, chunk[2] = {4, NUMBERS_COLUMNS};
    int values[NUMBERS_ROWS * NUMBERS_COLUMNS];
    for (int i = 0; i < NUMBERS_ROWS * NUMBERS_COLUMNS; i++)
        values[i] = element(ARRAY_NUMBERS, 0, i);
    hid_t space = H5Screate_simple(2, sizes, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 2, chunk);
    H5Pset_deflate(creation, 1);
    hid_t dataset = H5Dcreate2(state->file, "g/numbers", H5T_NATIVE_INT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool ok = dataset >= 0 && H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    H5Pclose(creation);
    H5Sclose(space);
    return ok;
}

/* Parts of chunks, which wait in memory. */
static bool step_parts(struct state *state)
{
    int values[6];
    for (int i = 0; i < 6; i++)
        values[i] = element(ARRAY_PARTS, 0, i + 1);
    if (!make_dataset(state->file, "parts", H5T_NATIVE_INT, 10, 4, NULL))
        return false;
    hid_t dataset = H5Dopen2(state->file, "parts", H5P_DEFAULT);
    bool ok = dataset >= 0 && write_part(dataset, H5T_NATIVE_INT, 1, 6, values);
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    return ok;
}

static bool step_text(struct state *state)
{
    char text[TEXTS][40];
    const char *values[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        snprintf(text[i], sizeof text[i], TEXT_OLD, i);
        values[i] = text[i];
    }
    hid_t type = text_type();
    const bool ok = make_dataset(state->file, "text", type, TEXTS, 2, values);
    H5Tclose(type);
    return ok;
}

static bool step_rows(struct state *state)
{
    char text[TEXTS][40];
    struct row rows[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        snprintf(text[i], sizeof text[i], ROW_OLD, i);
        rows[i] = (struct row){i, text[i]};
    }
    hid_t type = row_type();
    const bool ok = make_dataset(state->file, "rows", type, TEXTS, 2, rows);
    H5Tclose(type);
    return ok;
}

static bool step_attributes(struct state *state)
{
    const int number = 7;
    const char *unit = "volt";
    hid_t type = text_type();
    const bool ok = write_attribute(state->file, "g", "number", H5T_NATIVE_INT, &number) &&
                    write_attribute(state->file, "g", "unit", type, &unit);
    H5Tclose(type);
    return ok;
}

static bool step_gone(struct state *state)
{
    return make_numbers(state->file, "gone", ARRAY_GONE, 6, 3);
}

static bool step_late(struct state *state)
{
    return make_numbers(state->file, "late", ARRAY_LATE, 5, 2);
}

const struct step script_create[] = {
    {"create", step_create},
    {"group", step_group},
    {"numbers", step_numbers},
    {"parts", step_parts},
    {"text", step_text},
    {"rows", step_rows},
    {"attributes", step_attributes},
    {"gone", step_gone},
    {"flush", step_flush},
    {"late", step_late},
    {"close", step_close},
    {"close again", step_close_again},
    {NULL, NULL},
};

/* ---- changes ---- */

static bool step_overwrite(struct state *state)
{
    const hsize_t start[2] = {2, 0}, count[2] = {7, NUMBERS_COLUMNS}; /* half a chunk, a whole one, a quarter */
    int values[7 * NUMBERS_COLUMNS];
    for (int i = 0; i < 7 * NUMBERS_COLUMNS; i++)
        values[i] = element(ARRAY_NUMBERS, 1, 2 * NUMBERS_COLUMNS + i);
    hid_t dataset = H5Dopen2(state->file, "g/numbers", H5P_DEFAULT), here = H5Screate_simple(2, count, NULL);
    hid_t there = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    bool ok = there >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dwrite(dataset, H5T_NATIVE_INT, here, there, H5P_DEFAULT, values) >= 0;
    H5Sclose(here);
    if (there >= 0)
        H5Sclose(there);
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    return ok;
}

static bool set_size(struct state *state, const char *name, hsize_t size, const int *values, hsize_t start,
                     hsize_t count)
{
    hid_t dataset = H5Dopen2(state->file, name, H5P_DEFAULT);
    bool ok = dataset >= 0 && H5Dset_extent(dataset, &size) >= 0;
    if (ok && values)
        ok = write_part(dataset, H5T_NATIVE_INT, start, count, values);
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    return ok;
}

static bool step_grow(struct state *state)
{
    int values[3];
    for (int i = 0; i < 3; i++)
        values[i] = element(ARRAY_PARTS, 1, 10 + i);
    return set_size(state, "parts", 13, values, 10, 3);
}

static bool step_shrink(struct state *state)
{
    return set_size(state, "late", 3, NULL, 0, 0);
}

static bool step_change_attributes(struct state *state)
{
    const int number = 8;
    const double factor = 2.5;
    return write_attribute(state->file, "g", "number", H5T_NATIVE_INT, &number) &&
           write_attribute(state->file, "g", "factor", H5T_NATIVE_DOUBLE, &factor);
}

static bool step_move(struct state *state)
{
    return H5Lmove(state->file, "text", state->file, "g/words", H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

static bool step_link(struct state *state)
{
    return H5Lcreate_hard(state->file, "g/numbers", state->file, "same", H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

static bool step_widen(struct state *state)
{
    struct row row = {11, ROW_LONGER};
    hid_t type = row_type(), dataset = H5Dopen2(state->file, "rows", H5P_DEFAULT);
    bool ok = dataset >= 0 && write_part(dataset, type, 1, 1, &row);
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    H5Tclose(type);
    return ok;
}

static bool step_delete(struct state *state)
{
    return H5Ldelete(state->file, "gone", H5P_DEFAULT) >= 0;
}

static bool step_new(struct state *state)
{
    return make_numbers(state->file, "new", ARRAY_NEW, 6, 4);
}

const struct step script_change[] = {
    {"open", step_open_to_write},
    {"overwrite", step_overwrite},
    {"grow", step_grow},
    {"shrink", step_shrink},
    {"attributes", step_change_attributes},
    {"move", step_move},
    {"flush", step_flush},
    {"link", step_link},
    {"widen", step_widen},
    {"delete", step_delete},
    {"new", step_new},
    {"close", step_close},
    {"close again", step_close_again},
    {NULL, NULL},
};

const struct step script_reopen[] = {
    {"open", step_open_to_write}, {"close", step_close}, {"close again", step_close_again}, {NULL, NULL}};
