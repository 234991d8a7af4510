/* draw_space.c - random dataspaces. */
#include "spaces.h"

unsigned roll(dice *d, unsigned sides)
{
    d->state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t z = d->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ (z >> 31)) % sides);
}

/* ---- selections ---- */

static void draw_slab(dice *d, const space *s, slab *out)
{
    static const H5S_seloper_t ops[] = {H5S_SELECT_OR,  H5S_SELECT_OR,   H5S_SELECT_AND,
                                        H5S_SELECT_XOR, H5S_SELECT_NOTB, H5S_SELECT_NOTA};
    out->op = ops[roll(d, 6)];
    for (int i = 0; i < s->rank; i++) {
        const unsigned side = s->dims[i] ? (unsigned)s->dims[i] : 1;
        out->start[i] = roll(d, side);
        const unsigned left = side - (unsigned)out->start[i];
        out->block[i] = roll(d, 3) ? 1 : 1 + roll(d, left);
        out->stride[i] = out->block[i] + roll(d, 3);
        const unsigned turns = (left - (unsigned)out->block[i]) / (unsigned)out->stride[i] + 1;
        out->count[i] = 1 + roll(d, turns);
        if (roll(d, 4) == 0) { /* all of it */
            out->start[i] = 0;
            out->block[i] = side;
            out->stride[i] = side;
            out->count[i] = 1;
        }
    }
}

static void draw_slabs(dice *d, space *s)
{
    s->pick = PICK_SLABS;
    s->from_none = roll(d, 4) == 0;
    s->used = roll(d, 2) ? 1 : 1 + (int)roll(d, 4);
    for (int i = 0; i < s->used; i++)
        draw_slab(d, s, &s->slabs[i]);
    if (roll(d, 5))
        s->slabs[0].op = H5S_SELECT_SET;
    if (s->slabs[0].op == H5S_SELECT_SET && roll(d, 20) == 0) /* outside */
        s->slabs[0].start[roll(d, (unsigned)s->rank)] += 1 + roll(d, 2);
}

static void draw_points(dice *d, space *s)
{
    s->pick = PICK_POINTS;
    s->used = 1 + (int)roll(d, POINTS_MAX);
    for (int i = 0; i < s->used; i++)
        for (int k = 0; k < s->rank; k++)
            s->points[i][k] = roll(d, s->dims[k] ? (unsigned)s->dims[k] : 1);
    if (roll(d, 12) == 0)
        s->points[roll(d, (unsigned)s->used)][roll(d, (unsigned)s->rank)] += 1 + roll(d, 2);
}

void draw_selection(dice *d, space *s)
{
    bool empty = false;
    for (int i = 0; i < s->rank; i++)
        empty = empty || s->dims[i] == 0;
    s->pick = PICK_ALL;
    if (s->place != SIMPLE || empty || roll(d, 5) == 0)
        return;
    const unsigned kind = roll(d, 12);
    if (kind == 0)
        s->pick = PICK_NONE;
    else if (kind < 4)
        draw_points(d, s);
    else
        draw_slabs(d, s);
}

/* The selection is moved the other way, so that it stays where it was. */
static bool move_back(space *s)
{
    bool inside = s->pick == PICK_POINTS || s->from_none || s->slabs[0].op == H5S_SELECT_SET;
    for (int i = 0; i < s->used; i++)
        for (int k = 0; k < s->rank; k++)
            inside =
                inside && (hssize_t)(s->pick == PICK_POINTS ? s->points[i][k] : s->slabs[i].start[k]) >= s->offset[k];
    for (int i = 0; inside && i < s->used; i++)
        for (int k = 0; k < s->rank; k++)
            if (s->pick == PICK_POINTS)
                s->points[i][k] -= (hsize_t)s->offset[k];
            else
                s->slabs[i].start[k] -= (hsize_t)s->offset[k];
    return inside;
}

void draw_offset(dice *d, space *s)
{
    if (s->place != SIMPLE || roll(d, 3))
        return;
    for (int k = 0; k < s->rank; k++)
        s->offset[k] = (hssize_t)roll(d, 5) - 2;
    if (s->pick >= PICK_SLABS && !move_back(s) && roll(d, 4))
        memset(s->offset, 0, sizeof s->offset);
}

