/* source_file.c - the HDF5 file of a view: its bytes must stay while the view is made. */
#include "base/os/file.h"
#include "command/view/view.h"
#include "store/store/kind.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1000000000

static void take(vz_view_source *source, const struct stat *is)
{
    source->size = (uint64_t)is->st_size;
    source->device = (uint64_t)is->st_dev;
    source->inode = (uint64_t)is->st_ino;
    source->modified_ns = (int64_t)is->st_mtim.tv_sec * SECOND_NS + is->st_mtim.tv_nsec;
}

bool vz_view_source_open(vz_view_source *source, const char *path, vz_error *err)
{
    struct stat is;
    *source = (vz_view_source){.path = path, .file = vz_os_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)};
    if (source->file < 0 || vz_os_fstat(source->file, &is) != 0)
        return vz_fail_errno(err, errno, "%.300s cannot be read", path);
    take(source, &is);
    return true;
}

char *vz_view_name_source(const vz_view_source *source, const char *target, const char *url, bool relative,
                          bool *leaves, vz_error *err)
{
    *leaves = false;
    if (url) {
        char *copy = strdup(url);
        if (!copy)
            vz_fail_memory(err);
        return copy;
    }
    char *name = vz_redirect_name(target, source->path, leaves, err);
    if (!name || relative)
        return name;
    free(name);
    return vz_os_path_resolve(source->path, err);
}

bool vz_view_source_check(const vz_view_source *source, vz_error *err)
{
    struct stat is;
    vz_view_source now = {0};
    if (vz_os_stat(source->path, &is) != 0)
        return vz_fail_errno(err, errno, "%.300s cannot be read", source->path);
    take(&now, &is);
    return (now.size == source->size && now.device == source->device && now.inode == source->inode &&
            now.modified_ns == source->modified_ns) ||
           vz_fail(err, VZ_CHANGED, "%.300s was changed meanwhile", source->path);
}

void vz_view_source_close(vz_view_source *source)
{
    if (source->file >= 0)
        vz_os_close(source->file);
    source->file = -1;
}
