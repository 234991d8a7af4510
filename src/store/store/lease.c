/* lease.c - see lease.h. The file is text: a line that tells whose locks reach it, then a line
 * for each noted directory. */
#include "store/store/lease.h"
#include "base/os/file.h"
#include "store/store/store.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define HEAD       "vol-zarr lease 1 "
#define HEAD_MAX   256
#define NOTES_MAX  ((uint64_t)256 << 20) /* bytes of notes that are read */
#define MOUNT_FILE "/proc/self/mountinfo"

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

/* "kernel": a file system that one kernel has mounted at a time: each of its processes meets the
 * lock, and one of another kernel can have been there before only. "overlay": the same, but who
 * sees the directories below meets other locks. "server": NFS that leaves locks to the server.
 * "none": we cannot tell. */
enum reach { REACH_NONE, REACH_KERNEL, REACH_OVERLAY, REACH_SERVER };
static const char *const reaches[] = {"none", "kernel", "overlay", "server"};

enum { OVERLAYFS = 0x794C7630, NFS = 0x6969 };

/* NFS may be mounted with locks that the client keeps to itself. */
static bool has_server_locks(int file)
{
    struct stat status;
    FILE *mounts = fstat(file, &status) == 0 ? fopen(MOUNT_FILE, "re") : NULL;
    char *line = NULL, device[32];
    size_t capacity = 0;
    bool found = false;
    if (!mounts)
        return false;
    snprintf(device, sizeof device, "%u:%u", major(status.st_dev), minor(status.st_dev));
    while (!found && getline(&line, &capacity, mounts) > 0) {
        char of[32];
        found = sscanf(line, "%*s %*s %31s", of) == 1 && strcmp(of, device) == 0 && strstr(line, "local_lock=none");
    }
    free(line);
    fclose(mounts);
    return found;
}

static enum reach reach_of(int file)
{
    struct statfs status;
    if (fstatfs(file, &status) != 0)
        return REACH_NONE;
    const unsigned long type = (unsigned long)status.f_type & 0xFFFFFFFFUL;
    if (type == NFS)
        return has_server_locks(file) ? REACH_SERVER : REACH_NONE;
    if (type == OVERLAYFS)
        return REACH_OVERLAY;
    return vz_file_system_is_of_one_kernel(type) ? REACH_KERNEL : REACH_NONE;
}

/* ---- the writer's side ---- */

static bool append(const vz_lease *lease, const char *text, size_t size, vz_error *err)
{
    while (size > 0) {
        const ssize_t put = write(lease->file, text, size);
        if (put == 0 || (put < 0 && errno != EINTR))
            return vz_fail_errno(err, put ? errno : ENOSPC, "cannot write the lease");
        if (put > 0) {
            text += put;
            size -= (size_t)put;
        }
    }
    while (lease->durable && fdatasync(lease->file) != 0)
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
    if (fstat(lease->file, &status) != 0)
        return errno;
    if (lease->of_one_kernel)
        return status.st_nlink ? 0 : ENOENT;
    if (fstatat(directory, VZ_LEASE_NAME, &named, AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    return vz_file_is_same(&status, &named) ? 0 : ENOENT;
}

static void let_go(int directory, vz_lease *lease)
{
    if (look_for_ours(directory, lease) == 0) /* else it is somebody else's by now */
        unlinkat(directory, VZ_LEASE_NAME, 0);
    close(lease->file);
    lease->file = -1;
}

bool vz_lease_acquire(int directory, vz_lease *lease, vz_error *err)
{
    char head[HEAD_MAX];
    lease->file = openat(directory, VZ_LEASE_NAME, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (lease->file < 0)
        return vz_fail_errno(err, errno, "cannot make the lease of the store");
    const bool locked = flock(lease->file, LOCK_EX | LOCK_NB) == 0;
    const int trouble = locked ? look_for_ours(directory, lease) : errno == EWOULDBLOCK ? ENOENT : 0;
    if (trouble == ENOENT) {
        close(lease->file);
        lease->file = -1;
        return vz_fail(err, VZ_BUSY, "another process holds the lease");
    }
    if (trouble) {
        let_go(directory, lease);
        return vz_fail_errno(err, trouble, "cannot look at the lease of the store");
    }
    const enum reach reach = !locked ? REACH_NONE : lease->of_one_kernel ? REACH_KERNEL : reach_of(lease->file);
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
static struct flock joint_lock(short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1};
}

void vz_lease_join(int root)
{
    struct flock lock = joint_lock(F_RDLCK);
    fcntl(root, F_OFD_SETLK, &lock); /* where there are no locks nobody is proven to be alone */
}

bool vz_lease_is_alone(int root)
{
    struct flock lock = joint_lock(F_WRLCK);
    const enum reach reach = reach_of(root);
    return (reach == REACH_KERNEL || reach == REACH_OVERLAY) && fcntl(root, F_OFD_GETLK, &lock) == 0 &&
           lock.l_type == F_UNLCK;
}

/* ---- the side of who finds it ---- */

static bool read_head(int file, char id[VZ_LEASE_ID_SIZE], char reach[16])
{
    char head[HEAD_MAX + 1];
    const ssize_t size = pread(file, head, HEAD_MAX, 0);
    if (size <= 0)
        return false;
    head[size] = '\0';
    return strchr(head, '\n') && sscanf(head, HEAD "%32s %15s", id, reach) == 2;
}

/* We have the lock that the writer had, if it is the same lock. */
static bool proves_death(int file, const char *reach)
{
    const enum reach ours = reach_of(file);
    return ours != REACH_NONE && strcmp(reach, reaches[ours]) == 0;
}

bool vz_lease_read_id(int directory, char id[VZ_LEASE_ID_SIZE])
{
    char reach[16];
    const int file = openat(directory, VZ_LEASE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return false;
    const bool ok = read_head(file, id, reach);
    close(file);
    return ok;
}

vz_lease_state vz_lease_look(int directory, vz_lease *lease)
{
    char reach[16];
    lease->file = openat(directory, VZ_LEASE_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (lease->file < 0)
        return errno == ENOENT ? VZ_LEASE_NONE : VZ_LEASE_UNPROVEN;
    if (flock(lease->file, LOCK_EX | LOCK_NB) == 0) {
        /* Without a whole first line its writer did not come so far as to make anything. */
        const bool is_whole = read_head(lease->file, lease->id, reach);
        if (is_whole ? proves_death(lease->file, reach) : reach_of(lease->file) != REACH_NONE) {
            if (!is_whole)
                lease->id[0] = '\0';
            return VZ_LEASE_DEAD;
        }
    }
    close(lease->file);
    lease->file = -1;
    return VZ_LEASE_UNPROVEN;
}

bool vz_lease_each_note(const vz_lease *lease, bool (*visit)(void *context, const char *directory), void *context)
{
    vz_buffer text = {0};
    bool ok = vz_file_read_text(lease->file, NOTES_MAX, &text, NULL);
    char *rest = ok ? (char *)text.data : NULL, *line = strsep(&rest, "\n"); /* the first */
    while (ok && (line = strsep(&rest, "\n")))
        ok = !*line || visit(context, line);
    vz_buffer_clear(&text);
    return ok;
}

void vz_lease_forget_notes(vz_lease *lease)
{
    char head[HEAD_MAX + 1];
    const ssize_t size = pread(lease->file, head, HEAD_MAX, 0);
    if (size <= 0)
        return;
    head[size] = '\0';
    const char *end = strchr(head, '\n');
    if (end && ftruncate(lease->file, end + 1 - head) != 0)
        return; /* they are looked at again */
}
