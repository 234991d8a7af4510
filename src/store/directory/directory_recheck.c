/* directory_recheck.c - what seems to be missing is looked for once more. A network file system
 * remembers missing names for half a minute and more. It would turn a chunk that another machine
 * wrote meanwhile into fill. It asks the server anew when a directory is opened. */
#include "store/directory/directory_internal.h"
#include "base/os/file_system.h"
#include "base/os/file.h"
#include <errno.h>
#include <limits.h>

/* directories that are remembered as opened; then they are opened once more */
#define OPENED_MAX 65536

enum { UNKNOWN, LOCAL, SHARED };

void vz_directory_again_init(struct vz_directory_again *again)
{
    vz_os_mutex_init(&again->lock);
    atomic_init(&again->renewed, false);
    atomic_init(&again->reach, LOCAL);
    again->opened = NULL;
    atomic_init(&again->openings, 0);
}

void vz_directory_share(struct vz_directory *store)
{
    store->again.reach = UNKNOWN;
}

void vz_directory_again_clear(struct vz_directory_again *again)
{
    vz_strmap_free(again->opened, NULL);
    vz_os_mutex_destroy(&again->lock);
}

bool vz_directory_renew(vz_store *store, vz_error *err)
{
    (void)err;
    struct vz_directory_again *again = &vz_directory_of(store)->again;
    vz_os_mutex_lock(&again->lock);
    again->renewed = true;
    vz_strmap_free(again->opened, NULL);
    again->opened = NULL;
    vz_os_mutex_unlock(&again->lock);
    return true;
}

/* Without memory for it, it is opened each time. */
static void note_opened(struct vz_directory_again *again, const char *path)
{
    if (again->opened && vz_strmap_count(again->opened) >= OPENED_MAX) {
        vz_strmap_free(again->opened, NULL);
        again->opened = NULL;
    }
    if (again->opened || (again->opened = vz_strmap_new()))
        vz_strmap_put(again->opened, path, (void *)(++again->openings), NULL);
}

enum opening { OPENED_BEFORE, OPENED_NOW, NOT_THERE, FAILED };

/* OPENED_NOW: by us, or by another thread after `before`, when we may have looked already. */
static enum opening open_once(struct vz_directory *store, const char *path, uintptr_t before, vz_error *err)
{
    const uintptr_t opening = store->again.opened ? (uintptr_t)vz_strmap_get(store->again.opened, path) : 0;
    if (opening)
        return opening > before ? OPENED_NOW : OPENED_BEFORE;
    const int directory = vz_os_open_at(store->root, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
    if (directory < 0 && (vz_directory_is_missing(errno) || errno == EACCES))
        return NOT_THERE;
    if (directory < 0) {
        vz_fail_errno(err, errno, "cannot open the directory %.100s", path);
        return FAILED;
    }
    vz_os_close(directory);
    note_opened(&store->again, path);
    return OPENED_NOW;
}

/* Each directory on the way to the key, from the root on: what seems to be missing may be one of
 * them. */
static bool open_way(struct vz_directory *store, const char *key, uintptr_t before, bool *again, vz_error *err)
{
    char path[PATH_MAX];
    enum opening opening = open_once(store, ".", before, err);
    *again = opening == OPENED_NOW;
    for (const char *slash = strchr(key, '/'); slash && opening <= OPENED_NOW; slash = strchr(slash + 1, '/')) {
        const size_t length = (size_t)(slash - key);
        if (length >= sizeof path)
            return true;
        memcpy(path, key, length);
        path[length] = '\0';
        opening = open_once(store, path, before, err);
        *again |= opening == OPENED_NOW;
    }
    return opening != FAILED;
}

/* Under the lock. */
static void look_at_reach(struct vz_directory *store)
{
    if (store->again.reach == UNKNOWN)
        store->again.reach = vz_os_is_of_one_kernel(store->root) ? LOCAL : SHARED;
}

bool vz_directory_is_of_one_kernel(struct vz_directory *store)
{
    if (store->again.reach != UNKNOWN)
        return store->again.reach == LOCAL;
    vz_os_mutex_lock(&store->again.lock);
    look_at_reach(store);
    vz_os_mutex_unlock(&store->again.lock);
    return store->again.reach == LOCAL;
}

bool vz_directory_look_again(struct vz_directory *store, const char *key, uintptr_t before, bool *again, vz_error *err)
{
    struct vz_directory_again *a = &store->again;
    *again = false;
    if (a->reach == LOCAL || (!a->renewed && vz_directory_is_document(key)))
        return true;
    vz_os_mutex_lock(&a->lock);
    look_at_reach(store);
    const bool ok = a->reach == LOCAL || open_way(store, key, before, again, err);
    vz_os_mutex_unlock(&a->lock);
    return ok;
}
