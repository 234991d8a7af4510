/* dataspace.c - a described dataspace: what it selects by plain sets, its id, its text. */
#include "spaces.h"

static bool in_slab(const slab *s, int rank, const int *at)
{
    for (int d = 0; d < rank; d++) {
        const int64_t from = at[d] - (int64_t)s->start[d];
        if (from < 0)
            return false;
        const hsize_t turn = (hsize_t)from / s->stride[d];
        if (turn >= s->count[d] || (hsize_t)from % s->stride[d] >= s->block[d])
            return false;
    }
    return true;
}

static bool in_extent(const space *s, const int *at)
{
    for (int d = 0; d < s->rank; d++)
        if ((hsize_t)at[d] >= s->dims[d])
            return false;
    return true;
}

static bool combined(H5S_seloper_t op, bool before, bool inside)
{
    switch (op) {
    case H5S_SELECT_OR:
        return before || inside;
    case H5S_SELECT_AND:
        return before && inside;
    case H5S_SELECT_XOR:
        return before != inside;
    case H5S_SELECT_NOTB:
        return before && !inside;
    case H5S_SELECT_NOTA:
        return !before && inside;
    default:
        return inside;
    }
}

static bool is_selected(const space *s, const int *at)
{
    bool selected = s->pick == PICK_ALL || (s->pick == PICK_SLABS && !s->from_none);
    selected = selected && in_extent(s, at);
    for (int i = 0; s->pick == PICK_SLABS && i < s->used; i++)
        selected = combined(s->slabs[i].op, selected, in_slab(&s->slabs[i], s->rank, at));
    return selected;
}

bool space_is_all(const space *s)
{
    bool all = s->pick == PICK_ALL || (s->pick == PICK_SLABS && !s->from_none);
    for (int i = 0; s->pick == PICK_SLABS && i < s->used; i++)
        all = all && s->slabs[i].op == H5S_SELECT_OR; /* with anything is all again */
    return all;
}

static void add(list *out, const space *s, const int64_t *at)
{
    const bool moves = !space_is_all(s); /* the offset */
    for (int d = 0; d < s->rank; d++) {
        const int64_t there = at[d] + (moves ? s->offset[d] : 0);
        out->at[out->count][d] = there;
        out->valid = out->valid && there >= 0 && (hsize_t)there < s->dims[d];
    }
    out->count++;
}

static void add_points(list *out, const space *s)
{
    for (int i = 0; i < s->used; i++) {
        int64_t at[RANK_MAX];
        for (int d = 0; d < s->rank; d++)
            at[d] = (int64_t)s->points[i][d];
        add(out, s, at);
    }
}

/* How far anything reaches that is selected. */
static void find_sides(const space *s, int *sides)
{
    for (int d = 0; d < RANK_MAX; d++) {
        hsize_t side = d < s->rank ? s->dims[d] : 1;
        for (int i = 0; d < s->rank && s->pick == PICK_SLABS && i < s->used; i++) {
            const slab *b = &s->slabs[i];
            const hsize_t reach = b->start[d] + (b->count[d] - 1) * b->stride[d] + b->block[d];
            side = reach > side ? reach : side;
        }
        sides[d] = (int)side;
    }
}

void space_list(const space *s, list *out)
{
    *out = (list){.rank = s->rank, .valid = true};
    if (s->place == SCALAR && s->pick == PICK_ALL)
        out->count = 1;
    if (s->place != SIMPLE)
        return;
    if (s->pick == PICK_POINTS) {
        add_points(out, s);
        return;
    }
    int at[RANK_MAX], sides[RANK_MAX];
    find_sides(s, sides);
    for (at[0] = 0; at[0] < sides[0]; at[0]++)
        for (at[1] = 0; at[1] < sides[1]; at[1]++)
            for (at[2] = 0; at[2] < sides[2]; at[2]++)
                if (is_selected(s, at))
                    add(out, s, (const int64_t[]){at[0], at[1], at[2]});
}

static void choose(hid_t id, const space *s)
{
    if (s->pick == PICK_NONE || (s->pick == PICK_SLABS && s->from_none))
        H5Sselect_none(id);
    for (int i = 0; s->pick == PICK_SLABS && i < s->used; i++)
        H5Sselect_hyperslab(id, s->slabs[i].op, s->slabs[i].start, s->slabs[i].stride, s->slabs[i].count,
                            s->slabs[i].block);
}

