/* thumbnail_means.c - thumbnails of which each element is read. */
#include "command/sample/sample_internal.h"

/* Where an index of the part lies among so many pixels. False: the steps pass over it. */
static bool pixel_along(const vz_sample_part *part, int dimension, uint64_t at, uint64_t of, unsigned pixels,
                        uint64_t *pixel)
{
    *pixel = 0;
    if (dimension < 0)
        return true;
    const uint64_t offset = at - part->start[dimension];
    *pixel = (uint64_t)((unsigned __int128)(offset / part->step[dimension]) * pixels / of);
    return offset % part->step[dimension] == 0;
}

static bool visit(void *context, const vz_sample_run *run, vz_error *err)
{
    vz_sample_pixels *p = context;
    const vz_sample_picture *picture = p->picture;
    const vz_sample_part *part = &picture->part;
    const int last = (int)part->rank - 1, row = picture->row_dimension, column = picture->column_dimension;
    const int channel = vz_sample_pixels_channel(p);
    (void)err;
    for (uint64_t i = 0; i < run->count; i++) {
        uint64_t x, y;
        const uint64_t row_at = row < 0 ? 0 : run->at[row] + (row == last ? i : 0);
        if (!pixel_along(part, row, row_at, p->rows, picture->height, &y) ||
            !pixel_along(part, column, run->at[column] + (column == last ? i : 0), p->columns, picture->width, &x))
            continue;
        const uint64_t pixel = y * picture->width + x;
        if (run->elements)
            vz_sample_pixels_add(p, pixel, channel < 0 ? 0 : (unsigned)(run->at[channel] + i),
                                 vz_sample_pixels_value(p, run->elements, i));
        else
            vz_sample_pixels_note(p, pixel, run->state);
    }
    return true;
}

bool vz_sample_pixels_take_all(vz_sample_pixels *p, vz_error *err)
{
    uint64_t start[VZ_SAMPLE_RANK_MAX], count[VZ_SAMPLE_RANK_MAX];
    const vz_sample_part *part = &p->picture->part;
    vz_sample_walk walk = {
        .array = p->array, .type = p->type, .size = p->size, .visit = visit, .context = p, .until = p->until};
    for (unsigned i = 0; i < part->rank; i++) {
        start[i] = part->start[i];
        count[i] = (part->count[i] - 1) * part->step[i] + 1;
    }
    const bool ok = vz_sample_walk_box(&walk, start, count, err);
    p->picture->unreadable = walk.unreadable;
    snprintf(p->picture->why, sizeof p->picture->why, "%s", walk.why);
    vz_sample_walk_end(&walk);
    return ok;
}
