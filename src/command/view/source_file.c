/* source_file.c - the HDF5 file of a view: its bytes must stay while the view is made. */
#include "base/os/file.h"
#include "command/view/view.h"
#include "hierarchy/resolve/path.h"
#include "store/store/kind.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1000000000

/* ---- opening ---- */

static void take(vz_view_source *source, const struct stat *is)
{
    source->size = (uint64_t)is->st_size;
    source->device = (uint64_t)is->st_dev;
    source->inode = (uint64_t)is->st_ino;
    source->modified_ns = (int64_t)is->st_mtim.tv_sec * SECOND_NS + is->st_mtim.tv_nsec;
}

static bool open_here(vz_view_source *source, vz_error *err)
{
    struct stat is;
    source->file = vz_os_open(source->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (source->file < 0 || vz_os_fstat(source->file, &is) != 0)
        return vz_fail_errno(err, errno, "%.300s cannot be read", source->path);
    take(source, &is);
    source->here = vz_byte_source_over_file(source->file);
    source->bytes = &source->here;
    return true;
}

static bool open_far(vz_view_source *source, vz_error *err)
{
    vz_location location = {0};
    bool ok = vz_path_find_location(source->path, &location, err);
    source->bytes = location.hdf5;
    location.hdf5 = NULL;
    if (ok && !source->bytes)
        ok = location.why.class != VZ_OK ? (*err = location.why, false)
                                         : vz_fail(err, VZ_INVALID, "%.300s is no HDF5 file", source->path);
    vz_location_clear(&location);
    ok = ok && vz_byte_source_size(source->bytes, &source->size, err);
    if (ok && source->bytes->etag && !(source->etag = strdup(source->bytes->etag)))
        ok = vz_fail_memory(err);
    return ok;
}

bool vz_view_source_open(vz_view_source *source, const char *path, bool is_far, vz_error *err)
{
    *source = (vz_view_source){.path = path, .file = -1};
    return is_far ? open_far(source, err) : open_here(source, err);
}

void vz_view_source_close(vz_view_source *source)
{
    if (source->file >= 0)
        vz_os_close(source->file);
    else
        vz_byte_source_close(source->bytes, NULL);
    source->file = -1;
    source->bytes = NULL;
    free(source->etag);
    source->etag = NULL;
}

/* ---- its name ---- */

/* A name in a file has neither a user nor a query. */
static bool check_url(const char *url, vz_error *err)
{
    const char *colon = strstr(url, "://"), *host = colon ? colon + 3 : url;
    const char *at = memchr(host, '@', strcspn(host, "/?#"));
    return (!at && !strpbrk(url, "?#")) ||
           vz_fail(err, VZ_INVALID,
                   "a name with a user, a password or a query does not stand in a view: --url says where readers find "
                   "the file");
}

static char *copy(const char *name, vz_error *err)
{
    char *made = strdup(name);
    if (!made)
        vz_fail_memory(err);
    return made;
}

char *vz_view_name_source(const vz_view_source *source, const char *target, const char *url, bool relative,
                          bool *leaves, vz_error *err)
{
    *leaves = false;
    if (url)
        return copy(url, err);
    if (source->file < 0)
        return check_url(source->path, err) ? copy(source->path, err) : NULL;
    char *name = vz_redirect_name(target, source->path, leaves, err);
    if (!name || relative)
        return name;
    free(name);
    return vz_os_path_resolve(source->path, err);
}

/* ---- is it unchanged? ---- */

static bool same_etag(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

bool vz_view_source_check(const vz_view_source *source, vz_error *err)
{
    struct stat is;
    vz_view_source now = {.path = source->path, .file = -1};
    bool same;
    if (source->file < 0) {
        if (!open_far(&now, err))
            return false;
        same = now.size == source->size && same_etag(now.etag, source->etag);
        vz_view_source_close(&now);
    } else {
        if (vz_os_stat(source->path, &is) != 0)
            return vz_fail_errno(err, errno, "%.300s cannot be read", source->path);
        take(&now, &is);
        same = now.size == source->size && now.device == source->device && now.inode == source->inode &&
               now.modified_ns == source->modified_ns;
    }
    return same || vz_fail(err, VZ_CHANGED, "%.300s was changed meanwhile", source->path);
}
