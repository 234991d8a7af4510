/* target_node.c - from the path on the command line to a node of a store. */
#include "command/command/command.h"
#include "hierarchy/open/open.h"
#include "base/os/process.h"
#include "base/os/thread.h"
#include <errno.h>
#include <stdlib.h>

#define LINKS_MAX 64 /* soft links on the way to a node */

bool vz_command_options(vz_options *options, vz_error *err)
{
    if (!vz_options_init(options, vz_os_environment_all(), err))
        return false;
    vz_pool_set_threads((unsigned)options->threads);
    vz_path_allow(options);
    return true;
}

/* The path without what is behind its last slash, and with slashes at its end gone; NULL without an
 * error: there is no such path. *last: where the name begins that went. Caller frees. */
static char *path_above(const char *path, const char **last, vz_error *err)
{
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    *last = path + start;
    const bool is_root = start == 1;
    while (start > 0 && path[start - 1] == '/')
        start--;
    if (end == 0 || (start == 0 && !is_root))
        return NULL;
    char *above = strndup(path, start ? start : 1);
    if (!above)
        vz_fail_memory(err);
    return above;
}

/* ---- names inside a store ---- */

static char *join(const char *before, const char *rest, vz_error *err)
{
    vz_buffer text = {0};
    if (vz_buffer_printf(&text, err, "%s/%s", before, rest ? rest : "") && vz_buffer_append(&text, "", 1, err))
        return (char *)text.data;
    vz_buffer_clear(&text);
    return NULL;
}

/* The soft link's path takes the place of its name. */
static bool step_over_link(const vz_link *link, char **path, const char *rest, vz_node **at, unsigned *links,
                           vz_error *err)
{
    if (++*links > LINKS_MAX)
        return vz_fail(err, VZ_LIMIT, "more than %d soft links", LINKS_MAX);
    if (link->kind != VZ_LINK_SOFT)
        return vz_fail(err, VZ_UNSUPPORTED, "\"%.200s\" is a link into another file", link->name);
    if (*link->target == '/')
        *at = vz_hierarchy_root((*at)->hierarchy);
    char *joined = join(link->target, rest, err);
    free(*path);
    *path = joined;
    return joined != NULL;
}

vz_node *vz_subject_follow(vz_node *at, const char *names, vz_error *err)
{
    unsigned links = 0;
    char *path = strdup(names), *rest = path;
    bool ok = path || vz_fail_memory(err);
    while (ok && rest) {
        const char *part = strsep(&rest, "/");
        if (!*part || strcmp(part, ".") == 0)
            continue;
        vz_link *link = vz_group_find(at, part, err);
        if (!link) {
            ok = false;
        } else if (link->kind == VZ_LINK_NODE || link->kind == VZ_LINK_ALIAS) {
            at = vz_link_node(at, link, err);
            ok = at != NULL;
        } else {
            ok = step_over_link(link, &path, rest, &at, &links, err);
            rest = path;
        }
    }
    free(path);
    return ok ? at : NULL;
}

/* ---- opening ---- */

bool vz_subject_refuse(const vz_path_result *found, vz_error *err)
{
    switch (vz_path_result_kind(found)) {
    case VZ_PATH_HDF5:
        return vz_fail(err, VZ_INVALID,
                       "this is an HDF5 file, not a Zarr store: h5zarr show and report show it, and h5zarr "
                       "convert makes a store of it");
    case VZ_PATH_EMPTY_DIRECTORY:
        return vz_fail(err, VZ_INVALID, "this is an empty directory, not a Zarr store");
    case VZ_PATH_EMPTY_FILE:
        return vz_fail(err, VZ_INVALID, "this is an empty file, not a Zarr store");
    default:
        return true; /* opening tells more */
    }
}

bool vz_subject_fail_why(vz_path_result *found, const vz_options *options, vz_error *err)
{
    vz_hierarchy *hierarchy;
    vz_node *start;
    if (!vz_subject_refuse(found, err) || !vz_open_found(found, VZ_OPEN_READ, options, &hierarchy, &start, err))
        return false;
    vz_node_unref(start);
    vz_close_hierarchy(hierarchy, NULL);
    return vz_fail(err, VZ_BUSY, "it was made just now: try again");
}

bool vz_subject_is_other_file(const vz_path_result *found)
{
    const vz_error_class why = vz_path_result_why(found)->class;
    return vz_path_result_kind(found) != VZ_PATH_MISSING && (why == VZ_INVALID || why == VZ_CORRUPT);
}

