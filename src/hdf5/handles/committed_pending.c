/* committed_pending.c - what was created with a committed datatype that has no name yet, and
 * waits for it. */
#include "hdf5/attributes/attributes.h"
#include "hdf5/references/committed.h"
#include "hdf5/handles/handle_internal.h"
#include <stdlib.h>

/* Made with a type that has no name yet. */
typedef struct waiting {
    struct waiting *next;
    vz_node *type, *user; /* one reference each */
    char *attribute;      /* NULL: the user is a dataset */
} waiting;

static waiting *all_waiting; /* state of the module instance */

static void waiting_free(waiting *w)
{
    vz_node_unref(w->type);
    vz_node_unref(w->user);
    free(w->attribute);
    free(w);
}

bool vz_datatype_wait_for_name(vz_node *type, vz_node *user, const char *attribute, vz_error *err)
{
    waiting *w = calloc(1, sizeof *w);
    char *name = attribute ? strdup(attribute) : NULL;
    if (!w || (attribute && !name)) {
        free(name);
        free(w);
        return vz_fail_memory(err);
    }
    vz_node_ref(type);
    vz_node_ref(user);
    *w = (waiting){all_waiting, type, user, name};
    all_waiting = w;
    return true;
}

bool vz_datatype_record_use(vz_node *node, const char *attribute, const char *path, vz_error *err)
{
    const char *key = attribute ? vz_attribute_key(node, attribute) : NULL;
    if (attribute && !key)
        return vz_fail(err, VZ_NOT_FOUND, "the attribute is gone");
    return vz_committed_set(node, key, path, err);
}

/* Objects that wait for the type were made with the one at this path. */
static bool end_waiting(const vz_node *node, const char *path, vz_error *err)
{
    bool ok = true;
    for (waiting **at = &all_waiting, *w; (w = *at);) {
        if (w->type != node) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        ok = vz_datatype_record_use(w->user, w->attribute, path, err) && vz_committed_register(w->user, err) && ok;
        waiting_free(w);
    }
    return ok;
}

bool vz_datatype_replace(const vz_node *nameless, const vz_node *by, vz_error *err)
{
    vz_error failure = VZ_ERROR_NONE;
    char *path = all_waiting ? vz_node_path(by, &failure) : NULL;
    const bool ok = path ? end_waiting(nameless, path, err)
                         : failure.class == VZ_OK || vz_fail(err, failure.class, "%s", failure.text);
    free(path);
    return ok;
}

/* A new tree is all in memory. */
bool vz_datatypes_named(vz_node *top, vz_error *err)
{
    vz_link *link;
    if (vz_committed_is_type(top) && !vz_datatype_replace(top, top, err))
        return false;
    if (!vz_committed_register(top, err))
        return false;
    for (uint64_t i = 0; top->members && (link = vz_group_link_at(top, VZ_BY_NAME, i, NULL)); i++)
        if (link->kind == VZ_LINK_NODE && link->node && !vz_datatypes_named(link->node, err))
            return false;
    return true;
}

void vz_datatypes_drop(const vz_hierarchy *hierarchy)
{
    for (waiting **at = &all_waiting, *w; (w = *at);) {
        if (w->type->hierarchy == hierarchy) {
            *at = w->next;
            waiting_free(w);
        } else
            at = &w->next;
    }
}

vz_node *vz_datatype_waited_for(const vz_node *user, const char *attribute)
{
    for (const waiting *w = all_waiting; w; w = w->next)
        if (w->user == user && (attribute ? w->attribute && strcmp(w->attribute, attribute) == 0 : !w->attribute)) {
            vz_node_ref(w->type);
            return w->type;
        }
    return NULL;
}
