/* byte_lock_posix.c - locks on single bytes where the system has no such locks of open files, or
 * has them but lets them meet flock (macOS). Each is an empty file, locked by flock:
 *
 *   /var/tmp/.vol-zarr-lock-DEVICE-INODE-BYTE
 *
 * Locks of processes need none, but end when anybody in the process closes the file. Each call
 * here holds one more lock for its time, the gate. So it is one step to all others. */
#include "base/os/file_system.h"
#include "base/os/byte_lock_internal.h"
#include "base/os/process.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#define PLACE     "/var/tmp/.vol-zarr-lock"
#define NAME_SIZE (sizeof PLACE + 3 * (1 + 16))
#define LOCKS_MAX 4096 /* held by a process at a time; further ones fail with ENOLCK */

#define GATE_WAIT_NS (5 * VZ_OS_NS_PER_S) /* it is held for a few calls of the system */
#define GATE_LOOK_US 100
#define MAKE_TRIES   100 /* somebody may remove the file between two calls */

#define FREE   0
#define FILLED (-1)

typedef struct byte_lock {
    atomic_int owner; /* its descriptor, plus one; FREE; FILLED: it is being filled in */
    dev_t device;
    ino_t inode;
    uint64_t byte;
    int lock; /* the descriptor of the lock's file */
    vz_os_lock_kind kind;
} byte_lock;

/* There is no mutex over it, which a thread might hold while another one forks. A slot has one
 * owner, and who uses one descriptor does so from one thread at a time. */
static byte_lock slots[LOCKS_MAX];
static atomic_uint slots_end; /* those from here on were never used */

bool vz_os_byte_locks_are_in_file(void)
{
    return false;
}

/* ---- slots ---- */

static byte_lock *claim_slot(void)
{
    for (unsigned i = 0; i < LOCKS_MAX; i++) {
        int expected = FREE;
        if (!atomic_compare_exchange_strong(&slots[i].owner, &expected, FILLED))
            continue;
        unsigned end = atomic_load(&slots_end);
        while (end <= i && !atomic_compare_exchange_weak(&slots_end, &end, i + 1))
            continue;
        return &slots[i];
    }
    return NULL;
}

static void free_slot(byte_lock *slot)
{
    close(slot->lock);
    atomic_store(&slot->owner, FREE);
}

/* The lock that the descriptor holds on that byte; NULL: none. Somebody may have closed the
 * descriptor behind our back, and opened another file. */
static byte_lock *find_slot(int file, const struct stat *status, uint64_t byte)
{
    const unsigned end = atomic_load(&slots_end);
    for (unsigned i = 0; i < end; i++) {
        byte_lock *slot = &slots[i];
        if (atomic_load(&slot->owner) != file + 1)
            continue;
        if (slot->device != status->st_dev || slot->inode != status->st_ino)
            free_slot(slot);
        else if (slot->byte == byte)
            return slot;
    }
    return NULL;
}

/* ---- files ---- */

static void name_lock(char name[NAME_SIZE], dev_t device, ino_t inode, uint64_t byte)
{
    snprintf(name, NAME_SIZE, PLACE "-%" PRIx64 "-%" PRIx64 "-%" PRIx64, (uint64_t)device, (uint64_t)inode, byte);
}

/* Any user may lock it, and its owner alone may remove it. */
static int make_file(const char *name)
{
    const int file = open(name, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0)
        fchmod(file, 0666);
    return file;
}

