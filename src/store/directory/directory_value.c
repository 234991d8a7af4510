/* directory_value.c - values of a directory of files: a version is a file that is open, since
 * what replaces it is another file. */
#include "store/directory/directory_internal.h"
#include "base/os/file_system.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include <errno.h>

/* A file that was changed so long before it was looked at cannot be taken for a later one. A
 * later one may have the number of a deleted file. File systems count times in ticks of up to 10
 * ms, some in two seconds. */
#define SETTLED_SECONDS 3
#define SETTLED_NS      50000000LL /* where this kernel alone gives out times in nanoseconds */
/* bytes that are read without a look at how many there are; documents, mostly */
#define SMALL 4096

bool vz_directory_is_settled(struct vz_directory *store, const struct timespec *modified)
{
    const struct timespec now = vz_os_file_date();
    if (now.tv_sec - modified->tv_sec > SETTLED_SECONDS)
        return true;
    const long long age = (now.tv_sec - modified->tv_sec) * 1000000000LL + (now.tv_nsec - modified->tv_nsec);
    return age > SETTLED_NS && modified->tv_nsec % 1000 != 0 && vz_directory_is_of_one_kernel(store);
}

/* O_NONBLOCK: a FIFO in the place of a file must not hold us up. */
#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY)

static bool fail_to_open(const struct vz_directory *store, int sys_errno, vz_error *err)
{
    if (store->base.stays_inside && (sys_errno == EXDEV || sys_errno == ELOOP))
        return vz_fail(err, VZ_PERMISSION, "a symbolic link leads out of the store: what is behind it is not read");
    return vz_fail_errno(err, sys_errno, "cannot open");
}

/* *file=-1 (and true returned): there is none. */
static bool open_key(struct vz_directory *store, const char *key, int *file, vz_error *err)
{
    const uintptr_t before = store->again.openings;
    const bool inside = store->base.stays_inside;
    for (bool first = true, again = false;; first = false) {
        *file =
            inside ? vz_directory_open_to_read(store, key, OPEN_FLAGS) : vz_os_open_at(store->root, key, OPEN_FLAGS);
        if (*file >= 0)
            return true;
        if (!vz_directory_is_missing(errno))
            return fail_to_open(store, errno, err);
        if (first && !vz_directory_look_again(store, key, before, &again, err))
            return false;
        if (!first || !again)
            return true;
    }
}

/* What is it that was opened? It is closed where it is no value. */
static bool look_at_open(struct vz_directory *store, vz_store_value *value, bool *found, vz_error *err)
{
    struct stat status;
    bool ok = vz_os_fstat(value->file, &status) == 0;
    if (!ok)
        vz_fail_errno(err, errno, "cannot stat");
    else if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        ok = vz_fail(err, VZ_CORRUPT, "neither a file nor a directory");
    *found = ok && S_ISREG(status.st_mode);
    if (*found) {
        value->stamp = vz_directory_stamp(&status);
        value->settled = vz_directory_is_settled(store, &status.st_mtim);
    } else {
        vz_os_close(value->file);
        value->file = -1;
    }
    return ok;
}

static bool open_file(struct vz_directory *store, const char *key, vz_store_value *value, bool *found, vz_error *err)
{
    *found = false;
    value->locked = false;
    return open_key(store, key, &value->file, err) && (value->file < 0 || look_at_open(store, value, found, err));
}

/* Is the file that was locked still the one of that name? Whoever had it before may have put
 * another in its place. */
static bool is_still_there(int root, const char *key, vz_store_value *value)
{
    struct stat status, named;
    if (vz_os_fstat(value->file, &status) != 0 || vz_os_stat_at(root, key, &named) != 0 ||
        !vz_os_file_is_same(&status, &named))
        return false;
    value->stamp = vz_directory_stamp(&status);
    return true;
}

bool vz_directory_open_value(vz_store *store, const char *key, vz_store_value_use use, vz_store_value *value,
                             bool *found, vz_error *err)
{
    const int root = vz_directory_of(store)->root;
    for (;;) {
        if (!open_file(vz_directory_of(store), key, value, found, err))
            return false;
        if (!*found || use == VZ_VALUE_READ)
            return true;
        if (!vz_directory_lock_value(root, key, &value->file, &value->locked, err)) {
            vz_directory_close_value(store, value);
            return false;
        }
        if (!value->locked || is_still_there(root, key, value))
            return true;
        vz_directory_close_value(store, value); /* each turn, somebody else has written the value */
    }
}

/* A value that shrinks while it is read was not replaced but overwritten by somebody: half of it
 * is no value. */
bool vz_directory_read_value(vz_store *store, const char *key, const vz_store_value *value, const vz_range *ranges,
                             size_t count, vz_buffer *out, vz_error *err)
{
    (void)store, (void)key;
    for (size_t i = 0, read; i < count; i += read)
        if (!(read = vz_os_file_read_ranges(value->file, 0, value->stamp.size, ranges + i, count - i, out + i, err)))
            return false;
    return true;
}

/* Where only this machine's kernel writes, a read that ends early has met the end. Neither pipes
 * nor terminals can be read at an offset, and what gives nothing or all that was asked for is
 * looked at. *whole=false: nothing was read. */
static bool read_small(int file, vz_buffer *out, bool *whole, vz_error *err)
{
    uint8_t bytes[SMALL];
    ssize_t got;
    while ((got = vz_os_pread(file, bytes, sizeof bytes, 0)) < 0 && errno == EINTR)
        ;
    *whole = got > 0 && (size_t)got < sizeof bytes;
    if (!*whole)
        return true;
    uint8_t *place = vz_os_range_room(out, (size_t)got, err);
    if (!place)
        return false;
    memcpy(place, bytes, (size_t)got);
    out->size += (size_t)got;
    return true;
}

bool vz_directory_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    vz_store_value value = {.file = -1};
    *found = false;
    if (!open_key(directory, key, &value.file, err))
        return false;
    if (value.file < 0)
        return true;
    const bool may_be_small = range.kind == VZ_RANGE_ALL && vz_directory_is_of_one_kernel(directory);
    bool ok = !may_be_small || read_small(value.file, out, found, err);
    if (ok && !*found)
        ok = look_at_open(directory, &value, found, err) &&
             (!*found || vz_directory_read_value(store, key, &value, &range, 1, out, err));
    vz_directory_close_value(store, &value);
    return ok;
}

/* Somebody wrote into the very file. Where its times are too young to tell, it counts as
 * changed. */
bool vz_directory_value_changed(vz_store *store, const char *key, const vz_store_value *value)
{
    (void)key;
    struct stat status;
    if (vz_os_fstat(value->file, &status) != 0)
        return false;
    const vz_stamp now = vz_directory_stamp(&status);
    return !vz_stamp_equal(&now, &value->stamp) || !vz_directory_is_settled(vz_directory_of(store), &status.st_mtim);
}

/* Unlocked by name: a child that was forked meanwhile has the descriptor too. */
void vz_directory_close_value(vz_store *store, vz_store_value *value)
{
    (void)store;
    if (value->file < 0)
        return;
    if (value->locked)
        vz_os_lock(value->file, VZ_OS_UNLOCK);
    vz_os_close(value->file);
    value->file = -1;
    value->locked = false;
}
