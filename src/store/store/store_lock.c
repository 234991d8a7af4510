/* store_lock.c - locks on whole stores, by flock, or as the kind of store says. */
#include "store/store/store.h"
#include "base/os/file.h"
#include "base/os/file_system.h"
#include "base/os/process.h"
#include <errno.h>

/* waited for another process that changes a document, before that is an error */
#define HOLD_SECONDS 10
#define HOLD_PAUSE   1000 /* us between two attempts */

/* ---- the whole store ---- */

typedef int (*lock_setter)(int file, vz_os_lock_kind kind);

static lock_setter setter_of(const vz_store *store)
{
    return store->class->set_lock ? store->class->set_lock : vz_os_lock;
}

static const char *trouble_of(const vz_store *store)
{
    return store->class->set_lock ? vz_os_lock_trouble() : "";
}

/* A descriptor that holds the lock, or -1: *refused=false if that is as good. */
static int lock_file(const vz_store *store, const char *key, vz_store_lock_policy policy, vz_os_lock_kind kind,
                     bool *refused, vz_error *err)
{
    *refused = true;
    const int file = store->class->open_lock(store, key);
    if (file >= 0 && setter_of(store)(file, kind) == 0)
        return file;
    const int sys_errno = errno;
    const char *trouble = file < 0 ? "" : trouble_of(store);
    const bool is_held = file >= 0 && sys_errno == EWOULDBLOCK;
    if (file >= 0)
        vz_os_close(file);
    if (!is_held && policy == VZ_LOCK_IF_POSSIBLE) {
        *refused = false;
    } else if (is_held && !*trouble) {
        vz_fail(err, VZ_BUSY, "another process has locked the store (option locking): wait until it has closed it");
        if (err)
            err->sys_errno = sys_errno;
    } else {
        vz_fail_errno(err, sys_errno, "cannot lock the store%s", trouble);
    }
    return -1;
}

bool vz_store_lock_acquire(vz_store *store, vz_store_lock *lock, const char *key, bool exclusive,
                           vz_store_lock_policy policy, vz_error *err)
{
    bool refused = false;
    if (policy == VZ_LOCK_NO)
        return true;
    if (!store->class->open_lock)
        return policy != VZ_LOCK_YES || (store->capabilities & VZ_STORE_CHEAP) ||
               vz_fail(err, VZ_UNSUPPORTED, "a remote store cannot be locked (option locking)");
    lock->kind = exclusive ? VZ_OS_LOCK_EXCLUSIVE : VZ_OS_LOCK_SHARED;
    lock->set = setter_of(store);
    lock->descriptor = lock_file(store, key, policy, lock->kind, &refused, err);
    if (lock->descriptor >= 0)
        store->lock = lock;
    return lock->descriptor >= 0 || !refused;
}

bool vz_store_lock_relax(vz_store_lock *lock, bool shared, vz_error *err)
{
    const vz_os_lock_kind kind = shared ? VZ_OS_LOCK_SHARED : VZ_OS_UNLOCK;
    if (lock->descriptor < 0 || lock->set(lock->descriptor, kind) == 0) {
        lock->kind = kind;
        return true;
    }
    return vz_fail_errno(err, errno, "cannot change the lock on the store");
}

void vz_store_lock_leave(vz_store_lock *lock)
{
    if (lock->descriptor >= 0)
        vz_os_close(lock->descriptor);
    lock->descriptor = -1;
}

bool vz_store_lock_check(vz_store *store, const char *key, vz_store_lock_policy policy, vz_error *err)
{
    bool refused;
    if (policy == VZ_LOCK_NO || !store->class->open_lock)
        return true;
    const int file = lock_file(store, key, policy, VZ_OS_LOCK_EXCLUSIVE, &refused, err);
    if (file >= 0)
        vz_os_close(file);
    return file >= 0 || !refused;
}

/* ---- documents ---- */

/* The system has no such lock there, or the directory may not be read. */
static bool is_lockless(int sys_errno)
{
    return sys_errno == ENOLCK || sys_errno == ENOSYS || sys_errno == EOPNOTSUPP || sys_errno == EINVAL ||
           sys_errno == EBADF;
}

static bool fail_to_hold(int sys_errno, vz_error *err)
{
    if (sys_errno != EWOULDBLOCK)
        return vz_fail_errno(err, sys_errno, "cannot lock the store's directory to change a document");
    vz_fail(err, VZ_BUSY, "another process has held the lock on the store's directory for %d s", HOLD_SECONDS);
    if (err)
        err->sys_errno = sys_errno;
    return false;
}

vz_store_lock_result vz_store_try_lock(const vz_store *store, const char *key, int *descriptor)
{
    *descriptor = store->class->open_lock ? store->class->open_lock(store, key) : -1;
    if (*descriptor < 0)
        return VZ_TRIED_NO_LOCKS;
    if (vz_os_lock(*descriptor, VZ_OS_LOCK_EXCLUSIVE) == 0)
        return VZ_TRIED_GOT;
    const bool held = errno == EWOULDBLOCK;
    vz_os_close(*descriptor);
    *descriptor = -1;
    return held ? VZ_TRIED_HELD : VZ_TRIED_NO_LOCKS;
}

/* Unlocked by name: a child that was forked meanwhile has the descriptor too. */
void vz_store_end_try(int descriptor)
{
    if (descriptor < 0)
        return;
    vz_os_lock(descriptor, VZ_OS_UNLOCK);
    vz_os_close(descriptor);
}

bool vz_store_replaces_in_place(const vz_store *store)
{
    return store->class->replaces_in_place && store->descriptor;
}

bool vz_store_keep_out(vz_store *store, vz_error *err)
{
    const int64_t end = vz_os_now_ns() + HOLD_SECONDS * VZ_OS_NS_PER_S;
    while (vz_os_lock(*store->descriptor, VZ_OS_LOCK_EXCLUSIVE) != 0) {
        const int sys_errno = errno;
        if (is_lockless(sys_errno))
            return true;
        if ((sys_errno != EWOULDBLOCK && sys_errno != EINTR) || vz_os_now_ns() >= end)
            return fail_to_hold(sys_errno, err);
        vz_os_sleep_us(HOLD_PAUSE);
    }
    return true;
}

void vz_store_let_in(vz_store *store)
{
    vz_os_lock(*store->descriptor, VZ_OS_UNLOCK);
}

/* ---- SWMR ---- */

/* A lock of this kind is the only one that a directory opened for reading can have beside flock. */
#define SWMR_BYTE 0

void vz_store_mark_swmr(vz_store *store)
{
    if (store->descriptor)
        vz_os_lock_byte(*store->descriptor, SWMR_BYTE, VZ_OS_LOCK_SHARED);
}

bool vz_store_has_swmr_mark(const vz_store *store)
{
    bool held;
    return store->descriptor && vz_os_find_byte_lock(*store->descriptor, SWMR_BYTE, VZ_OS_LOCK_EXCLUSIVE, &held) == 0 &&
           held;
}
