/* root_lookup_cache.c - which documents stand in the root of the directory that was looked at
 * last. HDF5 asks twice whether we can open a name before it has us open it. The first answer
 * holds for the others, if the directory's own times tell that no name came or went since. */
#include "base/os/file.h"
#include "store/directory/directory_internal.h"
#include <stdlib.h>

enum { KEYS_MAX = 4, KEY_SIZE = 16 };

struct vz_directory_seen {
    struct stat root;
    bool settled; /* whatever comes or goes after this look changes the directory's times */
    unsigned count;
    struct {
        char key[KEY_SIZE];
        bool exists;
    } keys[KEYS_MAX];
};

static vz_os_mutex lock = VZ_OS_MUTEX_INIT;
static struct vz_directory_seen last;

static bool same_directory(const struct stat *a, const struct stat *b)
{
    return vz_os_file_is_same(a, b) && vz_time_is_same(&a->st_mtim, &b->st_mtim) &&
           vz_time_is_same(&a->st_ctim, &b->st_ctim);
}

void vz_directory_see(struct vz_directory *store, const struct stat *root, bool settled)
{
    struct vz_directory_seen *seen = calloc(1, sizeof *seen);
    if (!seen)
        return;
    vz_os_mutex_lock(&lock);
    if (last.settled && same_directory(&last.root, root))
        *seen = last;
    vz_os_mutex_unlock(&lock);
    seen->root = *root;
    seen->settled |= settled;
    store->seen = seen;
}

static void note(struct vz_directory_seen *seen, const char *key, bool exists)
{
    if (seen->count == KEYS_MAX || strlen(key) >= KEY_SIZE || strchr(key, '/'))
        return;
    strcpy(seen->keys[seen->count].key, key);
    seen->keys[seen->count++].exists = exists;
}

bool vz_directory_has(vz_store *store, const char *key, bool *has, vz_error *err)
{
    struct vz_directory_seen *seen = vz_directory_of(store)->seen;
    vz_stamp stamp;
    for (unsigned i = 0; seen && i < seen->count; i++)
        if (strcmp(seen->keys[i].key, key) == 0) {
            *has = seen->keys[i].exists;
            return true;
        }
    if (!store->class->stat(store, key, &stamp, err))
        return false;
    *has = stamp.exists;
    if (seen)
        note(seen, key, *has);
    return true;
}

void vz_directory_leave_seen(struct vz_directory *store)
{
    if (!store->seen)
        return;
    vz_os_mutex_lock(&lock);
    last = *store->seen;
    vz_os_mutex_unlock(&lock);
    free(store->seen);
    store->seen = NULL;
}

const char *vz_directory_next_missing(const struct vz_directory *store, unsigned *cursor)
{
    const struct vz_directory_seen *seen = store->seen;
    while (seen && *cursor < seen->count) {
        const unsigned i = (*cursor)++;
        if (!seen->keys[i].exists)
            return seen->keys[i].key;
    }
    return NULL;
}
