/* plan.c - what a transfer does, by what HDF5 documents and by what its source does: which elements move, in which
 * order, and when it refuses. */
#include "spaces.h"

static size_t cells_of(int rank, const hsize_t *dims)
{
    size_t cells = 1;
    for (int d = 0; d < rank; d++)
        cells *= dims[d];
    return cells;
}

static size_t offset_of(int rank, const hsize_t *dims, const int64_t *at)
{
    size_t offset = 0;
    for (int d = 0; d < rank; d++)
        offset = offset * dims[d] + (size_t)at[d];
    return offset;
}

/* ---- the elements of a dataset ---- */

/* Mapping 1 has two sources, of the upper and the lower half; mapping 2 the upper half alone. */
static bool is_mapped(const dataset *s, size_t cell)
{
    const size_t row = cells_of(s->rank - 1, s->dims + 1);
    return s->layout != VIRTUAL || s->mapping != 2 || cell / row < (s->dims[0] + 1) / 2;
}

void shadow_create(const trial *t, int which, shadow *s)
{
    const dataset *of = &t->set[which];
    s->rank = of->rank;
    memcpy(s->dims, of->dims, sizeof s->dims);
    const size_t cells = cells_of(of->rank, of->dims);
    for (size_t i = 0; i < CELLS_MAX; i++) {
        s->mapped[i] = of->rank == 0 || i >= cells || is_mapped(of, i);
        s->at[i] = of->layout == VIRTUAL && i < cells && s->mapped[i] ? element_initial(i) : element_fill(t);
    }
}

void shadow_resize(const trial *t, shadow *s, const hsize_t *dims)
{
    static shadow old;
    old = *s;
    memcpy(s->dims, dims, sizeof s->dims);
    for (size_t i = 0; i < CELLS_MAX; i++)
        s->at[i] = element_fill(t);
    int64_t at[RANK_MAX];
    for (size_t i = 0; i < cells_of(s->rank, dims); i++) {
        bool was = true;
        size_t left = i;
        for (int d = s->rank - 1; d >= 0; d--) {
            at[d] = (int64_t)(left % dims[d]);
            left /= dims[d];
            was = was && (hsize_t)at[d] < old.dims[d];
        }
        if (was)
            s->at[i] = old.at[offset_of(s->rank, old.dims, at)];
    }
}

/* ---- a transfer ---- */

static void end(plan *out, verdict how, const char *why)
{
    out->verdict = how;
    out->why = why;
}

static bool is_linear(layout l)
{
    return l == CONTIGUOUS || l == COMPACT;
}

/* Offsets in the dataset; false: beyond it. */
static bool find_file_offsets(const dataset *of, const shadow *s, const space *file, const list *selected, plan *out)
{
    const bool linear = is_linear(of->layout);
    const size_t cells = cells_of(s->rank, s->dims);
    for (size_t i = 0; i < selected->count; i++) {
        const int64_t *at = selected->at[i];
        for (int d = 0; !linear && d < s->rank; d++)
            if ((hsize_t)at[d] >= s->dims[d])
                return false;
        out->file[i] = offset_of(file->rank, linear ? file->dims : s->dims, at);
        if (out->file[i] >= cells)
            return false;
    }
    return true;
}

static bool is_moved(const space *s)
{
    bool moved = false;
    for (int d = 0; d < s->rank; d++)
        moved = moved || s->offset[d] != 0;
    return s->place == SIMPLE && moved;
}

/* Native HDF5 takes a point one behind the extent for one inside. */
static bool has_points(const space *s)
{
    return s->place == SIMPLE && s->pick == PICK_POINTS;
}

/* Where native HDF5 has faults of its own:
 * - A memory dataspace with an offset is used correctly with a contiguous or compact dataset of the same rank alone.
 * - All of another extent is not found in a chunked dataset if the chunks are numbered otherwise in that extent.
 * - A null file dataspace with nothing of memory is refused by chunked datasets.
 * - Variable text that is written twice in a call is freed twice.
 * - In virtual datasets offsets are ignored, points fail, and what is written is not converted. Variable text that is
 *   written crashes. */
