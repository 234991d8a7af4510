/* staging_inspect.c - finds the staging areas of a store for h5zarr check. It changes nothing,
 * but holds the lock of a dead writer's lease for a moment. */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "store/directory/staging_internal.h"
#include <errno.h>
#include <limits.h>

_Static_assert(VZ_LEFTOVER_ID_SIZE == VZ_LEASE_ID_SIZE, "the id of a leftover is that of its lease");

typedef struct looking {
    vz_store *store;
    vz_leftover_visit visit;
    void *context;
    vz_error *err;
    bool ok;
} looking;

static bool is_trusted(vz_store *store, int directory)
{
    struct stat root, status;
    return vz_os_fstat(vz_directory_of(store)->root, &root) == 0 && vz_os_fstat(directory, &status) == 0 &&
           vz_staging_is_owned(&root, &status);
}

static void judge(vz_store *store, int directory, vz_leftover *leftover)
{
    vz_lease lease = {.file = -1};
    leftover->is_dead = is_trusted(store, directory) && vz_lease_look(directory, &lease) == VZ_LEASE_DEAD;
    if (lease.file >= 0)
        vz_os_close(lease.file);
    if (!vz_lease_read_id(directory, leftover->id))
        leftover->id[0] = '\0';
    leftover->has_journal = vz_os_has_name(directory, VZ_JOURNAL_NAME) == 0;
}

static bool tell(looking *l, int directory)
{
    char path[PATH_MAX];
    vz_leftover leftover = {.path = path};
    if (!vz_directory_path_of(directory, path, sizeof path))
        return vz_fail_errno(l->err, errno, "cannot find the path of a staging area");
    judge(l->store, directory, &leftover);
    return l->visit(l->context, &leftover, l->err);
}

static bool look(void *context, int parent, const char *name)
{
    looking *l = context;
    if (!l->ok)
        return false;
    const int directory = vz_os_open_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (directory < 0)
        return errno != ENOENT;
    l->ok = tell(l, directory);
    vz_os_close(directory);
    return true;
}

bool vz_directory_each_leftover(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err)
{
    looking l = {.store = store, .visit = visit, .context = context, .err = err, .ok = true};
    vz_staging_each(store, look, &l); /* where the directory above cannot be opened nothing can be
                                       * reported of it */
    return l.ok;
}
