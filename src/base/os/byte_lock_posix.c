/* byte_lock_posix.c - locks on single bytes where the system has no such locks of open files, or
 * has them but lets them meet flock (macOS). Each is an empty file in /var/tmp, locked by flock
 * (lock_file_posix.c).
 *
 * Locks of processes need none, but end when anybody in the process closes the file. Each call
 * here holds one more lock for its time, the gate. So it is one step to all others. */
#include "base/os/byte_lock_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <unistd.h>

#define LOCKS_MAX 4096 /* held by a process at a time; further ones fail with EMFILE */

#define FREE   0
#define FILLED (-1)

typedef struct byte_lock {
    atomic_int owner; /* its descriptor, plus one; FREE; FILLED: it is being filled in */
    vz_os_locked_byte byte;
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
    vz_os_lock_trouble_set(" (this process has %d locks)", LOCKS_MAX);
    errno = EMFILE;
    return NULL;
}

/* The descriptor `file` holds that lock from here on. The lock's descriptor goes with it, at once
 * where this fails. */
static int fill_slot(int file, const vz_os_locked_byte *byte, int lock, vz_os_lock_kind kind)
{
    byte_lock *slot = claim_slot();
    if (!slot) {
        close(lock);
        errno = EMFILE;
        return -1;
    }
    slot->byte = *byte;
    slot->lock = lock;
    slot->kind = kind;
    atomic_store(&slot->owner, file + 1);
    return 0;
}

static void free_slot(byte_lock *slot)
{
    close(slot->lock);
    atomic_store(&slot->owner, FREE);
}

/* The lock that the descriptor holds on that byte; NULL: none. Somebody may have closed the
 * descriptor behind our back, and opened another file. */
static byte_lock *find_slot(int file, const vz_os_locked_byte *byte)
{
    const unsigned end = atomic_load(&slots_end);
    for (unsigned i = 0; i < end; i++) {
        byte_lock *slot = &slots[i];
        if (atomic_load(&slot->owner) != file + 1)
            continue;
        if (slot->byte.device != byte->device || slot->byte.inode != byte->inode)
            free_slot(slot);
        else if (slot->byte.byte == byte->byte)
            return slot;
    }
    return NULL;
}

/* ---- within the gate ---- */

static int take(int file, const vz_os_locked_byte *byte, vz_os_lock_kind kind)
{
    const int lock = vz_os_lock_file_make(byte);
    if (lock < 0)
        return -1;
    if (vz_os_lock_file_try(lock, kind)) {
        if (fill_slot(file, byte, lock, kind) == 0)
            return 0;
        vz_os_lock_file_drop(byte);
        errno = EMFILE;
        return -1;
    }
    close(lock);
    errno = EAGAIN;
    return -1;
}

/* A lock that cannot become another one is lost, and is there again at once. */
static int change(byte_lock *slot, vz_os_lock_kind kind)
{
    if (vz_os_lock_file_try(slot->lock, kind)) {
        slot->kind = kind;
        return 0;
    }
    vz_os_lock_file_try(slot->lock, slot->kind);
    errno = EAGAIN;
    return -1;
}

static int give_back(byte_lock *slot)
{
    const vz_os_locked_byte byte = slot->byte;
    flock(slot->lock, LOCK_UN); /* of all descriptors that share it */
    free_slot(slot);
    vz_os_lock_file_drop(&byte);
    return 0;
}

/* Its file is gone: a copy of the descriptor gave the lock back, or somebody tidied up. */
static bool is_removed(const byte_lock *slot)
{
    struct stat status;
    return fstat(slot->lock, &status) != 0 || status.st_nlink == 0;
}

static int lock_within(int file, const vz_os_locked_byte *byte, vz_os_lock_kind kind)
{
    byte_lock *slot = find_slot(file, byte);
    if (slot && is_removed(slot)) {
        free_slot(slot);
        slot = NULL;
    }
    if (kind == VZ_OS_UNLOCK)
        return slot ? give_back(slot) : 0;
    return slot ? change(slot, kind) : take(file, byte, kind);
}

/* ---- what others call ---- */

static bool name_byte(int file, uint64_t byte, vz_os_locked_byte *named)
{
    struct stat status;
    vz_os_lock_trouble_set(NULL);
    if (fstat(file, &status) != 0) {
        errno = ENOLCK;
        return false;
    }
    *named = (vz_os_locked_byte){status.st_dev, status.st_ino, byte};
    return true;
}

int vz_os_lock_byte(int file, uint64_t byte, vz_os_lock_kind kind)
{
    vz_os_locked_byte named;
    if (!name_byte(file, byte, &named))
        return -1;
    const int gate = vz_os_gate_enter();
    if (gate < 0)
        return -1;
    const int result = lock_within(file, &named, kind);
    vz_os_gate_leave(gate);
    return result;
}

/* Our own lock is no obstacle. */
static bool is_refused(int file, const vz_os_locked_byte *byte, vz_os_lock_kind kind, int other)
{
    byte_lock *slot = find_slot(file, byte);
    const bool is_ours = slot && !is_removed(slot);
    const int lock = is_ours ? slot->lock : other;
    const bool got = vz_os_lock_file_try(lock, kind);
    if (is_ours)
        vz_os_lock_file_try(lock, slot->kind);
    else
        flock(lock, LOCK_UN);
    return !got;
}

static int look_within(int file, const vz_os_locked_byte *byte, vz_os_lock_kind kind, bool *held)
{
    const int other = vz_os_lock_file_open(byte);
    if (other < 0)
        return errno == ENOENT ? 0 : -1;
    *held = is_refused(file, byte, kind, other);
    close(other);
    if (!*held)
        vz_os_lock_file_drop(byte);
    return 0;
}

int vz_os_find_byte_lock(int file, uint64_t byte, vz_os_lock_kind kind, bool *held)
{
    vz_os_locked_byte named;
    *held = false;
    if (!name_byte(file, byte, &named))
        return -1;
    const int other = vz_os_lock_file_open(&named); /* most bytes were never locked */
    if (other < 0)
        return errno == ENOENT ? 0 : -1;
    close(other);
    const int gate = vz_os_gate_enter();
    if (gate < 0)
        return -1;
    const int result = look_within(file, &named, kind, held);
    vz_os_gate_leave(gate);
    return result;
}

void vz_os_byte_locks_end(int file)
{
    const int sys_errno = errno;
    const unsigned end = atomic_load(&slots_end);
    for (unsigned i = 0; i < end; i++) {
        byte_lock *slot = &slots[i];
        if (atomic_load(&slot->owner) != file + 1)
            continue;
        const vz_os_locked_byte byte = slot->byte;
        free_slot(slot);
        const int gate = vz_os_gate_enter();
        if (gate >= 0) {
            vz_os_lock_file_drop(&byte);
            vz_os_gate_leave(gate);
        }
    }
    errno = sys_errno;
}

int vz_os_byte_locks_copy(int file, int copy)
{
    const unsigned end = atomic_load(&slots_end);
    for (unsigned i = 0; i < end; i++) {
        byte_lock *slot = &slots[i];
        if (atomic_load(&slot->owner) != file + 1)
            continue;
        const int lock = fcntl(slot->lock, F_DUPFD_CLOEXEC, 0);
        if (lock < 0 || fill_slot(copy, &slot->byte, lock, slot->kind) != 0) {
            vz_os_byte_locks_end(copy);
            errno = EMFILE;
            return -1;
        }
    }
    return 0;
}
