/* run.c - the steps of a case on both sides, each compared with its plan. */
#include "run.h"

#include <stdarg.h>

typedef struct run {
    const trial *t;
    side side[2]; /* ours, native */
    shadow of[SETS];
    char *message;
    size_t size;
} run;

/* One transfer of a call, on one side. */
typedef struct part {
    const trial_step *step;
    const plan *plan;
    const shadow *of;
    buffer memory;
    hid_t type, memory_space, file_space;
} part;

static bool __attribute__((format(printf, 2, 3))) fail(run *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->message, r->size, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- memory ---- */

static value written(const trial_step *s, size_t cell)
{
    return element_numbered((s->values + (int)cell * 7) % VALUES);
}

static void part_open(part *p, const run *r)
{
    const trial_step *s = p->step;
    const size_t size = element_size(r->t, s->memory_type);
    buffer_open(&p->memory, p->plan->cells * size, s->at_end);
    for (size_t i = 0; i < p->plan->cells; i++)
        element_put(r->t, s->memory_type, s->kind == WRITE ? written(s, i) : element_numbered(GUARD),
                    p->memory.bytes + i * size);
    p->type = element_memory_type(r->t, s->memory_type);
    p->file_space = space_id(&s->file);
    p->memory_space = space_id(&s->memory);
}

static void part_close(part *p)
{
    buffer_close(&p->memory);
    H5Tclose(p->type);
    if (p->file_space != H5S_ALL)
        H5Sclose(p->file_space);
    if (p->memory_space != H5S_ALL && p->memory_space != H5S_BLOCK)
        H5Sclose(p->memory_space);
}

/* The elements that memory should have. */
static void expect(const run *r, const part *p, bool works, value *cells)
{
    for (size_t i = 0; i < p->plan->cells; i++)
        cells[i] = p->step->kind == WRITE ? written(p->step, i) : element_numbered(GUARD);
    for (size_t i = 0; works && p->step->kind == READ && i < p->plan->count; i++)
        cells[p->plan->memory[i]] = p->of->at[p->plan->file[i]];
    (void)r;
}

/* loose: a call for several that failed may have read this one. */
static bool check_memory(run *r, const char *who, const part *p, bool works, bool loose)
{
    static value cells[CELLS_MAX], old[CELLS_MAX];
    char expected[64], seen[64], stored[64];
    const int which = p->step->memory_type;
    const size_t size = element_size(r->t, which);
    if (!buffer_is_whole(&p->memory))
        return fail(r, "%s wrote outside of the buffer", who);
    expect(r, p, works, cells);
    expect(r, p, true, old);
    for (size_t i = 0; i < p->plan->cells; i++) {
        const char *at = p->memory.bytes + i * size;
        if (element_is(r->t, which, cells[i], at) || (loose && element_is(r->t, which, old[i], at)))
            continue;
        element_put(r->t, which, cells[i], stored);
        return fail(r, "%s: element %zu of memory is %s where %s is right", who, i,
                    element_text(r->t, which, at, seen, sizeof seen),
                    element_text(r->t, which, stored, expected, sizeof expected));
    }
    for (size_t i = 0; p->step->kind == READ && i < p->plan->cells; i++)
        element_free(r->t, p->memory.bytes + i * size);
    return true;
}

/* All of the dataset is as it should be. */
static bool check_whole(run *r, int s, int set)
{
    static plan all;
    static trial_step whole;
    whole = (trial_step){.kind = READ, .set = set};
    plan_make(r->t, &whole, &r->of[set], &all);
    part p = {.step = &whole, .plan = &all, .of = &r->of[set]};
    part_open(&p, r);
    const bool went = H5Dread(r->side[s].dataset[set], p.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, p.memory.bytes) >= 0;
    char who[64];
    snprintf(who, sizeof who, "%s, the whole dataset", r->side[s].name);
    const bool ok = went ? check_memory(r, who, &p, true, false) : fail(r, "%s cannot be read", who);
    part_close(&p);
    return ok;
}

/* ---- a call ---- */

static herr_t call(const side *s, const part *parts, int count)
{
    hid_t sets[SETS], types[SETS], memories[SETS], files[SETS];
    void *to[SETS];
    const void *from[SETS];
    for (int i = 0; i < count; i++) {
        sets[i] = s->dataset[parts[i].step->set];
        types[i] = parts[i].type;
        memories[i] = parts[i].memory_space;
        files[i] = parts[i].file_space;
        from[i] = to[i] = parts[i].memory.bytes;
    }
    const bool reading = parts->step->kind == READ;
    if (count == 1)
        return reading ? H5Dread(sets[0], types[0], memories[0], files[0], H5P_DEFAULT, to[0])
                       : H5Dwrite(sets[0], types[0], memories[0], files[0], H5P_DEFAULT, from[0]);
    return reading ? H5Dread_multi((size_t)count, sets, types, memories, files, H5P_DEFAULT, to)
                   : H5Dwrite_multi((size_t)count, sets, types, memories, files, H5P_DEFAULT, from);
}

static bool transfer(run *r, int s, const trial_step *steps, const plan *plans, int count, bool works, const char *why)
{
    part parts[SETS] = {0};
    for (int i = 0; i < count; i++) {
        parts[i] = (part){.step = &steps[i], .plan = &plans[i], .of = &r->of[steps[i].set]};
        part_open(&parts[i], r);
    }
    const bool went = call(&r->side[s], parts, count) >= 0;
    bool ok =
        went == works || fail(r, "%s %s%s%s", r->side[s].name, went ? "did it" : "refused", went ? ": " : "", why);
    for (int i = 0; i < count; i++) {
        ok = ok && check_memory(r, r->side[s].name, &parts[i], works, count > 1 && !works);
        part_close(&parts[i]);
    }
    return ok;
}

static void shadow_write(run *r, const trial_step *s, const plan *p)
{
    value *at = r->of[s->set].at;
    for (size_t i = 0; i < p->count; i++)
        at[p->file[i]] = element_after(r->t, s->memory_type, at[p->file[i]], written(s, p->memory[i]));
}

/* *done: the case cannot go on. */
static bool move(run *r, const trial_step *steps, int count, bool *done)
{
    static plan plans[SETS];
    bool works = true, safe = true, ask = true;
    const char *why = "";
    for (int i = 0; i < count; i++) {
        plan_make(r->t, &steps[i], &r->of[steps[i].set], &plans[i]);
        if (plans[i].verdict == UNKNOWN)
            return true;
        works = works && plans[i].verdict == WORKS;
        safe = safe && plans[i].verdict != UNSAFE;
        ask = ask && plans[i].ask_native && !r->side[1].stale[steps[i].set];
        why = *why ? why : plans[i].why;
    }
    for (int i = 0; i < count; i++) /* native HDF5 closes a dataspace then that it did not make yet */
        ask = ask && (works || count == 1 || steps[i].memory.place != BLOCK_ID);
    ask = ask && safe;
    if (!transfer(r, 0, steps, plans, count, works, why) || (ask && !transfer(r, 1, steps, plans, count, works, why)))
        return false;
    *done = count > 1 && !works && steps->kind == WRITE;
    for (int i = 0; i < count && works && steps->kind == WRITE; i++) {
        shadow_write(r, &steps[i], &plans[i]);
        r->side[1].stale[steps[i].set] = r->side[1].stale[steps[i].set] || !ask;
    }
    bool ok = true;
    for (int i = 0; i < count && ok && !*done && steps->kind == WRITE; i++)
        ok = check_whole(r, 0, steps[i].set) && (r->side[1].stale[steps[i].set] || check_whole(r, 1, steps[i].set));
    return ok;
}

static bool each_side(run *r, const trial_step *s)
{
    if (s->kind == EXTENT && r->t->set[s->set].layout != CHUNKED && r->t->set[s->set].layout != SHARDED)
        return true; /* the case was made smaller */
    for (int i = 0; i < 2; i++) {
        side *on = &r->side[i];
        const bool ok = s->kind == EXTENT ? H5Dset_extent(on->dataset[s->set], s->dims) >= 0 : side_reopen(on, s->set);
        if (!ok)
            return fail(r, "%s refused that", on->name);
    }
    if (s->kind == EXTENT)
        shadow_resize(r->t, &r->of[s->set], s->dims);
    for (int i = 0; i < 2; i++)
        if (!r->side[i].stale[s->set] && !check_whole(r, i, s->set))
            return false;
    return true;
}

static bool steps(run *r)
{
    const trial *t = r->t;
    bool done = false;
    for (int i = 0; i < t->steps && !done; i++) {
        const trial_step *s = &t->step[i];
        const bool both =
            s->kind <= WRITE && i + 1 < t->steps && s[1].joined && s[1].kind == s->kind && s[1].set != s->set;
        const bool ok = s->kind <= WRITE ? move(r, s, both ? 2 : 1, &done) : each_side(r, s);
        if (!ok) {
            const size_t used = strlen(r->message);
            snprintf(r->message + used, r->size - used, " (step %d)", i + 1);
            return false;
        }
        i += both;
    }
    return true;
}

bool trial_run(const trial *t, const char *directory, char *message, size_t size)
{
    static run r;
    r.t = t;
    r.message = message;
    r.size = size;
    bool ok = true;
    for (int i = 0; i < t->sets; i++)
        shadow_create(t, i, &r.of[i]);
    for (int i = 0; i < 2; i++)
        if (!side_open(&r.side[i], t, directory, i == 1))
            ok = fail(&r, "%s cannot make the datasets", r.side[i].name);
    ok = ok && steps(&r);
    for (int i = 0; i < 2; i++)
        side_close(&r.side[i], t);
    if (ok && H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) != 0)
        return fail(&r, "ids are left open");
    return ok;
}
