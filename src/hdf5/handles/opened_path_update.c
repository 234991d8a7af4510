/* opened_path_update.c - what happened to links, for the paths of all open objects. */
#include "hdf5/handles/file_internal.h"
#include "hdf5/handles/handle_internal.h"
#include "base/util/bytes.h"
#include <stdlib.h>

/* Puts a new text in place of *text; NULL (no memory) in place of none. */
static void replace(char **text, char *with)
{
    free(*text);
    *text = with;
}

static char *joined(const char *a, const char *b)
{
    char *text = malloc(strlen(a) + strlen(b) + 1);
    return text ? strcat(strcpy(text, a), b) : NULL;
}

typedef struct change {
    vz_file *top;     /* of the file where it happened */
    vz_file *child;   /* mounts */
    const char *path; /* full */
    const char *to;   /* moves: full */
} change;

static void move(const change *c, vz_opened *opened)
{
    const char *suffix = vz_key_below(opened->full, c->path);
    char *full = suffix ? joined(c->to, suffix) : NULL;
    if (!suffix)
        return;
    /* The part of the full path before the user's path. A user's path that begins below the link
     * does not change. */
    const size_t extra =
        opened->user && strlen(opened->full) > strlen(opened->user) ? strlen(opened->full) - strlen(opened->user) : 0;
    const bool keeps = full && strlen(full) > extra && strncmp(full, opened->full, extra) == 0;
    if (opened->user && strlen(opened->user) > strlen(suffix))
        replace(&opened->user, full ? strdup(full + (keeps ? extra : 0)) : NULL);
    replace(&opened->full, full);
}

static void delete (const change *c, vz_opened *opened)
{
    if (vz_key_below(opened->full, c->path))
        vz_opened_clear(opened);
}

/* Is the file `child`, or mounted below it? */
static bool is_in(const vz_file *file, const vz_file *child)
{
    vz_node *point;
    vz_file *parent;
    for (; file; file = vz_mount_point_of(file, &parent, &point) ? parent : NULL)
        if (file->hierarchy == child->hierarchy)
            return true;
    return false;
}

static bool lies_below(const vz_opened *opened, const char *point)
{
    const char *suffix = vz_key_below(opened->full, strcmp(point, "/") == 0 ? "" : point);
    return suffix && *suffix;
}

static void mount(const change *c, vz_opened *opened, bool in_child)
{
    if (in_child)
        replace(&opened->full, joined(c->path, opened->full));
    else if (lies_below(opened, c->path))
        opened->hidden++;
}

static void unmount(const change *c, vz_opened *opened, bool in_child)
{
    if (!in_child) {
        if (opened->hidden > 0 && lies_below(opened, c->path))
            opened->hidden--;
        return;
    }
    const char *suffix = vz_key_below(opened->full, c->path);
    replace(&opened->full, suffix ? strdup(*suffix ? suffix : "/") : NULL);
    if (opened->user && (!opened->full || strlen(opened->full) < strlen(opened->user)))
        replace(&opened->user, NULL);
}

typedef enum happening { MOVED, DELETED, MOUNTED, UNMOUNTED } happening;

static void follow_change(happening what, const change *c)
{
    for (vz_handle *handle = vz_handles_first(); handle; handle = handle->next) {
        vz_opened *opened = &handle->opened;
        if (!opened->full || handle->object.type == H5I_FILE)
            continue;
        const bool in_child = c->child && is_in(handle->file, c->child);
        if (!in_child && vz_mount_top(handle->file)->start != c->top->start)
            continue;
        vz_opened_part(opened);
        if (what == MOVED)
            move(c, opened);
        else if (what == DELETED)
            delete (c, opened);
        else
            (what == MOUNTED ? mount : unmount)(c, opened, in_child);
    }
}

void vz_opened_moved(vz_file *file, const char *from, const char *to)
{
    if (from && to)
        follow_change(MOVED, &(change){.top = vz_mount_top(file), .path = from, .to = to});
}

void vz_opened_deleted(vz_file *file, const char *path)
{
    if (path)
        follow_change(DELETED, &(change){.top = vz_mount_top(file), .path = path});
}

void vz_opened_mounted(vz_file *parent, const char *point, vz_file *child)
{
    if (point)
        follow_change(MOUNTED, &(change){.top = vz_mount_top(parent), .path = point, .child = child});
}

void vz_opened_unmounted(vz_file *parent, const char *point, vz_file *child)
{
    if (point)
        follow_change(UNMOUNTED, &(change){.top = vz_mount_top(parent), .path = point, .child = child});
}