static int open_file(const char *name)
{
    return open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* -1 and ENOLCK: there can be no locks here. */
static int open_or_make(const char *name)
{
    int file = -1;
    for (int i = 0; file < 0 && i < MAKE_TRIES; i++) {
        file = open_file(name);
        if (file < 0 && errno == ENOENT)
            file = make_file(name);
        if (file < 0 && errno != EEXIST)
            break;
    }
    if (file < 0 && errno != EMFILE && errno != ENFILE)
        errno = ENOLCK;
    return file;
}

static bool try_lock(int lock, vz_os_lock_kind kind)
{
    return flock(lock, (kind == VZ_OS_LOCK_EXCLUSIVE ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0;
}

/* Within the gate nobody else locks it meanwhile. */
static void remove_if_unused(const char *name)
{
    const int file = open_file(name);
    if (file < 0)
        return;
    if (try_lock(file, VZ_OS_LOCK_EXCLUSIVE)) {
        unlink(name);
        flock(file, LOCK_UN);
    }
    close(file);
}

/* ---- the gate ---- */

static int enter(void)
{
    const int gate = open_or_make(PLACE);
    const int64_t end = vz_os_now_ns() + GATE_WAIT_NS;
    if (gate < 0)
        return -1;
    while (!try_lock(gate, VZ_OS_LOCK_EXCLUSIVE)) {
        const int sys_errno = errno;
        if ((sys_errno == EWOULDBLOCK || sys_errno == EINTR) && vz_os_now_ns() < end) {
            vz_os_sleep_us(GATE_LOOK_US);
            continue;
        }
        close(gate);
        errno = sys_errno == EINTR ? EWOULDBLOCK : sys_errno;
        return -1;
    }
    return gate;
}

/* Unlocked by name: a child that was forked meanwhile has the descriptor, too. */
static void leave(int gate)
{
    const int sys_errno = errno;
    flock(gate, LOCK_UN);
    close(gate);
    errno = sys_errno;
}

/* ---- within the gate ---- */

static int take(int file, const struct stat *status, uint64_t byte, vz_os_lock_kind kind)
{
    char name[NAME_SIZE];
    name_lock(name, status->st_dev, status->st_ino, byte);
    const int lock = open_or_make(name);
    if (lock < 0)
        return -1;
    const bool got = try_lock(lock, kind);
    byte_lock *slot = got ? claim_slot() : NULL;
    if (!slot) {
        close(lock);
        errno = got ? ENOLCK : EAGAIN;
        return -1;
    }
    slot->device = status->st_dev;
    slot->inode = status->st_ino;
    slot->byte = byte;
    slot->lock = lock;
    slot->kind = kind;
    atomic_store(&slot->owner, file + 1);
    return 0;
}

/* A lock that cannot become another one is lost, and is there again at once. */
static int change(byte_lock *slot, vz_os_lock_kind kind)
{
    if (try_lock(slot->lock, kind)) {
        slot->kind = kind;
        return 0;
    }
    try_lock(slot->lock, slot->kind);
    errno = EAGAIN;
    return -1;
}

static int give_back(byte_lock *slot)
{
    char name[NAME_SIZE];
    name_lock(name, slot->device, slot->inode, slot->byte);
    flock(slot->lock, LOCK_UN); /* of all descriptors that share it */
    free_slot(slot);
    remove_if_unused(name);
    return 0;
}

/* Its file is gone: a copy of the descriptor gave the lock back, or somebody tidied up. */
static bool is_removed(const byte_lock *slot)
{
    struct stat status;
    return fstat(slot->lock, &status) != 0 || status.st_nlink == 0;
}

static int lock_within(int file, const struct stat *status, uint64_t byte, vz_os_lock_kind kind)
{
    byte_lock *slot = find_slot(file, status, byte);
    if (slot && is_removed(slot)) {
        free_slot(slot);
        slot = NULL;
    }
    if (kind == VZ_OS_UNLOCK)
        return slot ? give_back(slot) : 0;
    return slot ? change(slot, kind) : take(file, status, byte, kind);
}

/* ---- what others call ---- */

static bool look_at(int file, struct stat *status)
{
    const bool ok = fstat(file, status) == 0;
    if (!ok)
        errno = ENOLCK;
    return ok;
}

int vz_os_lock_byte(int file, uint64_t byte, vz_os_lock_kind kind)
{
    struct stat status;
    if (!look_at(file, &status))
        return -1;
    const int gate = enter();
    if (gate < 0)
        return -1;
    const int result = lock_within(file, &status, byte, kind);
    leave(gate);
    return result;
}

/* Our own lock is no obstacle. */
static bool is_refused(int file, const struct stat *status, uint64_t byte, vz_os_lock_kind kind, int other)
{
    byte_lock *slot = find_slot(file, status, byte);
    const int lock = slot ? slot->lock : other;
    const bool got = try_lock(lock, kind);
    if (!slot)
        flock(lock, LOCK_UN);
    else
        try_lock(lock, slot->kind);
    return !got;
}

int vz_os_find_byte_lock(int file, uint64_t byte, vz_os_lock_kind kind, bool *held)
{
    struct stat status;
    char name[NAME_SIZE];
    *held = false;
    if (!look_at(file, &status))
        return -1;
    name_lock(name, status.st_dev, status.st_ino, byte);
    const int other = open_file(name); /* before the gate: most bytes were never locked */
    if (other < 0 && errno == ENOENT)
        return 0;
    const int gate = other < 0 ? -1 : enter();
    if (gate >= 0) {
        *held = is_refused(file, &status, byte, kind, other);
        if (!*held)
            remove_if_unused(name);
        leave(gate);
    }
    if (other >= 0)
        close(other);
    return gate < 0 ? -1 : 0;
}

void vz_os_byte_locks_end(int file)
{
    const int sys_errno = errno;
    const unsigned end = atomic_load(&slots_end);
    for (unsigned i = 0; i < end; i++) {
        byte_lock *slot = &slots[i];
        char name[NAME_SIZE];
        if (atomic_load(&slot->owner) != file + 1)
            continue;
        name_lock(name, slot->device, slot->inode, slot->byte);
        free_slot(slot);
        const int gate = enter();
        if (gate >= 0) {
            remove_if_unused(name);
            leave(gate);
        }
    }
    errno = sys_errno;
}

void vz_os_byte_locks_copy(int file, int copy)
{
    const unsigned end = atomic_load(&slots_end);
    for (unsigned i = 0; i < end; i++) {
        byte_lock *slot = &slots[i];
        byte_lock *further = atomic_load(&slot->owner) == file + 1 ? claim_slot() : NULL;
        if (!further)
            continue;
        further->device = slot->device;
        further->inode = slot->inode;
        further->byte = slot->byte;
        further->kind = slot->kind;
        further->lock = fcntl(slot->lock, F_DUPFD_CLOEXEC, 0);
        atomic_store(&further->owner, further->lock < 0 ? FREE : copy + 1);
    }
}
