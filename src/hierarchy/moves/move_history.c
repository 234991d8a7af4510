/* move_history.c - see moves.h: what the log has, in its order, becomes objects and places. */
#include "hierarchy/moves/moves_internal.h"
#include <stdio.h>
#include <stdlib.h>

static void free_place(void *value)
{
    free(((vz_moves_place *)value)->intervals);
    free(value);
}

vz_moves *vz_moves_new(vz_error *err)
{
    vz_moves *moves = calloc(1, sizeof *moves);
    if (moves && (moves->root = calloc(1, sizeof *moves->root)))
        return moves;
    free(moves);
    vz_fail_memory(err);
    return NULL;
}

void vz_moves_free(vz_moves *moves)
{
    if (!moves)
        return;
    for (vz_moves_object *t = moves->objects, *next; t; t = next) {
        next = t->next;
        vz_strmap_free(t->places, free_place);
        free(t->name);
        free(t);
    }
    for (size_t i = 0; i < moves->count; i++) {
        free(moves->all[i].from);
        free(moves->all[i].to);
    }
    vz_strmap_free(moves->root->places, free_place);
    free(moves->root);
    free(moves->all);
    free(moves->gone);
    free(moves);
}

void vz_moves_keep(vz_moves *moves, bool all)
{
    moves->keeps_all = all;
}

/* ---- places ---- */

static vz_moves_place *place_in(vz_moves_object *group, const char *name, vz_error *err)
{
    if (!group->places && !(group->places = vz_strmap_new())) {
        vz_fail_memory(err);
        return NULL;
    }
    vz_moves_place *p = vz_strmap_get(group->places, name);
    if (p || !(p = calloc(1, sizeof *p)))
        return p ? p : (vz_fail_memory(err), NULL);
    if (vz_strmap_put(group->places, name, p, err))
        return p;
    free(p);
    return NULL;
}

static vz_moves_interval *last_interval(const vz_moves_place *p)
{
    return p->count ? &p->intervals[p->count - 1] : NULL;
}

static bool is_empty(const vz_moves_place *p)
{
    return !p->count || last_interval(p)->until != VZ_STILL;
}

/* The object is there from now on. */
static bool occupy(vz_moves_place *p, vz_moves_object *t, vz_error *err)
{
    if (!is_empty(p)) {
        t->same = last_interval(p)->object;
        return true;
    }
    if (p->count == p->capacity) {
        const size_t capacity = p->capacity ? 2 * p->capacity : 1;
        vz_moves_interval *intervals = realloc(p->intervals, capacity * sizeof *intervals);
        if (!intervals)
            return vz_fail_memory(err);
        p->intervals = intervals;
        p->capacity = capacity;
    }
    p->intervals[p->count++] = (vz_moves_interval){VZ_STILL, t};
    return true;
}

static vz_moves_object *new_object(vz_moves *moves, vz_moves_object *above, const char *name, vz_error *err)
{
    vz_moves_object *t = calloc(1, sizeof *t);
    if (!t || !(t->name = strdup(name))) {
        free(t);
        vz_fail_memory(err);
        return NULL;
    }
    t->above = above;
    t->next = moves->objects;
    return moves->objects = t;
}

/* The object in a place now. */
static vz_moves_object *thing_in(vz_moves *moves, vz_moves_object *group, const char *name, vz_error *err)
{
    vz_moves_place *p = place_in(group, name, err);
    if (!p || !is_empty(p))
        return p ? last_interval(p)->object : NULL;
    vz_moves_object *t = new_object(moves, group, name, err);
    return t && occupy(p, t, err) ? t : NULL;
}

/* The group that a path lies in, and in *last the last part of `copy`, which is written to. */
static vz_moves_object *group_of(vz_moves *moves, vz_moves_object *top, char *copy, uint64_t number, bool leaves,
                                 const char **last, vz_error *err)
{
    vz_moves_object *group = top;
    char *rest = copy, *part;
    *last = NULL;
    while (group && (part = strsep(&rest, "/"))) {
        if (!*part)
            continue;
        if (*last && (group = thing_in(moves, group, *last, err)))
            group->touched = number, group->was_left |= leaves;
        *last = part;
    }
    return group;
}

/* ---- adding ---- */

static bool was_deleted_last(const vz_moves *moves, const vz_moves_interval *s)
{
    return s->object->deleted && !s->object->comes_back && moves->all[s->object->deleted - 1].number == s->until;
}

/* Of entries of deletions below what is deleted now nothing depends, unless something else came
 * to the place after. */
static void forget_below(vz_moves *moves, const vz_moves_object *group)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (group->places && vz_strmap_next(group->places, &cursor, &name, &value)) {
        const vz_moves_interval *last = last_interval(value);
        if (last && last->until == VZ_STILL)
            forget_below(moves, last->object);
        else if (last && was_deleted_last(moves, last))
            moves->all[last->object->deleted - 1].is_needed = false;
    }
}

/* `index`: its place in `all`. An object deleted there before needs no entry of its own: no other
 * came there since. */
static bool delete_in(vz_moves *moves, vz_moves_object *group, const char *name, size_t index, vz_error *err)
{
    const uint64_t number = moves->all[index].number;
    vz_moves_place *p = place_in(group, name, err);
    vz_moves_interval *last = p ? last_interval(p) : NULL;
    if (!p)
        return false;
    if (last && is_empty(p) && was_deleted_last(moves, last) && !moves->keeps_all) {
        moves->all[last->object->deleted - 1].is_needed = false;
    } else {
        if (!thing_in(moves, group, name, err))
            return false;
        last = last_interval(p);
        if (!moves->keeps_all)
            forget_below(moves, last->object);
        if (!moves->keeps_all && p->count > 1 && !last->object->was_left && was_deleted_last(moves, last - 1))
            moves->all[last[-1].object->deleted - 1].is_needed = false;
    }
    last->until = number;
    last->object->deleted = index + 1;
    last->object->above = NULL;
    moves->gone[index] = last->object;
    return true;
}

