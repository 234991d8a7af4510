/* opened.c - see opened.h. */
#include "object/opened.h"
#include "object/handle.h"
#include <stdio.h>
#include <stdlib.h>

void vz_opened_clear(vz_opened *opened)
{
    free(opened->user);
    free(opened->full);
    *opened = (vz_opened){0};
}

bool vz_opened_copy(vz_opened *to, const vz_opened *from, vz_error *err)
{
    *to = (vz_opened){.hidden = from->hidden};
    if (from->user)
        to->user = strdup(from->user);
    if (from->full)
        to->full = strdup(from->full);
    if (!to->user == !from->user && !to->full == !from->full)
        return true;
    vz_opened_clear(to);
    return vz_fail_memory(err);
}

bool vz_opened_root(vz_opened *opened, vz_error *err)
{
    vz_opened_clear(opened);
    return vz_opened_copy(opened, &(vz_opened){.user = (char[]){"/"}, .full = (char[]){"/"}}, err);
}

/* Puts a new text in place of *text; NULL (no memory) in place of none. */
static void replace(char **text, char *with)
{
    free(*text);
    *text = with;
}

static bool enter(char **path, const char *name, vz_error *err)
{
    char *longer = NULL;
    if (!*path)
        return true;
    const size_t length = strlen(*path);
    if (asprintf(&longer, "%s%s%s", *path, length && (*path)[length - 1] == '/' ? "" : "/", name) < 0)
        return vz_fail_memory(err);
    replace(path, longer);
    return true;
}

bool vz_opened_enter(vz_opened *opened, const char *name, vz_error *err)
{
    opened->hidden = 0;
    return enter(&opened->user, name, err) && enter(&opened->full, name, err);
}

vz_handle *vz_opened_give(vz_handle *handle, vz_opened *opened)
{
    if (!handle) {
        vz_opened_clear(opened);
        return NULL;
    }
    vz_opened_clear(&handle->opened);
    handle->opened = *opened;
    *opened = (vz_opened){0};
    return handle;
}
