/* moves.c - see moves.h. Things are the objects that moves tell of, and the groups above them. Each place in a thing, a
 * name, knows which things were there from which move until which other one. So a path is followed part by part as of
 * its moment, and where the last known thing on it is now is told by the things above that one now. What no move tells
 * of stays in its place, and needs no thing. Notes that are not needed may be missing, and then things seem to move to
 * where others are: from then on both are the same thing. */
#include "zarr/moves.h"
#include "util/strmap.h"
#include "zarr/node.h"
#include <stdio.h>
#include <stdlib.h>

#define STILL     UINT64_MAX
#define SAMES_MAX 512 /* things that are the same; more are nowhere */

typedef struct thing {
    struct thing *above; /* now; NULL: the root, or deleted */
    char *name;          /* there */
    struct thing *same;  /* it came to where that one was; NULL: it did not */
    size_t came;         /* by the move at that place in `all`, and one; 0: nobody told */
    size_t deleted;      /* the same of its deletion */
    uint64_t touched;    /* number of the last move below it */
    bool was_left;       /* something moved away from below it */
    bool comes_back;     /* the same after it was deleted: the note of that is needed */
    vz_strmap *places;   /* name -> place; NULL: none */
    struct thing *next;  /* of all */
} thing;

typedef struct stay {
    uint64_t until; /* before that move */
    thing *thing;
} stay;

typedef struct place {
    stay *stays; /* one after the other */
    size_t count, capacity;
} place;

struct vz_moves {
    thing *root, *things;
    vz_move *all;
    thing **gone; /* of each of them: what it deleted */
    size_t count, capacity;
    bool keeps_all;
};