static void choose_points(hid_t id, const space *s)
{
    hsize_t at[POINTS_MAX * RANK_MAX];
    for (int i = 0; i < s->used; i++)
        memcpy(at + i * s->rank, s->points[i], (size_t)s->rank * sizeof *at);
    H5Sselect_elements(id, H5S_SELECT_SET, (size_t)s->used, at);
}

hid_t space_id(const space *s)
{
    switch (s->place) {
    case ALL_ID:
        return H5S_ALL;
    case BLOCK_ID:
        return H5S_BLOCK;
    case UNSET:
        return H5Screate(H5S_SIMPLE);
    case NULL_SPACE:
        return H5Screate(H5S_NULL);
    default:
        break;
    }
    const hid_t id = s->place == SCALAR ? H5Screate(H5S_SCALAR) : H5Screate_simple(s->rank, s->dims, NULL);
    if (s->pick == PICK_POINTS)
        choose_points(id, s);
    else
        choose(id, s);
    if (s->place == SIMPLE)
        H5Soffset_simple(id, s->offset);
    return id;
}

static bool is_lossy(const space *s)
{
    hsize_t start[RANK_MAX], stride[RANK_MAX], counts[RANK_MAX], block[RANK_MAX];
    const hid_t id = space_id(s);
    hssize_t described = 1;
    bool lossy = false;
    if (H5Sget_select_type(id) == H5S_SEL_HYPERSLABS && H5Sis_regular_hyperslab(id) > 0 &&
        H5Sget_regular_hyperslab(id, start, stride, counts, block) >= 0) {
        for (int d = 0; d < s->rank; d++)
            described *= (hssize_t)(counts[d] * block[d]);
        lossy = described != H5Sget_select_npoints(id);
    }
    H5Sclose(id);
    return lossy;
}

loss space_loss(const space *s)
{
    space first = *s;
    loss found = SOUND;
    if (s->place != SIMPLE || s->pick != PICK_SLABS)
        return SOUND;
    for (first.used = 2; first.used <= s->used; first.used++)
        if (is_lossy(&first))
            found = first.used == s->used ? LOSSY : WAS_LOSSY;
    return found;
}

/* ---- as text ---- */

static void print_numbers(FILE *to, const char *name, int rank, const hsize_t *numbers)
{
    fprintf(to, "%s{", name);
    for (int d = 0; d < rank; d++)
        fprintf(to, "%s%lld", d ? "," : "", (long long)numbers[d]);
    fprintf(to, "}");
}

static void print_slab(FILE *to, int rank, const slab *s)
{
    static const char *const ops[] = {"SET", "OR", "AND", "XOR", "NOTB", "NOTA"};
    fprintf(to, " %s", ops[s->op]);
    print_numbers(to, " start", rank, s->start);
    print_numbers(to, " stride", rank, s->stride);
    print_numbers(to, " count", rank, s->count);
    print_numbers(to, " block", rank, s->block);
}

void space_print(FILE *to, const space *s)
{
    static const char *const places[] = {"H5S_ALL", "H5S_BLOCK", "simple", "scalar", "null", "without extent"};
    static const char *const picks[] = {" all", " none", " slabs", " points"};
    fprintf(to, "%s", places[s->place]);
    if (s->place != SIMPLE && s->place != SCALAR)
        return;
    if (s->place == SIMPLE)
        print_numbers(to, "", s->rank, s->dims);
    fprintf(to, "%s", picks[s->pick]);
    if (s->pick == PICK_SLABS && s->from_none)
        fprintf(to, " from none");
    for (int i = 0; i < s->used && s->pick >= PICK_SLABS; i++)
        if (s->pick == PICK_SLABS)
            print_slab(to, s->rank, &s->slabs[i]);
        else
            print_numbers(to, " ", s->rank, s->points[i]);
    bool moved = false;
    for (int d = 0; d < s->rank; d++)
        moved = moved || s->offset[d] != 0;
    if (s->place == SIMPLE && moved)
        print_numbers(to, " offset", s->rank, (const hsize_t *)s->offset);
}
