/* path_walk.c - walking paths. Parts are separated by any number of slashes; "." is skipped, as
 * in HDF5. A soft link puts its own path in front of what is left. */
#include "hdf5/dialects/zarr_link.h"
#include "hdf5/handles/file_internal.h"
#include "hdf5/handles/handle_internal.h"
#include "hdf5/handles/locate_internal.h"
#include "hdf5/handles/file.h"
#include <stdio.h>
#include <stdlib.h>

#define SHORT_PATH 256 /* bytes, with the end */

typedef struct walk {
    vz_file *file;
    vz_node *node; /* one reference */
    char *text;    /* `rest` points into it: `own`, or on the heap */
    char *own;     /* memory for a short path */
    char *rest;
    hid_t lapl;
    bool counting;       /* `left` was asked for: with the first link that is followed */
    size_t left;         /* links that may still be followed */
    vz_opened *opened;   /* how `node` was reached; NULL: not wanted */
    vz_locate_exit *out; /* where it leaves the store; NULL: it may not */
    const char *outer;   /* in `text`: behind the path of the soft link that is being followed;
                          * NULL: none is */
} walk;

void vz_locate_exit_clear(vz_locate_exit *out)
{
    if (out->group)
        vz_node_unref(out->group);
    free(out->link);
    free(out->value);
    free(out->rest);
    *out = (vz_locate_exit){0};
}

/* Cuts the next part out of *rest (modified); NULL at the end. */
static char *next_part(char **rest)
{
    for (;;) {
        char *part = *rest + strspn(*rest, "/");
        if (!*part)
            return NULL;
        const size_t length = strcspn(part, "/");
        *rest = part + length + (part[length] ? 1 : 0);
        part[length] = '\0';
        if (strcmp(part, ".") != 0)
            return part;
    }
}

static void go_to(walk *w, vz_node *node)
{
    vz_node_ref(node);
    vz_node_unref(w->node);
    w->node = node;
}

static bool count_link(walk *w, const vz_link *link, vz_error *err)
{
    const hid_t lapl = w->lapl == H5P_DEFAULT ? H5P_LINK_ACCESS_DEFAULT : w->lapl;
    if (!w->counting && H5Pget_nlinks(lapl, &w->left) < 0)
        return vz_fail_hdf5(err);
    w->counting = true;
    if (w->left == 0)
        return vz_fail(err, VZ_LIMIT, "too many links, at \"%.200s\"", link->name);
    w->left--;
    return true;
}

static bool follow_soft(walk *w, const vz_link *link, vz_error *err)
{
    char *text = NULL;
    if (!count_link(w, link, err))
        return false;
    const size_t left = strlen(w->outer ? w->outer : w->rest);
    if (asprintf(&text, "%s/%s", link->target, w->rest) < 0)
        return vz_fail_memory(err);
    if (*text == '/')
        go_to(w, vz_mount_top(w->file)->start);
    if (w->text != w->own)
        free(w->text);
    w->text = w->rest = text;
    w->outer = text + strlen(text) - left;
    return true;
}

/* The walk ends here, without an error. */
static bool leave(walk *w, const vz_link *link, vz_error *err)
{
    const size_t size = link->value_size;
    *w->out = (vz_locate_exit){
        .link = strdup(link->name), .value = malloc(size + 1), .size = size, .rest = strdup(w->rest), .left = w->left};
    if (!w->out->link || !w->out->value || !w->out->rest) {
        vz_locate_exit_clear(w->out);
        return vz_fail_memory(err);
    }
    if (size)
        memcpy(w->out->value, link->value, size);
    w->out->group = w->node;
    vz_node_ref(w->node);
    return false;
}

static bool follow_user(walk *w, const vz_link *link, vz_error *err)
{
    if (!count_link(w, link, err))
        return false;
    if (link->class != VZ_LINK_CLASS_EXTERNAL)
        return vz_fail(err, VZ_UNSUPPORTED,
                       "following \"%.200s\", a link of class %d: HDF5 gives connectors no way to call its class",
                       link->name, link->class);
    return w->out ? leave(w, link, err)
                  : vz_fail(err, VZ_UNSUPPORTED, "\"%.200s\" is an external link, and may not lead there", link->name);
}

static bool step(walk *w, const char *name, vz_error *err)
{
    if (vz_handle_node_id_type(w->node) != H5I_GROUP)
        return vz_fail(err, VZ_NOT_FOUND, "component \"%s\" not found: what it is looked for in is not a group", name);
    vz_link *link = vz_group_find(w->node, name, err);
    if (!link || !vz_dialect_links_decide(w->node, link, err))
        return false;
    if (link->kind == VZ_LINK_SOFT)
        return follow_soft(w, link, err);
    if (link->kind == VZ_LINK_USER)
        return follow_user(w, link, err);
    vz_node *next = vz_link_node(w->node, link, err);
    if (next)
        go_to(w, vz_mount_cross(next));
    return next != NULL;
}

/* The path by which an object is reached has soft links in it, not what they stand for. */
static bool enter(walk *w, const char *part, vz_error *err)
{
    if (w->outer && part < w->outer)
        return true;
    w->outer = NULL;
    return !w->opened || vz_opened_enter(w->opened, part, err);
}

/* On failure w->rest is what came behind the part that could not be passed. Closed by finish. */
static bool run(walk *w, const char *path, vz_error *err)
{
    bool ok = w->text || vz_fail_memory(err);
    w->rest = w->text;
    if (ok && *path == '/') {
        go_to(w, vz_mount_top(w->file)->start);
        ok = !w->opened || vz_opened_root(w->opened, err);
    }
    for (const char *part; ok && (part = next_part(&w->rest));)
        ok = enter(w, part, err) && step(w, part, err);
    return ok;
}

static vz_node *finish(walk *w, bool ok)
{
    if (w->text != w->own)
        free(w->text);
    if (ok)
        return w->node;
    if (w->opened)
        vz_opened_clear(w->opened);
    vz_node_unref(w->node);
    return NULL;
}

static char *copy_path(char own[SHORT_PATH], const char *path)
{
    const size_t size = strlen(path) + 1;
    return size <= SHORT_PATH ? memcpy(own, path, size) : strdup(path);
}

vz_node *vz_locate_follow(vz_file *file, vz_node *node, const char *path, hid_t lapl, vz_locate_result *reached,
                          vz_error *err)
{
    char own[SHORT_PATH];
    walk w = {.file = file,
              .node = node,
              .text = copy_path(own, path),
              .own = own,
              .lapl = lapl,
              .opened = reached && reached->wants_path ? &reached->opened : NULL,
              .out = reached ? &reached->out : NULL};
    return finish(&w, run(&w, path, err));
}

bool vz_locate_dangles(const vz_handle *from, const char *path, hid_t lapl)
{
    vz_error err = VZ_ERROR_NONE;
    walk w = {.file = from->file, .node = from->node, .text = strdup(path), .lapl = lapl};
    vz_node_ref(w.node);
    const bool ok = run(&w, path, &err);
    const bool dangles = err.class == VZ_NOT_FOUND && w.counting && !next_part(&w.rest);
    finish(&w, false);
    return !ok && dangles;
}
