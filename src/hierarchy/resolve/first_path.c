/* first_path.c - finds, of a node with several names, the path that HDF5 finds when it looks for
 * the name of an object. It is the first that a walk over the store in the order of names meets. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/resolve/token.h"
#include <stdio.h>
#include <stdlib.h>

/* Groups with several names below each other have many paths; so many are looked at. */
enum { MAX_STEPS = 4096 };

typedef struct climb {
    const struct climb *below; /* where it came from */
    vz_node *node;
} climb;

typedef struct search {
    char *best;
    size_t steps;
    vz_error *err;
} search;

/* Part by part, so that the slash is less than any byte. */
static bool comes_before(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    const int x = *a == '/' ? 1 : (unsigned char)*a + (*a != 0), y = *b == '/' ? 1 : (unsigned char)*b + (*b != 0);
    return x < y;
}

static bool go_up(search *s, const climb *from, const char *path);

static bool go_to(search *s, const climb *from, vz_node *group, const char *name, const char *rest)
{
    char *path = NULL;
    for (const climb *c = from; c; c = c->below)
        if (c->node == group)
            return true;
    if (asprintf(&path, "/%s%s", name, rest) < 0)
        return vz_fail_memory(s->err);
    const bool ok = go_up(s, &(climb){from, group}, path);
    free(path);
    return ok;
}

static bool go_up(search *s, const climb *at, const char *path)
{
    vz_node *node = at->node;
    if (node == node->hierarchy->root) {
        if (s->best && !comes_before(path, s->best))
            return true;
        free(s->best);
        s->best = strdup(path);
        return s->best || vz_fail_memory(s->err);
    }
    if (++s->steps > MAX_STEPS)
        return true;
    if (!vz_aliases_know(node, s->err) || (node->parent && !go_to(s, at, node->parent, node->link->name, path)))
        return false;
    for (const vz_member *member = node->aliases; member; member = member->next_name)
        if (!go_to(s, at, member->group, member->link.name, path))
            return false;
    return true;
}

char *vz_path_first(vz_node *node, vz_error *err)
{
    search s = {.err = err};
    if (!node->hierarchy->hard_links.any || node == node->hierarchy->root)
        return vz_node_path(node, err);
    if (go_up(&s, &(climb){NULL, node}, ""))
        return s.best;
    free(s.best);
    return NULL;
}
