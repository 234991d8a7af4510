/* lock_file_posix.c - the files that stand for locks on bytes (byte_lock_posix.c), and the gate:
 *
 *   /var/tmp/.vol-zarr-lock                      the gate
 *   /var/tmp/.vol-zarr-lock-DEVICE-INODE-BYTE    a byte that somebody has locked, by flock
 *
 * The place is fixed, whatever TMPDIR says: all processes of the machine must meet there. */
#include "base/os/byte_lock_internal.h"
#include "base/os/process.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define PLACE     "/var/tmp/.vol-zarr-lock"
#define NAME_SIZE (sizeof PLACE + 3 * (1 + 16))

#define GATE_WAIT_S  5 /* it is held for a few calls of the system */
#define GATE_LOOK_US 100
#define MAKE_TRIES   100 /* somebody may remove the file between two calls */

static _Thread_local char trouble[256];

void vz_os_lock_trouble_set(const char *format, ...)
{
    va_list more;
    trouble[0] = '\0';
    if (!format)
        return;
    va_start(more, format);
    vsnprintf(trouble, sizeof trouble, format, more);
    va_end(more);
}

const char *vz_os_lock_trouble(void)
{
    return trouble;
}

/* ---- files ---- */

static void name_file(char name[NAME_SIZE], const vz_os_locked_byte *byte)
{
    snprintf(name, NAME_SIZE, PLACE "-%" PRIx64 "-%" PRIx64 "-%" PRIx64, (uint64_t)byte->device, (uint64_t)byte->inode,
             byte->byte);
}

static int open_file(const char *name)
{
    return open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Any user may lock it, and its owner alone may remove it. */
static int make_file(const char *name)
{
    const int file = open(name, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0)
        fchmod(file, 0666);
    return file;
}

static int fail_to_open(const char *name)
{
    vz_os_lock_trouble_set(" (the lock needs the file %s: %s)", name, strerror(errno));
    if (errno != EMFILE && errno != ENFILE)
        errno = ENOLCK;
    return -1;
}

/* Another user who has just made it lets others in with the next call. */
static int open_or_make(const char *name)
{
    for (int i = 0; i < MAKE_TRIES; i++) {
        int file = open_file(name);
        if (file < 0 && errno == ENOENT && (file = make_file(name)) < 0 && errno != EEXIST)
            break;
        if (file >= 0)
            return file;
        if (errno != EACCES && errno != EEXIST)
            break;
        vz_os_sleep_us(GATE_LOOK_US);
    }
    return fail_to_open(name);
}

int vz_os_lock_file_open(const vz_os_locked_byte *byte)
{
    char name[NAME_SIZE];
    name_file(name, byte);
    const int file = open_file(name);
    return file < 0 && errno != ENOENT ? fail_to_open(name) : file;
}

int vz_os_lock_file_make(const vz_os_locked_byte *byte)
{
    char name[NAME_SIZE];
    name_file(name, byte);
    return open_or_make(name);
}

bool vz_os_lock_file_try(int lock, vz_os_lock_kind kind)
{
    return flock(lock, (kind == VZ_OS_LOCK_EXCLUSIVE ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0;
}

void vz_os_lock_file_drop(const vz_os_locked_byte *byte)
{
    char name[NAME_SIZE];
    name_file(name, byte);
    const int file = open_file(name);
    if (file < 0)
        return;
    if (vz_os_lock_file_try(file, VZ_OS_LOCK_EXCLUSIVE)) {
        unlink(name);
        flock(file, LOCK_UN);
    }
    close(file);
}

/* ---- the gate ---- */

/* Somebody tidied up, and others meet at a new gate. */
static bool is_removed(int gate)
{
    struct stat status;
    return fstat(gate, &status) == 0 && status.st_nlink == 0;
}

static int fail_to_enter(int gate, int sys_errno)
{
    close(gate);
    if (sys_errno == EWOULDBLOCK || sys_errno == EINTR) {
        vz_os_lock_trouble_set(" (another process has held " PLACE " for %d s)", GATE_WAIT_S);
        errno = EAGAIN;
        return -1;
    }
    vz_os_lock_trouble_set(" (the lock needs a lock on " PLACE ": %s)", strerror(sys_errno));
    errno = ENOLCK;
    return -1;
}

int vz_os_gate_enter(void)
{
    const int64_t end = vz_os_now_ns() + GATE_WAIT_S * VZ_OS_NS_PER_S;
    int gate = open_or_make(PLACE);
    while (gate >= 0) {
        if (vz_os_lock_file_try(gate, VZ_OS_LOCK_EXCLUSIVE)) {
            if (!is_removed(gate))
                return gate;
            vz_os_gate_leave(gate);
            gate = open_or_make(PLACE);
        } else if ((errno == EWOULDBLOCK || errno == EINTR) && vz_os_now_ns() < end) {
            vz_os_sleep_us(GATE_LOOK_US);
        } else {
            return fail_to_enter(gate, errno);
        }
    }
    return -1;
}

/* Unlocked by name: a child that was forked meanwhile has the descriptor, too. */
void vz_os_gate_leave(int gate)
{
    const int sys_errno = errno;
    flock(gate, LOCK_UN);
    close(gate);
    errno = sys_errno;
}