static bool native_is_right(const trial *t, const trial_step *s, const shadow *of, const space *file,
                            const space *memory)
{
    const layout l = t->set[s->set].layout;
    if (s->kind == WRITE && t->element == VARIABLE_TEXT && has_points(file))
        return false;
    if (is_moved(memory) && s->memory.place != ALL_ID && (!is_linear(l) || file->rank != memory->rank))
        return false;
    if (!is_linear(l) && ((is_moved(memory) && space_is_all(memory)) || file->place == NULL_SPACE))
        return false;
    if (!is_linear(l) && space_is_all(file) && (l == VIRTUAL || of->rank > 1) &&
        memcmp(file->dims, of->dims, (size_t)of->rank * sizeof *of->dims) != 0)
        return false;
    if (l != VIRTUAL)
        return true;
    if (is_moved(file) || is_moved(memory) || has_points(file) || has_points(memory))
        return false;
    return s->kind == READ || element_is_unchanged(t, s->memory_type);
}

/* The special ids as dataspaces. */
static space file_space(const trial_step *s, const shadow *of)
{
    space all = {.place = of->rank ? SIMPLE : SCALAR, .rank = of->rank, .pick = PICK_ALL};
    memcpy(all.dims, of->dims, sizeof all.dims);
    return s->file.place == ALL_ID ? all : s->file;
}

static space memory_space(const trial_step *s, const space *file, size_t count)
{
    space line = {.place = SIMPLE, .rank = 1, .dims = {count}, .pick = PICK_ALL};
    return s->memory.place == ALL_ID ? *file : s->memory.place == BLOCK_ID ? line : s->memory;
}

/* Texts that are read to one place twice: the first one would be nobody's. */
static bool loses_texts(const trial *t, const trial_step *s, const plan *p)
{
    static bool seen[CELLS_MAX];
    memset(seen, 0, sizeof seen);
    bool twice = false;
    for (size_t i = 0; i < p->count; i++) {
        twice = twice || seen[p->memory[i]];
        seen[p->memory[i]] = true;
    }
    return twice && s->kind == READ && t->element == VARIABLE_TEXT;
}

static void check_mapped(const trial_step *s, const shadow *of, plan *out)
{
    for (size_t i = 0; s->kind == WRITE && i < out->count; i++)
        if (!of->mapped[out->file[i]])
            end(out, REFUSED, "elements that no source has");
}

void plan_make(const trial *t, const trial_step *s, const shadow *of, plan *out)
{
    static list files, memories;
    const dataset *set = &t->set[s->set];
    const space file = file_space(s, of);
    space_list(&file, &files);
    const space memory = memory_space(s, &file, files.count);
    space_list(&memory, &memories);
    out->cells = memory.place == SIMPLE ? cells_of(memory.rank, memory.dims) : memory.place == SCALAR;
    out->count = 0;
    out->ask_native = native_is_right(t, s, of, &file, &memory);
    end(out, WORKS, "");
    if (space_loss(&file) == WAS_LOSSY || space_loss(&memory) == WAS_LOSSY)
        return end(out, UNKNOWN, "");
    if (space_loss(&file) == LOSSY || space_loss(&memory) == LOSSY)
        return end(out, UNSAFE, "a selection that HDF5 describes wrongly");
    if (!files.valid)
        return end(out, has_points(&file) ? UNSAFE : REFUSED, "the file selection lies outside its dataspace");
    if (!memories.valid)
        return end(out, has_points(&memory) ? UNSAFE : REFUSED, "the memory selection lies outside its dataspace");
    if (files.count != memories.count)
        return end(out, REFUSED, "the selections differ in their number of elements");
    if (file.place == UNSET || memory.place == UNSET)
        return end(out, REFUSED, "a dataspace without extent");
    if (files.count == 0)
        return;
    if (!is_linear(set->layout) && file.rank != of->rank)
        return end(out, UNSAFE, "a file dataspace of another rank");
    if (!find_file_offsets(set, of, &file, &files, out))
        return end(out, UNSAFE, "the file selection leaves the dataset");
    out->count = files.count;
    for (size_t i = 0; i < files.count; i++)
        out->memory[i] = memory.place == SCALAR ? 0 : offset_of(memory.rank, memory.dims, memories.at[i]);
    check_mapped(s, of, out);
    if (loses_texts(t, s, out))
        end(out, UNKNOWN, "");
}
