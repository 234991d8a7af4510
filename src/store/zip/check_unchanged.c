/* check_unchanged.c - is a zip file still as this store left it? By its place, its size and its
 * times; while it ends with a guard, by its last bytes. */
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include <errno.h>
#include <string.h>

/* `then`: zeros where it is not known. */
static bool is_same_time(const struct stat *a, const struct stat *then)
{
    const struct timespec *x = &a->st_mtim, *y = &then->st_mtim;
    return (y->tv_sec == 0 && y->tv_nsec == 0) || vz_time_is_same(x, y);
}

bool vz_zip_has_tail(const vz_zip *zip, bool *has, vz_error *err)
{
    const vz_zip_session *session = &zip->session;
    uint8_t tail[sizeof session->tail];
    if (!vz_zip_read(zip, zip->size - session->tail_size, tail, session->tail_size, err))
        return false;
    *has = memcmp(tail, session->tail, session->tail_size) == 0;
    return true;
}

static bool fail_changed(vz_error *err)
{
    return vz_fail(err, VZ_BUSY, "somebody else changed the zip file since it was opened, so nothing is written to it");
}

static bool check_byte_source(vz_zip *zip, vz_error *err)
{
    uint64_t size;
    if (!vz_byte_source_size(zip->source, &size, err))
        return false;
    bool same = size == zip->size;
    if (same && zip->session.is_guarded && !vz_zip_has_tail(zip, &same, err))
        return false;
    return same || fail_changed(err);
}

bool vz_zip_check(vz_zip *zip, struct stat *now, bool *gone, vz_error *err)
{
    *now = (struct stat){0};
    *gone = false;
    if (zip->file < 0)
        return check_byte_source(zip, err);
    *gone = vz_os_stat(zip->base.path, now) != 0;
    if (*gone)
        return errno == ENOENT || vz_fail_errno(err, errno, "cannot stat the zip file");
    bool same = vz_os_file_is_same(now, &zip->status) && (uint64_t)now->st_size == zip->size;
    if (same && !zip->session.is_guarded)
        same = is_same_time(now, &zip->status);
    else if (same && !vz_zip_has_tail(zip, &same, err))
        return false;
    return same || fail_changed(err);
}