/* Goes up until something is there; *names: the part of the path that leads on from there. */
static vz_path_result *find(const char *path, const char **names, vz_error *err)
{
    vz_path_result *found = vz_path_find(path, err);
    char *above = found && vz_path_result_kind(found) == VZ_PATH_MISSING ? strdup(path) : NULL;
    *names = "";
    while (above) {
        const char *last;
        char *shorter = path_above(above, &last, err);
        /* gcc moves a difference behind the free */
        const size_t at = shorter ? strlen(above) - strlen(last) : 0;
        free(above);
        above = shorter;
        vz_path_result *up = shorter ? vz_path_find(shorter, err) : NULL;
        if (!up)
            break;
        const vz_path_kind kind = vz_path_result_kind(up);
        if (kind == VZ_PATH_ZARR || kind == VZ_PATH_HDF5 || vz_subject_is_other_file(up)) {
            vz_path_result_free(found);
            found = up;
            *names = kind == VZ_PATH_ZARR ? path + at : "";
        } else {
            vz_path_result_free(up);
        }
        if (kind != VZ_PATH_MISSING)
            break;
    }
    free(above);
    return found;
}

/* A store that is one array is shown as that array. */
static vz_node *passing_made_up_root(vz_node *node, vz_error *err)
{
    if (!vz_hierarchy_is_array(node->hierarchy) || node != vz_hierarchy_root(node->hierarchy))
        return node;
    vz_link *only = vz_group_link_at(node, VZ_BY_NAME, 0, err);
    return only ? vz_link_node(node, only, err) : NULL;
}

static bool open_as(const char *path, vz_path_open_mode mode, vz_subject *subject, vz_error *err)
{
    const char *names;
    vz_node *start = NULL;
    *subject = (vz_subject){0};
    vz_path_result *found = vz_command_options(&subject->options, err) ? find(path, &names, err) : NULL;
    if (found && vz_subject_refuse(found, err) &&
        vz_open_found(found, mode, &subject->options, &subject->hierarchy, &start, err)) {
        vz_node *shown = passing_made_up_root(start, err);
        vz_node *node = shown ? vz_subject_follow(shown, names, err) : NULL;
        if (node)
            vz_node_ref(subject->node = node);
        vz_node_unref(start);
    }
    vz_path_result_free(found);
    if (!subject->node) {
        vz_subject_close(subject);
        vz_error_where(err, path, NULL);
    }
    return subject->node != NULL;
}

bool vz_subject_open(const char *path, vz_subject *subject, vz_error *err)
{
    return open_as(path, VZ_OPEN_READ, subject, err);
}

bool vz_subject_open_in_store(const char *path, vz_subject *subject, vz_error *err)
{
    vz_error ignored = VZ_ERROR_NONE;
    vz_subject within = {0};
    const char *name;
    if (!vz_subject_open(path, subject, err))
        return false;
    if (!vz_hierarchy_is_array(subject->hierarchy))
        return true;
    char *above = path_above(vz_hierarchy_store(subject->hierarchy)->path, &name, &ignored);
    if (above && vz_subject_open(above, &within, &ignored)) {
        vz_node *node = vz_subject_follow(within.node, name, &ignored);
        if (node && node->kind == VZ_NODE_ARRAY) {
            vz_node_ref(node);
            vz_node_unref(within.node);
            within.node = node;
            vz_subject_close(subject);
            *subject = within;
        } else {
            vz_subject_close(&within);
        }
    }
    free(above);
    return true;
}

bool vz_subject_open_to_write(const char *path, vz_subject *subject, vz_error *err)
{
    return open_as(path, VZ_OPEN_WRITE, subject, err);
}

bool vz_subject_finish(vz_subject *subject, vz_error *err)
{
    vz_node_unref(subject->node);
    const bool ok = vz_close_hierarchy(subject->hierarchy, err);
    *subject = (vz_subject){0};
    return ok;
}

void vz_subject_close(vz_subject *subject)
{
    if (subject->node)
        vz_node_unref(subject->node);
    if (subject->hierarchy) /* nothing was changed: there is nothing that could fail */
        vz_close_hierarchy(subject->hierarchy, NULL);
    *subject = (vz_subject){0};
}

bool vz_subject_enters(vz_store *store, const char *key, uint64_t *links)
{
    vz_store_key_kind kind = VZ_STORE_NOTHING;
    return !vz_store_look(store, key, &kind, NULL) || kind != VZ_STORE_LINK || ++*links <= VZ_LINKS_ENTERED_MAX;
}

bool vz_subject_enters_group(const vz_node *group, const char *name, uint64_t *links)
{
    char *prefix = vz_node_prefix(group, NULL);
    const bool enters = !prefix || !*prefix || vz_subject_enters(vz_hierarchy_store(group->hierarchy), prefix, links);
    free(prefix);
    if (!enters && *links == VZ_LINKS_ENTERED_MAX + 1)
        vz_say_error("%s: a symbolic link, behind %d others that were followed: what is in it, and in others that "
                     "follow, is not shown",
                     name, VZ_LINKS_ENTERED_MAX);
    return enters;
}
