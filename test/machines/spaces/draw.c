/* draw.c - the case of a number, and cases as text. */
#include "spaces.h"

static void draw_set(dice *d, const trial *t, dataset *s)
{
    do
        s->layout = (layout)roll(d, LAYOUTS);
    while (s->layout == SHARDED && (t->format == 2 || t->element == COMPOUND));
    s->rank = s->layout <= COMPACT && roll(d, 8) == 0 ? 0 : 1 + (int)roll(d, RANK_MAX);
    s->mapping = (int)roll(d, 3);
    s->deflated = roll(d, 4) == 0;
    for (int k = 0; k < s->rank; k++) {
        s->dims[k] = s->layout != VIRTUAL && roll(d, 25) == 0 ? 0 : 2 + roll(d, SIDE_MAX - 2);
        s->chunk[k] = roll(d, 2) ? 1 + roll(d, 4) : s->dims[k] + (s->dims[k] == 0);
    }
}

/* A dataspace of the program's for a dataset that has these dimensions now, and had others. */
static void draw_file(dice *d, int rank, const hsize_t *now, const hsize_t *before, space *s)
{
    *s = (space){.place = ALL_ID};
    const unsigned kind = roll(d, 20);
    if (kind < 4)
        return;
    s->place = rank ? SIMPLE : SCALAR;
    s->rank = rank;
    memcpy(s->dims, kind < 8 ? before : now, sizeof s->dims);
    for (int k = 0; k < rank && kind >= 13; k++) /* 13, 14: smaller, 15, 16: larger, 17: either */
        if (kind < 15 || (kind == 17 && roll(d, 2)))
            s->dims[k] -= s->dims[k] > 1 ? roll(d, (unsigned)s->dims[k]) : 0;
        else if (kind < 18)
            s->dims[k] += roll(d, 3);
    if (kind == 18) {
        s->place = SIMPLE;
        s->rank = 1 + (int)roll(d, RANK_MAX);
        for (int k = 0; k < s->rank; k++)
            s->dims[k] = 1 + roll(d, s->rank == 1 ? 30 : 6);
    }
    if (kind == 19)
        s->place = roll(d, 3) == 0 ? UNSET : roll(d, 2) ? NULL_SPACE : s->place;
    if (s->place == SIMPLE)
        draw_selection(d, s);
    draw_offset(d, s);
}

static void draw_extent(dice *d, const dataset *s, trial_step *out, hsize_t *now)
{
    out->kind = EXTENT;
    for (int k = 0; k < s->rank; k++)
        out->dims[k] = now[k] = roll(d, 3) ? 1 + roll(d, SIDE_MAX) : now[k];
    if (roll(d, 20) == 0)
        out->dims[0] = now[0] = 0;
}

static bool has_chunks(const dataset *s)
{
    return s->layout == CHUNKED || s->layout == SHARDED;
}

static void draw_step(dice *d, const trial *t, int number, hsize_t now[SETS][RANK_MAX], hsize_t before[SETS][RANK_MAX],
                      trial_step *out)
{
    static list selected;
    out->set = (int)roll(d, (unsigned)t->sets);
    const dataset *s = &t->set[out->set];
    const unsigned kind = roll(d, 12);
    if (kind == 0) {
        out->kind = REOPEN;
        return;
    }
    if (kind < 3 && has_chunks(s)) {
        memcpy(before[out->set], now[out->set], sizeof before[0]);
        draw_extent(d, s, out, now[out->set]);
        return;
    }
    out->kind = roll(d, 2) ? READ : WRITE;
    out->at_end = roll(d, 2);
    out->memory_type = roll(d, 2) ? 0 : (int)roll(d, 4);
    out->values = (int)roll(d, VALUES);
    const trial_step *last = number ? &t->step[number - 1] : NULL;
    out->joined =
        t->sets > 1 && last && last->kind == out->kind && last->set != out->set && !last->joined && roll(d, 2);
    draw_file(d, s->rank, now[out->set], before[out->set], &out->file);
    space file = out->file;
    if (file.place == ALL_ID) {
        file = (space){.place = s->rank ? SIMPLE : SCALAR, .rank = s->rank};
        memcpy(file.dims, now[out->set], sizeof file.dims);
    }
    space_list(&file, &selected);
    draw_memory(d, &file, selected.count, &out->memory);
}

void trial_draw(trial *t, uint64_t seed, uint64_t number)
{
    dice d = {seed * 0x2545f4914f6cdd1du + number * 0xd1342543de82ef95u};
    hsize_t now[SETS][RANK_MAX], before[SETS][RANK_MAX];
    *t = (trial){.format = 2 + (int)roll(&d, 2), .element = roll(&d, 2) ? NUMBER : (element)roll(&d, ELEMENTS)};
    t->file_type = (int)roll(&d, 4);
    t->sets = roll(&d, 4) ? 1 : 2;
    for (int i = 0; i < t->sets; i++) {
        draw_set(&d, t, &t->set[i]);
        memcpy(now[i], t->set[i].dims, sizeof now[i]);
        memcpy(before[i], t->set[i].dims, sizeof before[i]);
    }
    t->steps = 1 + (int)roll(&d, STEPS_MAX);
    for (int i = 0; i < t->steps; i++)
        draw_step(&d, t, i, now, before, &t->step[i]);
    if (roll(&d, 3)) { /* most begin with elements */
        t->step[0] = (trial_step){.kind = WRITE, .values = (int)roll(&d, VALUES)};
    }
}

/* ---- as text ---- */

static void print_dims(FILE *to, int rank, const hsize_t *dims)
{
    for (int k = 0; k < rank; k++)
        fprintf(to, "%s%llu", k ? "," : "", (unsigned long long)dims[k]);
}

static void print_step(FILE *to, const trial *t, const trial_step *s)
{
    static const char *const kinds[] = {"read", "write", "extent", "reopen"};
    fprintf(to, "  %s %c", kinds[s->kind], 'a' + s->set);
    if (s->kind == EXTENT) {
        fprintf(to, " {");
        print_dims(to, t->set[s->set].rank, s->dims);
        fprintf(to, "}");
    }
    if (s->kind <= WRITE) {
        fprintf(to, "%s memory type %d%s", s->joined ? " in one call with the last," : "", s->memory_type,
                s->at_end ? ", at the end of its memory" : "");
        fprintf(to, "\n    file   ");
        space_print(to, &s->file);
        fprintf(to, "\n    memory ");
        space_print(to, &s->memory);
    }
    fprintf(to, "\n");
}

void trial_print(FILE *to, const trial *t)
{
    static const char *const layouts[] = {"contiguous", "compact", "chunked", "sharded", "virtual"};
    static const char *const elements[] = {"number", "compound", "fixed text", "variable text"};
    fprintf(to, "  format %d, %s, file type %d\n", t->format, elements[t->element], t->file_type);
    for (int i = 0; i < t->sets; i++) {
        const dataset *s = &t->set[i];
        fprintf(to, "  dataset %c: %s {", 'a' + i, layouts[s->layout]);
        print_dims(to, s->rank, s->dims);
        fprintf(to, "}");
        if (s->layout >= CHUNKED) {
            fprintf(to, " chunks {");
            print_dims(to, s->rank, s->chunk);
            fprintf(to, "}%s", s->deflated ? " deflated" : "");
        }
        if (s->layout == VIRTUAL)
            fprintf(to, " mapping %d", s->mapping);
        fprintf(to, "\n");
    }
    for (int i = 0; i < t->steps; i++)
        print_step(to, t, &t->step[i]);
}
