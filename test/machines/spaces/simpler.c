/* simpler.c - a case made smaller, one thing at a time. */
#include "spaces.h"

enum { ITEMS = POINTS_MAX };

/* Changes one thing of a step, or of the case; false: there is nothing to change. */
typedef bool (*change)(trial *t, int step, int item);

static bool set_int(int *what, int to)
{
    const bool changed = *what != to;
    *what = to;
    return changed;
}

static bool set_bool(bool *what, bool to)
{
    const bool changed = *what != to;
    *what = to;
    return changed;
}

static bool drop_step(trial *t, int step, int item)
{
    if (item || t->steps < 2)
        return false;
    t->steps--;
    memmove(&t->step[step], &t->step[step + 1], (size_t)(t->steps - step) * sizeof *t->step);
    return true;
}

static bool drop_set(trial *t, int step, int item)
{
    bool used = step || item || t->sets < 2;
    for (int i = 0; i < t->steps; i++)
        used = used || t->step[i].set == 1;
    return !used && set_int(&t->sets, 1);
}

static bool is_transfer(const trial *t, int step)
{
    return t->step[step].kind <= WRITE;
}

static bool plain_element(trial *t, int step, int item)
{
    if (step)
        return false;
    if (item == 0 && t->element != NUMBER) {
        t->element = NUMBER;
        return true;
    }
    return (item == 1 && set_int(&t->file_type, 0)) || (item == 2 && set_int(&t->format, 3));
}

static bool plain_layout(trial *t, int step, int item)
{
    static const layout layouts[] = {CHUNKED, CONTIGUOUS};
    if (step >= t->sets || item > 2)
        return false;
    dataset *s = &t->set[step];
    if (item == 2)
        return set_bool(&s->deflated, false);
    if (s->rank == 0 || (int)s->layout <= (int)layouts[item])
        return false;
    s->layout = layouts[item];
    return true;
}

static bool plain_step(trial *t, int step, int item)
{
    step_kind kind = t->step[step].kind;
    trial_step *s = &t->step[step];
    if (kind > WRITE)
        return false;
    return (item == 0 && set_int(&s->memory_type, 0)) || (item == 1 && set_bool(&s->joined, false)) ||
           (item == 2 && set_bool(&s->at_end, true)) || (item == 3 && set_int(&s->values, 0));
}

static bool without_offset(space *s)
{
    static const hssize_t none[RANK_MAX];
    const bool changed = memcmp(s->offset, none, sizeof none) != 0;
    memset(s->offset, 0, sizeof s->offset);
    return changed;
}

static bool plain_offset(trial *t, int step, int item)
{
    return is_transfer(t, step) &&
           ((item == 0 && without_offset(&t->step[step].file)) || (item == 1 && without_offset(&t->step[step].memory)));
}

static bool plain_space(trial *t, int step, int item)
{
    space *file = &t->step[step].file, *memory = &t->step[step].memory;
    if (!is_transfer(t, step) || item > 4 || (file->place == ALL_ID && memory->place == ALL_ID))
        return false;
    if (item == 0)
        *file = *memory = (space){.place = ALL_ID};
    else if (item == 1 && file->place != ALL_ID)
        *file = (space){.place = ALL_ID};
    else if (item < 4 && memory->place != ALL_ID && memory->place != (item == 2 ? ALL_ID : BLOCK_ID))
        *memory = (space){.place = item == 2 ? ALL_ID : BLOCK_ID};
    else if (item == 4 && file->place == SIMPLE && file->pick != PICK_ALL)
        file->pick = PICK_ALL;
    else
        return false;
    return true;
}

static bool drop_item(space *s, int item)
{
    if (s->place != SIMPLE || s->pick < PICK_SLABS || item >= s->used || s->used < 2)
        return false;
    s->used--;
    if (s->pick == PICK_SLABS)
        memmove(&s->slabs[item], &s->slabs[item + 1], (size_t)(s->used - item) * sizeof *s->slabs);
    else
        memmove(s->points[item], s->points[item + 1], (size_t)(s->used - item) * sizeof *s->points);
    return true;
}

/* With as many elements in memory as are left. */
static bool drop_file_item(trial *t, int step, int item)
{
    if (!is_transfer(t, step) || !drop_item(&t->step[step].file, item))
        return false;
    if (t->step[step].memory.place != ALL_ID)
        t->step[step].memory = (space){.place = BLOCK_ID};
    return true;
}

static bool drop_both(trial *t, int step, int item)
{
    return is_transfer(t, step) && drop_item(&t->step[step].file, item) && drop_item(&t->step[step].memory, item);
}

static const change changes[] = {drop_step,  drop_set,     plain_element, plain_layout,  plain_space,
                                 plain_step, plain_offset, drop_both,     drop_file_item};

bool trial_simpler(const trial *t, int *from, trial *out)
{
    const int count = (int)(sizeof changes / sizeof *changes) * STEPS_MAX * ITEMS;
    while (*from < count) {
        const int number = (*from)++, step = number / ITEMS % STEPS_MAX;
        *out = *t;
        if (step < t->steps && changes[number / ITEMS / STEPS_MAX](out, step, number % ITEMS))
            return true;
    }
    return false;
}
