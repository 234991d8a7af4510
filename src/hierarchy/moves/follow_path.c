/* follow_path.c - a path of some moment is followed part by part as of that moment; the objects
 * above the last known one give its present path. */
#include "hierarchy/moves/moves_internal.h"
#include "base/util/memory_budget.h"
#include <stdlib.h>

#define SAMES_MAX 512 /* objects that are one; more are nowhere */

/* The first object that left after that moment. If it was not there yet, it counts as not moved. */
static const vz_moves_interval *interval_at(const vz_moves_place *p, uint64_t since)
{
    size_t low = 0, high = p->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->intervals[middle].until <= since)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->count ? &p->intervals[low] : NULL;
}

/* The object of that name in another one, or in what is the same. */
static const vz_moves_object *thing_below(const vz_moves_object *t, const char *name, uint64_t since)
{
    for (unsigned i = 0; t && i < SAMES_MAX; t = t->same, i++) {
        const vz_moves_place *p = t->places ? vz_strmap_get(t->places, name) : NULL;
        const vz_moves_interval *found = p ? interval_at(p, since) : NULL;
        if (found)
            return found->object;
    }
    return NULL;
}

/* The object that is farthest down a path of that moment; *rest: what follows it. */
static const vz_moves_object *thing_at(const vz_moves *moves, char *path, uint64_t since, char **rest)
{
    const vz_moves_object *t = moves->root;
    char *part = path;
    for (;;) {
        part += strspn(part, "/");
        *rest = part;
        char *end = part + strcspn(part, "/");
        const char kept = *end;
        *end = '\0';
        const vz_moves_object *below = *part ? thing_below(t, part, since) : NULL;
        *end = kept;
        if (!below)
            return t;
        t = below;
        part = end;
    }
}

static const vz_moves_object *last_of_same(const vz_moves_object *t)
{
    for (unsigned i = 0; t->same && i < SAMES_MAX; i++)
        t = t->same;
    return t;
}

/* "/a/b" of the object and what follows. Deeper than any group: nowhere. */
static char *path_now(const vz_moves *moves, const vz_moves_object *t, const char *rest, vz_error *err)
{
    const vz_moves_object *way[VZ_MAX_DEPTH];
    size_t depth = 0;
    vz_buffer text = {0};
    bool ok = true;
    for (t = last_of_same(t); t != moves->root && !t->deleted && depth < VZ_MAX_DEPTH; t = last_of_same(t->above))
        way[depth++] = t;
    if (t->deleted) {
        const vz_moves_record *m = &moves->all[t->deleted - 1];
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
    const vz_moves_object *t = thing_at(moves, copy, since, &rest);
    if (t == moves->root && !t->deleted)
        return copy; /* nothing on it ever went anywhere */
    now = path_now(moves, t, rest, err);
    free(copy);
    return now;
}