static void free_place(void *value)
{
    free(((place *)value)->stays);
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
    for (thing *t = moves->things, *next; t; t = next) {
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

static place *place_in(thing *group, const char *name, vz_error *err)
{
    if (!group->places && !(group->places = vz_strmap_new())) {
        vz_fail_memory(err);
        return NULL;
    }
    place *p = vz_strmap_get(group->places, name);
    if (p || !(p = calloc(1, sizeof *p)))
        return p ? p : (vz_fail_memory(err), NULL);
    if (vz_strmap_put(group->places, name, p, err))
        return p;
    free(p);
    return NULL;
}

static stay *last_stay(const place *p)
{
    return p->count ? &p->stays[p->count - 1] : NULL;
}

static bool is_empty(const place *p)
{
    return !p->count || last_stay(p)->until != STILL;
}

/* The thing is there from now on. */
static bool take_place(place *p, thing *t, vz_error *err)
{
    if (!is_empty(p)) {
        t->same = last_stay(p)->thing;
        return true;
    }
    if (p->count == p->capacity) {
        const size_t capacity = p->capacity ? 2 * p->capacity : 1;
        stay *stays = realloc(p->stays, capacity * sizeof *stays);
        if (!stays)
            return vz_fail_memory(err);
        p->stays = stays;
        p->capacity = capacity;
    }
    p->stays[p->count++] = (stay){STILL, t};
    return true;
}

static thing *new_thing(vz_moves *moves, thing *above, const char *name, vz_error *err)
{
    thing *t = calloc(1, sizeof *t);
    if (!t || !(t->name = strdup(name))) {
        free(t);
        vz_fail_memory(err);
        return NULL;
    }
    t->above = above;
    t->next = moves->things;
    return moves->things = t;
}

/* What is in a place now. */
static thing *thing_in(vz_moves *moves, thing *group, const char *name, vz_error *err)
{
    place *p = place_in(group, name, err);
    if (!p || !is_empty(p))
        return p ? last_stay(p)->thing : NULL;
    thing *t = new_thing(moves, group, name, err);
    return t && take_place(p, t, err) ? t : NULL;
}

/* The group that a path lies in, and in *last the last part of `copy`, which is written to. */
static thing *group_of(vz_moves *moves, thing *top, char *copy, uint64_t number, bool leaves, const char **last,
                       vz_error *err)
{
    thing *group = top;
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

static bool was_deleted_last(const vz_moves *moves, const stay *s)
{
    return s->thing->deleted && !s->thing->comes_back && moves->all[s->thing->deleted - 1].number == s->until;
}

/* Of notes of deletions below what is deleted now nothing depends, unless something else came to the place after. */
static void forget_below(vz_moves *moves, const thing *group)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (group->places && vz_strmap_next(group->places, &cursor, &name, &value)) {
        const stay *last = last_stay(value);
        if (last && last->until == STILL)
            forget_below(moves, last->thing);
        else if (last && was_deleted_last(moves, last))
            moves->all[last->thing->deleted - 1].is_needed = false;
    }
}

/* `index`: its place in `all`. What was deleted there before needs no note of its own: nobody else came there since. */
static bool delete_in(vz_moves *moves, thing *group, const char *name, size_t index, vz_error *err)
{
    const uint64_t number = moves->all[index].number;
    place *p = place_in(group, name, err);
    stay *last = p ? last_stay(p) : NULL;
    if (!p)
        return false;
    if (last && is_empty(p) && was_deleted_last(moves, last) && !moves->keeps_all) {
        moves->all[last->thing->deleted - 1].is_needed = false;
    } else {
        if (!thing_in(moves, group, name, err))
            return false;
        last = last_stay(p);
        if (!moves->keeps_all)
            forget_below(moves, last->thing);
        if (!moves->keeps_all && p->count > 1 && !last->thing->was_left && was_deleted_last(moves, last - 1))
            moves->all[last[-1].thing->deleted - 1].is_needed = false;
    }
    last->until = number;
    last->thing->deleted = index + 1;
    last->thing->above = NULL;
    moves->gone[index] = last->thing;
    return true;
}

/* Is a move the way back of the one that brought the thing where it is, while nothing happened at either end? */
static bool goes_back(const vz_moves *moves, const vz_move *m, const thing *t, const place *to)
{
    const stay *last = last_stay(to);
    const vz_move *before = t->came ? &moves->all[t->came - 1] : NULL;
    return before && before->to && last && last->thing == t && last->until == before->number &&
           t->touched <= before->number && strcmp(before->from, m->to) == 0 && strcmp(before->to, m->from) == 0;
}

/* The thing, which left its place, is at the new one. */
static bool arrive(vz_moves *moves, thing *t, const vz_move *m, vz_error *err)
{
    const char *last = NULL;
    char *copy = strdup(m->to), *fresh = NULL;
    thing *above = copy ? group_of(moves, moves->root, copy, m->number, false, &last, err) : NULL;
    place *p = above && last ? place_in(above, last, err) : NULL;
    if (p && !moves->keeps_all && goes_back(moves, m, t, p))
        moves->all[t->came - 1].is_needed = false;
    const bool ok = copy && (!last || (p && (fresh = strdup(last)) && take_place(p, t, err)));
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

static bool move_to(vz_moves *moves, thing *group, const char *name, const vz_move *m, vz_error *err)
{
    thing *t = thing_in(moves, group, name, err);
    if (!t)
        return false;
    last_stay(place_in(group, name, NULL))->until = m->number; /* first, so that nothing moves into itself */
    return arrive(moves, t, m, err);
}

static bool append(vz_moves *moves, const vz_move *m, vz_error *err)
{
    if (moves->count == moves->capacity) {
        const size_t capacity = moves->capacity ? 2 * moves->capacity : 16;
        vz_move *all = realloc(moves->all, capacity * sizeof *all);
        if (!all)
            return vz_fail_memory(err);
        moves->all = all;
        thing **gone = realloc(moves->gone, capacity * sizeof *gone);
        if (!gone)
            return vz_fail_memory(err);
        moves->gone = gone;
        moves->capacity = capacity;
    }
    moves->gone[moves->count] = NULL;
    moves->all[moves->count++] = *m;
    return true;
}

/* What a path below VZ_NOWHERE names: *rest follows what was deleted. NULL: nothing that was. */
static thing *find_gone(const vz_moves *moves, const char *path, const char **rest)
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

bool vz_path_is_nowhere(const char *path)
{
    return strncmp(path, VZ_NOWHERE, strlen(VZ_NOWHERE)) == 0;
}

static bool add(vz_moves *moves, const vz_move *m, vz_error *err)
{
    const char *rest = m->from, *last = NULL;
    thing *top = vz_path_is_nowhere(m->from) ? find_gone(moves, m->from, &rest) : moves->root;
    if (!top || (top->deleted && !m->to))
        return true;
    top->comes_back = top->comes_back || top->deleted;
    if (top != moves->root && !*rest)
        return arrive(moves, top, m, err);
    char *copy = strdup(rest);
    if (!copy)
        return vz_fail_memory(err);
    thing *group = group_of(moves, top, copy, m->number, m->to != NULL, &last, err);
    const bool ok =
        group &&
        (!last || (m->to ? move_to(moves, group, last, m, err) : delete_in(moves, group, last, moves->count - 1, err)));
    free(copy);
    return ok;
}

bool vz_moves_add(vz_moves *moves, uint64_t number, const char *from, const char *to, vz_error *err)
{
    const vz_move m = {number, strdup(from), to ? strdup(to) : NULL, true};
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

const vz_move *vz_moves_all(const vz_moves *moves, size_t *count)
{
    *count = moves->count;
    return moves->all;
}

/* ---- following ---- */

/* The first that left after that moment: if it was not there yet, it is as good as what nobody told of. */
static const stay *stay_at(const place *p, uint64_t since)
{
    size_t low = 0, high = p->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->stays[middle].until <= since)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->count ? &p->stays[low] : NULL;
}

/* The thing of that name in another one, or in what is the same. */
static const thing *thing_below(const thing *t, const char *name, uint64_t since)
{
    for (unsigned i = 0; t && i < SAMES_MAX; t = t->same, i++) {
        const place *p = t->places ? vz_strmap_get(t->places, name) : NULL;
        const stay *found = p ? stay_at(p, since) : NULL;
        if (found)
            return found->thing;
    }
    return NULL;
}

/* The thing that is farthest down a path of that moment; *rest: what follows it. */
static const thing *thing_at(const vz_moves *moves, char *path, uint64_t since, char **rest)
{
    const thing *t = moves->root;
    char *part = path;
    for (;;) {
        part += strspn(part, "/");
        *rest = part;
        char *end = part + strcspn(part, "/");
        const char kept = *end;
        *end = '\0';
        const thing *below = *part ? thing_below(t, part, since) : NULL;
        *end = kept;
        if (!below)
            return t;
        t = below;
        part = end;
    }
}

static const thing *last_of_same(const thing *t)
{
    for (unsigned i = 0; t->same && i < SAMES_MAX; i++)
        t = t->same;
    return t;
}

/* "/a/b" of the thing and what follows. Deeper than any group: nowhere. */
static char *path_now(const vz_moves *moves, const thing *t, const char *rest, vz_error *err)
{
    const thing *way[VZ_MAX_DEPTH];
    size_t depth = 0;
    vz_buffer text = {0};
    bool ok = true;
    for (t = last_of_same(t); t != moves->root && !t->deleted && depth < VZ_MAX_DEPTH; t = last_of_same(t->above))
        way[depth++] = t;
    if (t->deleted) {
        const vz_move *m = &moves->all[t->deleted - 1];
        ok = vz_buffer_printf(&text, err, VZ_NOWHERE "%llu%s", (unsigned long long)m->number, m->from);
    } else if (t != moves->root) {
        ok = vz_buffer_printf(&text, err, VZ_NOWHERE);
    }
    while (ok && depth > 0)
        ok = vz_buffer_printf(&text, err, "/%s", way[--depth]->name);
    if (ok && (*rest || text.size == 0))
        ok = vz_buffer_printf(&text, err, "/%s", rest);
    if (ok && vz_buffer_append(&text, "", 1, err))
        return (char *)text.data;
    vz_buffer_clear(&text);
    return NULL;
}

char *vz_moves_follow(const vz_moves *moves, const char *path, uint64_t since, vz_error *err)
{
    char *copy = strdup(path), *rest, *now;
    if (!copy) {
        vz_fail_memory(err);
        return NULL;
    }
    const thing *t = thing_at(moves, copy, since, &rest);
    if (t == moves->root && !t->deleted)
        return copy; /* nothing on it ever went anywhere */
    now = path_now(moves, t, rest, err);
    free(copy);
    return now;
}
