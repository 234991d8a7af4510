/* script_pieces.c - the scripts that write whole shards which are large enough to go to their files in pieces, and
 * whole chunks whose rows go there from where they lie. */
#include "script.h"
#include <stdlib.h>

static int *large_elements(int version, int count)
{
    int *values = malloc((size_t)count * sizeof *values);
    for (int i = 0; values && i < count; i++)
        values[i] = large_element(version, i);
    return values;
}

static bool step_large(struct state *state)
{
    int *values = large_elements(0, LARGE);
    const bool ok = values && make_dataset(state->file, "large", H5T_NATIVE_INT, LARGE, LARGE_CHUNK, values);
    free(values);
    return ok;
}

static bool write_all(struct state *state, const char *name, int version, int count)
{
    int *values = large_elements(version, count);
    hid_t dataset = H5Dopen2(state->file, name, H5P_DEFAULT);
    bool ok = values && dataset >= 0 && H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    free(values);
    return ok;
}

/* In the stage, where nobody else knows the array yet, and over what everybody sees. */
static bool step_large_again(struct state *state)
{
    return write_all(state, "large", 1, LARGE);
}

static bool step_large_once_more(struct state *state)
{
    return write_all(state, "large", 2, LARGE);
}

const struct step script_pieces[] = {
    {"create", step_create},
    {"large", step_large},
    {"flush", step_flush},
    {"large again", step_large_again},
    {"flush", step_flush},
    {"large once more", step_large_once_more},
    {"close", step_close},
    {"close again", step_close_again},
    {NULL, NULL},
};

static bool step_tall(struct state *state)
{
    const hsize_t size[] = {TALL_ROWS, TALL_COLUMNS}, chunk[] = {32, 512};
    hid_t space = H5Screate_simple(2, size, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 2, chunk);
    hid_t dataset = H5Dcreate2(state->file, "tall", H5T_NATIVE_INT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool ok = dataset >= 0;
    if (ok)
        ok = H5Dclose(dataset) >= 0 && write_all(state, "tall", 0, TALL_ROWS * TALL_COLUMNS);
    H5Pclose(creation);
    H5Sclose(space);
    return ok;
}

static bool step_tall_again(struct state *state)
{
    return write_all(state, "tall", 1, TALL_ROWS * TALL_COLUMNS);
}

static bool step_tall_once_more(struct state *state)
{
    return write_all(state, "tall", 2, TALL_ROWS * TALL_COLUMNS);
}

const struct step script_tall[] = {
    {"create", step_create},
    {"tall", step_tall},
    {"flush", step_flush},
    {"tall again", step_tall_again},
    {"flush", step_flush},
    {"tall once more", step_tall_once_more},
    {"close", step_close},
    {"close again", step_close_again},
    {NULL, NULL},
};
