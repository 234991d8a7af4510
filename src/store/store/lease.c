/* lease.c - see lease.h. The file is text: a line that tells whose locks reach it, then a line
 * for each noted directory. */
#include "store/store/lease.h"
#include "base/os/file_system.h"
#include "base/os/file.h"
#include "store/store/store.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD      "vol-zarr lease 1 "
#define HEAD_MAX  256
#define NOTES_MAX ((uint64_t)256 << 20) /* bytes of notes that are read */

void vz_lease_make_id(char id[VZ_LEASE_ID_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t number[2];
    vz_process_unlike(number);
    for (unsigned i = 0; i < VZ_LEASE_ID_SIZE - 1; i++)
        id[i] = digits[number[i / 16] >> 4 * (i % 16) & 15];
    id[VZ_LEASE_ID_SIZE - 1] = '\0';
}

/* ---- how far a lock reaches ---- */

/* As the lease's first line says it. */
static const char *const reaches[] = {[VZ_OS_REACH_UNKNOWN] = "none",
                                      [VZ_OS_REACH_KERNEL] = "kernel",
                                      [VZ_OS_REACH_OVERLAY] = "overlay",
                                      [VZ_OS_REACH_SERVER] = "server"};

/* ---- the writer's side ---- */

static bool append(const vz_lease *lease, const char *text, size_t size, vz_error *err)
{
    while (size > 0) {
        const ssize_t put = vz_os_write(lease->file, text, size);
        if (put == 0 || (put < 0 && errno != EINTR))
            return vz_fail_errno(err, put ? errno : ENOSPC, "cannot write the lease");
        if (put > 0) {
            text += put;
            size -= (size_t)put;
        }
    }
    while (lease->durable && vz_os_fdatasync(lease->file) != 0)
        if (errno != EINTR)
            return vz_fail_errno(err, errno, "cannot sync the lease");
    return true;
}

/* Somebody who had the lock before us may have taken the file for a leftover. 0: it is there,
 * ENOENT: it is not, or why that cannot be reported. Nobody gives it another name, so that its
 * links tell where no other machine counts them. */
static int look_for_ours(int directory, const vz_lease *lease)
{
    struct stat status, named;
    if (vz_os_fstat(lease->file, &status) != 0)
        return errno;
    if (lease->of_one_kernel)
        return status.st_nlink ? 0 : ENOENT;
    if (vz_os_lstat_at(directory, VZ_LEASE_NAME, &named) != 0)
        return errno;
    return vz_os_file_is_same(&status, &named) ? 0 : ENOENT;
}

static void let_go(int directory, vz_lease *lease)
{
    if (look_for_ours(directory, lease) == 0) /* else it is somebody else's by now */
        vz_os_unlink_at(directory, VZ_LEASE_NAME);
    vz_os_close(lease->file);
    lease->file = -1;
}

bool vz_lease_acquire(int directory, vz_lease *lease, vz_error *err)
{
    char head[HEAD_MAX];
    lease->file = vz_os_create_at(directory, VZ_LEASE_NAME, O_RDWR | O_APPEND | O_EXCL | O_NOFOLLOW, 0666);
    if (lease->file < 0)
        return vz_fail_errno(err, errno, "cannot make the lease of the store");
    const bool locked = vz_os_lock(lease->file, VZ_OS_LOCK_EXCLUSIVE) == 0;
    const int trouble = locked ? look_for_ours(directory, lease) : errno == EWOULDBLOCK ? ENOENT : 0;
    if (trouble == ENOENT) {
        vz_os_close(lease->file);
        lease->file = -1;
        return vz_fail(err, VZ_BUSY, "another process holds the lease");
    }
    if (trouble) {
        let_go(directory, lease);
        return vz_fail_errno(err, trouble, "cannot look at the lease of the store");
    }
    const vz_os_lock_reach reach = !locked                ? VZ_OS_REACH_UNKNOWN
                                   : lease->of_one_kernel ? VZ_OS_REACH_KERNEL
                                                          : vz_os_reach_of_locks(lease->file);
    const int size = snprintf(head, sizeof head, HEAD "%s %s\n", lease->id, reaches[reach]);
    if (append(lease, head, (size_t)size, err))
        return true;
    let_go(directory, lease);
    return false;
}

bool vz_lease_note(vz_lease *lease, const char *directory, vz_error *err)
{
    char line[PATH_MAX + 1];
    const int size = snprintf(line, sizeof line, "%s\n", directory);
    if (size >= (int)sizeof line || strchr(directory, '\n')) /* the file would say something else */
        return true;
    return append(lease, line, (size_t)size, err);
}

/* ---- all who write in a store ---- */

/* A byte of the store's directory that each of them has locked for reading. The lock goes with
 * the directory wherever that is moved to, and tells more than the leases of those who are found
 * beside it. */
#define JOINT_BYTE ((uint64_t)1 << 62)

void vz_lease_join(int root)
{
    vz_os_lock_byte(root, JOINT_BYTE, VZ_OS_LOCK_SHARED); /* where there are no locks nobody is
                                                           * proven to be alone */
}

bool vz_lease_is_alone(int root)
{
    bool held;
    const vz_os_lock_reach reach = vz_os_reach_of_locks(root);
    return (reach == VZ_OS_REACH_KERNEL || reach == VZ_OS_REACH_OVERLAY) &&
           vz_os_find_byte_lock(root, JOINT_BYTE, VZ_OS_LOCK_EXCLUSIVE, &held) == 0 && !held;
}

/* ---- the side of who finds it ---- */

static bool read_head(int file, char id[VZ_LEASE_ID_SIZE], char reach[16])
{
    char head[HEAD_MAX + 1];
    const ssize_t size = vz_os_pread(file, head, HEAD_MAX, 0);
    if (size <= 0)
        return false;
    head[size] = '\0';
    return strchr(head, '\n') && sscanf(head, HEAD "%32s %15s", id, reach) == 2;
}

/* We have the lock that the writer had, if it is the same lock. */
static bool proves_death(int file, const char *reach)
{
    const vz_os_lock_reach ours = vz_os_reach_of_locks(file);
    return ours != VZ_OS_REACH_UNKNOWN && strcmp(reach, reaches[ours]) == 0;
}

bool vz_lease_read_id(int directory, char id[VZ_LEASE_ID_SIZE])
{
    char reach[16];
    const int file = vz_os_open_at(directory, VZ_LEASE_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return false;
    const bool ok = read_head(file, id, reach);
    vz_os_close(file);
    return ok;
}

vz_lease_state vz_lease_look(int directory, vz_lease *lease)
{
    char reach[16];
    lease->file = vz_os_open_at(directory, VZ_LEASE_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (lease->file < 0)
        return errno == ENOENT ? VZ_LEASE_NONE : VZ_LEASE_UNPROVEN;
    if (vz_os_lock(lease->file, VZ_OS_LOCK_EXCLUSIVE) == 0) {
        /* Without a whole first line its writer did not come so far as to make anything. */
        const bool is_whole = read_head(lease->file, lease->id, reach);
        if (is_whole ? proves_death(lease->file, reach) : vz_os_reach_of_locks(lease->file) != VZ_OS_REACH_UNKNOWN) {
            if (!is_whole)
                lease->id[0] = '\0';
            return VZ_LEASE_DEAD;
        }
    }
    vz_os_close(lease->file);
    lease->file = -1;
    return VZ_LEASE_UNPROVEN;
}

bool vz_lease_each_note(const vz_lease *lease, bool (*visit)(void *context, const char *directory), void *context)
{
    vz_buffer text = {0};
    bool ok = vz_os_file_read_text(lease->file, NOTES_MAX, &text, NULL);
    char *rest = ok ? (char *)text.data : NULL, *line = strsep(&rest, "\n"); /* the first */
    while (ok && (line = strsep(&rest, "\n")))
        ok = !*line || visit(context, line);
    vz_buffer_clear(&text);
    return ok;
}

void vz_lease_forget_notes(vz_lease *lease)
{
    char head[HEAD_MAX + 1];
    const ssize_t size = vz_os_pread(lease->file, head, HEAD_MAX, 0);
    if (size <= 0)
        return;
    head[size] = '\0';
    const char *end = strchr(head, '\n');
    if (end && vz_os_ftruncate(lease->file, end + 1 - head) != 0)
        return; /* they are looked at again */
}
