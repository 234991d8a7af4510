/* script_more.c - changes of the store that script_create makes, by other calls than those of script_change. */
#include "script.h"

static bool step_copy(struct state *state)
{
    return H5Ocopy(state->file, "g", state->file, "copy", H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

static bool step_forget(struct state *state)
{
    return H5Adelete_by_name(state->file, "g", "unit", H5P_DEFAULT) >= 0;
}

static bool step_rename(struct state *state)
{
    return H5Arename_by_name(state->file, "g", "number", "count", H5P_DEFAULT) >= 0;
}

static bool step_move(struct state *state)
{
    return H5Lmove(state->file, "copy", state->file, "moved", H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

static bool step_remove(struct state *state)
{
    return H5Ldelete(state->file, "g", H5P_DEFAULT) >= 0;
}

/* Takes the place of what was removed. */
static bool step_again(struct state *state)
{
    hid_t group = H5Gcreate2(state->file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return group >= 0 && H5Gclose(group) >= 0;
}

static bool step_soft(struct state *state)
{
    return H5Lcreate_soft("/parts", state->file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

static bool step_external(struct state *state)
{
    return H5Lcreate_external("elsewhere.zarr", "/x", state->file, "g/external", H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

/* What was cut off does not come back. */
static bool step_extents(struct state *state)
{
    const hsize_t small = 3, large = 12;
    hid_t dataset = H5Dopen2(state->file, "parts", H5P_DEFAULT);
    bool ok = dataset >= 0 && H5Dset_extent(dataset, &small) >= 0 && H5Dset_extent(dataset, &large) >= 0;
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    return ok;
}

static bool step_type(struct state *state)
{
    hid_t type = row_type();
    const bool ok = H5Tcommit2(state->file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    H5Tclose(type);
    return ok;
}

static bool step_comment(struct state *state)
{
    return H5Oset_comment_by_name(state->file, "late", "a comment", H5P_DEFAULT) >= 0;
}

const struct step script_more[] = {
    {"open", step_open_to_write},
    {"copy", step_copy},
    {"forget", step_forget},
    {"rename", step_rename},
    {"move", step_move},
    {"flush", step_flush},
    {"remove", step_remove},
    {"again", step_again},
    {"soft", step_soft},
    {"external", step_external},
    {"extents", step_extents},
    {"type", step_type},
    {"comment", step_comment},
    {"close", step_close},
    {"close again", step_close_again},
    {NULL, NULL},
};
