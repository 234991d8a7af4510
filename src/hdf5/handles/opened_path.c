/* opened_path.c - see handle.h. */
#include "hdf5/handles/handle_internal.h"
#include "hdf5/handles/handle.h"
#include <stdlib.h>

void vz_opened_clear(vz_opened *opened)
{
    if (opened->full != opened->user)
        free(opened->full);
    free(opened->user);
    *opened = (vz_opened){0};
}

bool vz_opened_copy(vz_opened *to, const vz_opened *from, vz_error *err)
{
    *to = (vz_opened){.hidden = from->hidden};
    if (from->user)
        to->user = strdup(from->user);
    if (from->full && from->user && strcmp(from->full, from->user) == 0)
        to->full = to->user;
    else if (from->full)
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

static bool enter(char **path, const char *name, vz_error *err)
{
    if (!*path)
        return true;
    const size_t length = strlen(*path), more = strlen(name) + 1;
    const bool has_slash = length > 0 && (*path)[length - 1] == '/';
    char *longer = realloc(*path, length + !has_slash + more);
    if (!longer)
        return vz_fail_memory(err);
    if (!has_slash)
        longer[length] = '/';
    memcpy(longer + length + !has_slash, name, more);
    *path = longer;
    return true;
}

bool vz_opened_enter(vz_opened *opened, const char *name, vz_error *err)
{
    const bool is_one = opened->full == opened->user;
    opened->hidden = 0;
    if (!enter(&opened->user, name, err) || (!is_one && !enter(&opened->full, name, err)))
        return false;
    if (is_one)
        opened->full = opened->user;
    return true;
}

void vz_opened_part(vz_opened *opened)
{
    if (opened->user && opened->full == opened->user)
        opened->user = strdup(opened->full);
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
