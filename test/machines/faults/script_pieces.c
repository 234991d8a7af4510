/* script_pieces.c - the script that writes whole shards which are large enough to go to their files in pieces. */
#include "script.h"
#include <stdlib.h>

static int *large_elements(int version)
{
    int *values = malloc(LARGE * sizeof *values);
    for (int i = 0; values && i < LARGE; i++)
        values[i] = large_element(version, i);
    return values;
}

static bool step_large(struct state *state)
{
    int *values = large_elements(0);
    const bool ok = values && make_dataset(state->file, "large", H5T_NATIVE_INT, LARGE, LARGE_CHUNK, values);
    free(values);
    return ok;
}

static bool write_large(struct state *state, int version)
{
    int *values = large_elements(version);
    hid_t dataset = H5Dopen2(state->file, "large", H5P_DEFAULT);
    bool ok = values && dataset >= 0 && H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    free(values);
    return ok;
}

/* In the stage, where nobody else knows the array yet, and over what everybody sees. */
static bool step_large_again(struct state *state)
{
    return write_large(state, 1);
}

static bool step_large_once_more(struct state *state)
{
    return write_large(state, 2);
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