/* Is a move the way back of the one that brought the object where it is, while nothing happened
 * at either end? */
static bool goes_back(const vz_moves *moves, const vz_moves_record *m, const vz_moves_object *t,
                      const vz_moves_place *to)
{
    const vz_moves_interval *last = last_interval(to);
    const vz_moves_record *before = t->came ? &moves->all[t->came - 1] : NULL;
    return before && before->to && last && last->object == t && last->until == before->number &&
           t->touched <= before->number && strcmp(before->from, m->to) == 0 && strcmp(before->to, m->from) == 0;
}

/* The object, which left its place, is at the new one. */
static bool arrive(vz_moves *moves, vz_moves_object *t, const vz_moves_record *m, vz_error *err)
{
    const char *last = NULL;
    char *copy = strdup(m->to), *fresh = NULL;
    vz_moves_object *above = copy ? group_of(moves, moves->root, copy, m->number, false, &last, err) : NULL;
    vz_moves_place *p = above && last ? place_in(above, last, err) : NULL;
    if (p && !moves->keeps_all && goes_back(moves, m, t, p))
        moves->all[t->came - 1].is_needed = false;
    const bool ok = copy && (!last || (p && (fresh = strdup(last)) && occupy(p, t, err)));
    if (ok && last) {
        free(t->name);
        t->name = fresh;
        t->above = above;
        t->came = moves->count; /* it is the last one */
        t->deleted = 0;
    } else {
        free(fresh);
    }
    free(copy);
    return ok || vz_fail_memory(err);
}

static bool move_to(vz_moves *moves, vz_moves_object *group, const char *name, const vz_moves_record *m, vz_error *err)
{
    vz_moves_object *t = thing_in(moves, group, name, err);
    if (!t)
        return false;
    /* first, so that nothing moves into itself */
    last_interval(place_in(group, name, NULL))->until = m->number;
    return arrive(moves, t, m, err);
}

static bool append(vz_moves *moves, const vz_moves_record *m, vz_error *err)
{
    if (moves->count == moves->capacity) {
        const size_t capacity = moves->capacity ? 2 * moves->capacity : 16;
        vz_moves_record *all = realloc(moves->all, capacity * sizeof *all);
        if (!all)
            return vz_fail_memory(err);
        moves->all = all;
        vz_moves_object **gone = realloc(moves->gone, capacity * sizeof *gone);
        if (!gone)
            return vz_fail_memory(err);
        moves->gone = gone;
        moves->capacity = capacity;
    }
    moves->gone[moves->count] = NULL;
    moves->all[moves->count++] = *m;
    return true;
}

/* The deleted object that a path below VZ_NOWHERE names: *rest is the path behind it. NULL:
 * none. */
static vz_moves_object *find_gone(const vz_moves *moves, const char *path, const char **rest)
{
    char *from;
    const uint64_t number = strtoull(path + strlen(VZ_NOWHERE), &from, 10);
    size_t low = 0, high = moves->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (moves->all[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < moves->count && moves->all[low].number == number; low++) {
        const size_t length = strlen(moves->all[low].from);
        *rest = from + length;
        if (moves->gone[low] && strncmp(from, moves->all[low].from, length) == 0 && (!**rest || **rest == '/'))
            return moves->gone[low];
    }
    return NULL;
}

bool vz_moves_is_nowhere(const char *path)
{
    return strncmp(path, VZ_NOWHERE, strlen(VZ_NOWHERE)) == 0;
}

const char *vz_moves_path_before_deletion(const char *path)
{
    const char *number = path + strlen(VZ_NOWHERE);
    return number + strspn(number, "0123456789");
}

static bool add(vz_moves *moves, const vz_moves_record *m, vz_error *err)
{
    const char *rest = m->from, *last = NULL;
    vz_moves_object *top = vz_moves_is_nowhere(m->from) ? find_gone(moves, m->from, &rest) : moves->root;
    if (!top || (top->deleted && !m->to))
        return true;
    top->comes_back = top->comes_back || top->deleted;
    if (top != moves->root && !*rest)
        return arrive(moves, top, m, err);
    char *copy = strdup(rest);
    if (!copy)
        return vz_fail_memory(err);
    vz_moves_object *group = group_of(moves, top, copy, m->number, m->to != NULL, &last, err);
    const bool ok =
        group &&
        (!last || (m->to ? move_to(moves, group, last, m, err) : delete_in(moves, group, last, moves->count - 1, err)));
    free(copy);
    return ok;
}

bool vz_moves_add(vz_moves *moves, uint64_t number, const char *from, const char *to, vz_error *err)
{
    const vz_moves_record m = {number, strdup(from), to ? strdup(to) : NULL, true};
    if (m.from && (m.to || !to) && append(moves, &m, err))
        return add(moves, &m, err);
    free(m.from);
    free(m.to);
    return vz_fail_memory(err);
}

uint64_t vz_moves_last(const vz_moves *moves)
{
    return moves->count ? moves->all[moves->count - 1].number : 0;
}

const vz_moves_record *vz_moves_all(const vz_moves *moves, size_t *count)
{
    *count = moves->count;
    return moves->all;
}