/* ---- memory ---- */

static void one_slab(space *s, hsize_t start, hsize_t stride, hsize_t count, hsize_t block)
{
    s->pick = PICK_SLABS;
    s->used = 1;
    s->slabs[0] = (slab){H5S_SELECT_SET, {start}, {stride}, {count}, {block}};
}

/* A stretch, or every second or third element, or pairs of them. */
static void draw_line(dice *d, size_t count, space *s)
{
    const hsize_t before = roll(d, 4), after = roll(d, 3), block = count % 2 == 0 && roll(d, 2) ? 2 : 1;
    const hsize_t stride = roll(d, 2) ? block : block + 1 + roll(d, 2), turns = count / block;
    s->rank = 1;
    s->dims[0] = before + (turns - 1) * stride + block + after;
    one_slab(s, before, stride, turns, block);
}

/* Rows of a plane or a block, without some of the last row or any other. */
static void draw_rows(dice *d, size_t count, space *s)
{
    const hsize_t width = 1 + roll(d, 6), rows = (count + width - 1) / width, less = rows * width - count;
    const int rank = 2 + (int)roll(d, 2), row = rank - 2;
    s->rank = rank;
    s->pick = PICK_SLABS;
    s->used = less ? 2 : 1;
    hsize_t at[RANK_MAX] = {0}, size[RANK_MAX] = {1, 1, 1};
    s->dims[0] = 1 + roll(d, 2);
    at[0] = roll(d, (unsigned)s->dims[0]);
    at[row] = roll(d, 3);
    at[row + 1] = roll(d, 3);
    s->dims[row] = at[row] + rows + roll(d, 3);
    s->dims[row + 1] = at[row + 1] + width + roll(d, 3);
    size[row] = rows;
    size[row + 1] = width;
    for (int i = 0; i < s->used; i++) {
        slab *b = &s->slabs[i];
        b->op = i ? H5S_SELECT_NOTB : H5S_SELECT_SET;
        for (int k = 0; k < rank; k++)
            b->start[k] = at[k], b->stride[k] = size[k], b->count[k] = 1, b->block[k] = size[k];
        at[row] += roll(d, (unsigned)rows);
        at[row + 1] += roll(d, (unsigned)(width - less) + 1);
        size[row] = 1;
        size[row + 1] = less;
    }
}

/* Each another one, in any order. */
static void draw_places(dice *d, size_t count, space *s)
{
    const hsize_t width = 2 + roll(d, 4), side = (count + width - 1) / width + roll(d, 3), cells = width * side;
    const hsize_t start = roll(d, (unsigned)cells), odd = cells % 7 && cells % 5 ? 7 : 1;
    s->rank = 2;
    s->dims[0] = side;
    s->dims[1] = width;
    s->pick = PICK_POINTS;
    s->used = (int)count;
    for (size_t i = 0; i < count; i++) {
        const hsize_t at = cells % 7 ? (start + i * odd) % cells : (start + i) % cells;
        s->points[i][0] = at / width;
        s->points[i][1] = at % width;
    }
    if (roll(d, 20) == 0)
        s->points[roll(d, (unsigned)count)][1] = width;
}

void draw_memory(dice *d, const space *file, size_t count, space *s)
{
    *s = (space){.place = ALL_ID};
    const unsigned kind = roll(d, 16);
    if (kind < 4)
        return;
    if (kind < 6) {
        s->place = BLOCK_ID;
        return;
    }
    s->place = SIMPLE;
    if (kind == 6) {
        *s = *file;
    } else if (count == 0 || kind == 7) {
        static const place others[] = {NULL_SPACE, UNSET, SCALAR, SIMPLE};
        s->place = others[roll(d, 4)];
        s->rank = s->place == SIMPLE;
        s->dims[0] = count + (roll(d, 2) ? 0 : 1);
    } else if (kind == 8) {
        s->rank = 1;
        s->dims[0] = count;
    } else if (kind < 11 && count <= POINTS_MAX) {
        draw_places(d, count, s);
    } else if (kind < 13) {
        draw_line(d, count, s);
    } else {
        draw_rows(d, count, s);
    }
    draw_offset(d, s);
}
