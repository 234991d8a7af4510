/* model_walk.c - all objects of a file, group by group, so that one large group takes no other's
 * place. */
#include "command/report/model_internal.h"
#include "base/util/c_library.h"
#include <stdio.h>
#include <stdlib.h>

static bool make_room(vz_model *m, vz_error *err)
{
    if (m->count < m->capacity)
        return true;
    const size_t wanted = m->capacity ? 2 * m->capacity : 64;
    vz_model_node *more = vz_realloc_items(m->nodes, wanted, sizeof *more);
    if (!more)
        return vz_fail_memory(err);
    m->nodes = more;
    m->capacity = wanted;
    return true;
}

/* Behind the last member of its parent; node 0 has none. */
static bool add(vz_model *m, size_t parent, const char *name, char *path, size_t *index, vz_error *err)
{
    vz_json *object = make_room(m, err) ? vz_json_object(err) : NULL;
    if (!object) {
        free(path);
        return false;
    }
    *index = m->count++;
    vz_model_node *above = &m->nodes[parent];
    m->nodes[*index] = (vz_model_node){.object = object, .path = path, .parent = parent};
    if (*index > 0) {
        m->nodes[*index].level = above->level + 1;
        if (above->last)
            m->nodes[above->last].next = *index;
        else
            above->first = *index;
        above->last = *index;
    }
    return vz_json_set(object, "level", vz_json_uint64(m->nodes[*index].level, err), err) &&
           vz_describe_set_text(object, "name", name, err) && vz_describe_set_text(object, "path", path, err);
}

static bool set_link(vz_model *m, vz_json *object, const char *what, const char *target, vz_error *err)
{
    vz_buffer words = {0};
    m->links++;
    return vz_describe_set_text(object, "kind", "link", err) && vz_buffer_printf(&words, err, "%s%s", what, target) &&
           vz_model_set_words(object, "target", &words, err);
}

static bool set_unreadable(vz_model *m, vz_json *object, const vz_error *why, vz_error *err)
{
    if (why->class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    m->unreadable++;
    return vz_describe_set_text(object, "kind", "unreadable", err) &&
           vz_model_note(object, "notes", err, "It cannot be read: %s", why->text);
}

/* An object that was met before is a further name of it. */
static bool look(vz_model *m, size_t index, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_model_node *node = &m->nodes[index];
    vz_sample_object *object = vz_sample_object_open(m->file, node->path, &why);
    if (!object)
        return set_unreadable(m, node->object, &why, err);
    const char *token = vz_sample_facts_of(object)->token;
    const char *met = token ? vz_strmap_get(m->met, token) : NULL;
    bool ok;
    if (met) {
        ok = set_link(m, node->object, "another name of ", met, err);
    } else {
        char *path = strdup(node->path);
        ok = (path && (!token || vz_strmap_put(m->met, token, path, err))) || vz_fail_memory(err);
        if (!ok || !token)
            free(path);
        ok = ok && vz_model_describe(m, node, object, err);
    }
    vz_sample_object_close(object);
    return ok;
}

/* ---- members of a group ---- */

typedef struct members {
    vz_model *m;
    size_t group;
    uint64_t all, left;
} members;

static bool add_member(void *context, const char *name, const char *target, vz_error *err)
{
    members *of = context;
    vz_model *m = of->m;
    const char *above = m->nodes[of->group].path;
    char *path = NULL;
    size_t index;
    const uint64_t length = strlen(above) + strlen(name);
    if (of->all++ >= VZ_MODEL_MEMBERS_MAX || m->count >= m->request->nodes_max ||
        m->path_bytes + length > VZ_MODEL_PATHS_MAX || m->nodes[of->group].level >= VZ_MODEL_LEVELS_MAX) {
        of->left++;
        return true;
    }
    m->path_bytes += length;
    if (asprintf(&path, "%s/%s", strcmp(above, "/") == 0 ? "" : above, name) < 0)
        return vz_fail_memory(err);
    return add(m, of->group, name, path, &index, err) &&
           (!target || set_link(m, m->nodes[index].object, "to ", target, err));
}

static bool list(vz_model *m, size_t group, vz_error *err)
{
    members of = {.m = m, .group = group};
    uint64_t left = 0;
    vz_error why = VZ_ERROR_NONE;
    vz_sample_object *object = vz_sample_object_open(m->file, m->nodes[group].path, &why);
    const bool listed = object && vz_sample_members(object, add_member, &of, &left, &why);
    vz_sample_object_close(object);
    vz_json *node = m->nodes[group].object;
    of.left += left;
    m->left_nodes += of.left;
    if (!listed && why.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    m->unreadable += !listed;
    return (listed || vz_model_note(node, "notes", err, "Its members cannot be listed: %s", why.text)) &&
           vz_json_set(node, "members", vz_json_uint64(of.all + left, err), err) &&
           (!of.left ||
            vz_model_note(node, "notes", err, "%llu of its members are not shown.", (unsigned long long)of.left));
}

/* Sizes of groups, from those at the end of the list, which lie deepest. A group with something
 * that cannot be read has none. */
static bool sum(vz_model *m, vz_error *err)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->nodes[i].is_group)
            m->nodes[i].has_stored = m->nodes[i].has_decoded = true;
    for (size_t i = m->count; i-- > 0;) {
        vz_model_node *node = &m->nodes[i], *above = &m->nodes[node->parent];
        if (node->is_group &&
            ((node->has_stored && !vz_json_set(node->object, "stored", vz_json_uint64(node->stored, err), err)) ||
             (node->has_decoded && !vz_json_set(node->object, "decoded", vz_json_uint64(node->decoded, err), err))))
            return false;
        if (i == 0 || vz_json_is(vz_json_get(node->object, "kind"), "link") ||
            vz_json_is(vz_json_get(node->object, "kind"), "type"))
            continue;
        above->has_stored &= node->has_stored && vz_add(above->stored, node->stored, &above->stored);
        above->has_decoded &= node->has_decoded && vz_add(above->decoded, node->decoded, &above->decoded);
    }
    return true;
}

bool vz_model_walk(vz_model *m, const char *path, vz_error *err)
{
    size_t index;
    char *copy = strdup(path);
    bool ok = copy ? add(m, 0, path, copy, &index, err) : vz_fail_memory(err);
    for (size_t i = 0; ok && i < m->count; i++) {
        if (!vz_json_get(m->nodes[i].object, "kind"))
            ok = look(m, i, err);
        if (ok && m->nodes[i].is_group)
            ok = list(m, i, err);
    }
    return ok && sum(m, err);
}
