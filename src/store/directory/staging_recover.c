/* staging_recover.c - what dead writers left, and the proof that they are dead. It is their staging
 * areas, the unfinished files that their leases note, and the changes of shapes that did not
 * end. */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "store/directory/staging_internal.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS_LOOK 3 /* are looked at even when those before them are not there */
#define ID_LENGTH  (VZ_LEASE_ID_SIZE - 1)
#define BATCH_SIZE 1024 /* bytes of names that are read at once */
#define DEPTH_MAX  66   /* of chunk keys: a part for each dimension, and "c" */
/* in the staging area of a dead writer: a value that is looked at before it goes */
#define TAKEN "taken"

/* ---- unfinished files ---- */

struct sweep {
    const vz_lease *lease;
    int root, directory; /* of the store, and of the dead writer's staging area */
    bool is_new;         /* the store was made anew since */
    bool shapes;         /* of arrays whose change of shape did not end */
    bool unseen;         /* something cannot be listed, or put back: the next writer tries again */
};

static bool is_of_lease(const char *name, const vz_lease *lease)
{
    const char *rest = name + ID_LENGTH;
    return strncmp(name, lease->id, ID_LENGTH) == 0 && *rest == '-' && vz_partial_is_name(name);
}

static bool sweep_directory(int directory, const vz_lease *lease, unsigned depth);

static bool sweep_entry(int directory, const vz_os_entry *entry, const vz_lease *lease, unsigned depth)
{
    if (is_of_lease(entry->name, lease)) {
        vz_os_unlink_at(directory, entry->name);
        return true;
    }
    if (!vz_partial_is_chunk_part(entry->name, strlen(entry->name)) || depth >= DEPTH_MAX ||
        entry->kind == VZ_OS_KIND_FILE)
        return true;
    const int below = vz_os_open_at(directory, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!sweep_directory(below, lease, depth + 1))
        return false;
    vz_os_rmdir_at(directory, entry->name); /* if it is empty: made for a chunk that did not come */
    return true;
}

/* Nothing of ours is there, or nobody lets us look. */
static bool is_settled(int sys_errno)
{
    return vz_directory_is_missing(sys_errno) || sys_errno == ELOOP || sys_errno == EACCES || sys_errno == EPERM;
}

/* Takes over `directory`; -1: errno says why it is not open. A file that cannot be removed stays:
 * that is no reason to fail. False: not all could be looked at. */
static bool sweep_directory(int directory, const vz_lease *lease, unsigned depth)
{
    VZ_OS_BATCH(batch, BATCH_SIZE);
    vz_os_listing listing = {.directory = directory, .batch = batch, .room = sizeof batch};
    vz_os_entry entry;
    if (directory < 0)
        return is_settled(errno);
    bool ok = true;
    while (vz_os_list_next(&listing, &entry))
        ok = sweep_entry(directory, &entry, lease, depth) && ok;
    ok = ok && errno == 0;
    vz_os_list_end(&listing);
    vz_os_close(directory);
    return ok;
}

static bool sweep_noted(void *context, const char *line)
{
    struct sweep *sweep = context;
    if (vz_staging_is_swap_note(line))
        sweep->unseen |= !sweep->is_new && !vz_staging_put_back(sweep->root, sweep->directory, line);
    else if (*line == VZ_LEASE_SHAPE)
        sweep->shapes = true;
    else
        sweep->unseen |= !sweep_directory(vz_staging_open_noted(sweep->root, line), sweep->lease, 0);
    return true;
}

bool vz_staging_is_owned(const struct stat *root, const struct stat *staging)
{
    return staging->st_uid == root->st_uid || vz_os_is_own(staging);
}

/* Is the owner of that stage one of those whose store this is? Both are descriptors of
 * directories. */
static bool is_trusted(int root, int directory)
{
    struct stat store, status;
    return vz_os_fstat(root, &store) == 0 && vz_os_fstat(directory, &status) == 0 &&
           vz_staging_is_owned(&store, &status);
}

static bool stays(const char *name)
{
    return strcmp(name, VZ_LEASE_NAME) == 0 || strcmp(name, VZ_JOURNAL_NAME) == 0;
}

static vz_store *store_over(int directory)
{
    const int copy = vz_os_open_at(directory, ".", O_RDONLY | O_DIRECTORY);
    return copy < 0 ? NULL : vz_directory_over(copy, "/", NULL, true, NULL);
}

bool vz_staging_empty(int directory)
{
    VZ_OS_BATCH(batch, BATCH_SIZE);
    const int list = vz_os_open_at(directory, ".", O_RDONLY | O_DIRECTORY);
    vz_os_listing listing = {.directory = list, .batch = batch, .room = sizeof batch};
    vz_os_entry entry;
    vz_store *store = NULL; /* removes trees, where there are any */
    bool ok = list >= 0;
    while (ok && vz_os_list_next(&listing, &entry))
        if (!stays(entry.name)) {
            store = store ? store : store_over(directory);
            ok = store && vz_directory_del_tree(store, entry.name, NULL);
        }
    ok = ok && errno == 0; /* else there may be more */
    vz_os_list_end(&listing);
    if (list >= 0)
        vz_os_close(list);
    vz_directory_close(store);
    return ok;
}

/* Where nothing tells, there may be one. */
static bool has_journal(int directory)
{
    return vz_os_has_name(directory, VZ_JOURNAL_NAME) == 0 || errno != ENOENT;
}

/* As most are when their writer ends. */
static bool has_only_lease(int directory)
{
    VZ_OS_BATCH(batch, BATCH_SIZE);
    vz_os_listing listing = {.directory = directory, .batch = batch, .room = sizeof batch};
    vz_os_entry entry;
    int more = vz_os_list_rewind(&listing) == 0 ? 1 : -1;
    bool only = true;
    while (only && more > 0 && (more = vz_os_list_more(&listing)) > 0)
        while (only && vz_os_list_within(&listing, &entry))
            only = stays(entry.name) && strcmp(entry.name, VZ_JOURNAL_NAME) != 0;
    vz_os_list_end(&listing);
    return only && more == 0;
}

bool vz_staging_remove(int parent, const char *name, int directory, bool keep_journal)
{
    const bool is_spent = has_only_lease(directory);
    if (!is_spent && !vz_staging_empty(directory))
        return false;
    if (!is_spent && keep_journal && has_journal(directory))
        return true;
    return (is_spent || vz_os_unlink_at(directory, VZ_JOURNAL_NAME) == 0 || errno == ENOENT) &&
           (vz_os_unlink_at(directory, VZ_LEASE_NAME) == 0 || errno == ENOENT) &&
           (vz_os_rmdir_at(parent, name) == 0 || errno == ENOENT);
}

bool vz_staging_remove_empty(vz_staging *staging, int directory)
{
    if (vz_os_unlink_at(directory, VZ_LEASE_NAME) != 0)
        return false;
    if (vz_os_rmdir_at(staging->parent, staging->name) == 0)
        return true;
    const int before = staging->lease.file;
    vz_lease_acquire(directory, &staging->lease, NULL);
    vz_os_close(before);
    return false;
}

/* ---- stages ---- */

/* At least the first `looks` names are looked for. */
static void each_beside(vz_store *outer, int above, unsigned looks, vz_staging_visit visit, void *context)
{
    char name[NAME_MAX + 1];
    bool found = true, may_lie = false;
    for (unsigned slot = 0; slot < VZ_STAGING_SLOTS && (found || slot < looks); slot++) {
        found = vz_staging_name_slot(outer, slot, name) && vz_staging_is_at(above, name) &&
                (may_lie = may_lie || vz_staging_may_lie_in(above)) && visit(context, above, name);
    }
}

bool vz_staging_each(vz_store *outer, vz_staging_visit visit, void *context)
{
    char name[NAME_MAX + 1];
    const int root = vz_directory_of(outer)->root, above = vz_staging_enter_above(outer);
    const int sys_errno = above < 0 ? errno : 0;
    bool found = true;
    if (above >= 0) {
        each_beside(outer, above, SLOTS_LOOK, visit, context);
        vz_os_close(above);
    }
    for (unsigned slot = 0; slot < VZ_STAGING_SLOTS_INSIDE && (found || slot < SLOTS_LOOK); slot++) {
        vz_staging_name_inside(slot, name);
        found = visit(context, root, name);
    }
    errno = sys_errno;
    return !sys_errno;
}

/* Keeps the lease of a dead writer, and `directory`. */
static bool keep(vz_staging *staging, int parent, const char *name, int directory, const vz_lease *lease)
{
    struct stat status;
    vz_lease_dead_writer *writer = calloc(1, sizeof *writer);
    if (!writer || vz_os_futimens(lease->file, NULL) != 0 || vz_os_fstat(lease->file, &status) != 0 ||
        (writer->parent = vz_os_dup(parent)) < 0) {
        free(writer);
        return false;
    }
    writer->directory = directory;
    writer->lease = *lease;
    writer->found = status.st_mtim;
    snprintf(writer->name, sizeof writer->name, "%s", name);
    writer->next = staging->dead;
    staging->dead = writer;
    return true;
}

static void forget(vz_lease_dead_writer *writer)
{
    vz_os_close(writer->lease.file);
    vz_os_close(writer->directory);
    vz_os_close(writer->parent);
    free(writer);
}

void vz_staging_forget_dead(vz_staging *staging)
{
    while (staging->dead) {
        vz_lease_dead_writer *writer = staging->dead;
        staging->dead = writer->next;
        forget(writer);
    }
}

/* Do documents have all that the journal of that writer tells? */
static bool is_journal_done(const vz_staging *staging, const vz_lease *lease)
{
    return staging->journals_done && vz_strmap_get(staging->journals, lease->id);
}

/* True: the lease and `directory` are kept. */
static bool sweep_dead(vz_staging *staging, int parent, const char *name, int directory, const vz_lease *lease)
{
    struct sweep sweep = {.lease = lease,
                          .root = vz_directory_of(staging->outer)->root,
                          .directory = directory,
                          .is_new = staging->is_new};
    const bool noted = !lease->id[0] || vz_lease_each_note(lease, sweep_noted, &sweep);
    if (!staging->opened && has_journal(directory) && !vz_strmap_put(staging->journals, lease->id, staging, NULL))
        return false;
    if (!noted || sweep.unseen) /* notes that cannot be read are for the next writer */
        return false;
    if (!sweep.shapes || staging->is_new) { /* arrays that were there before a new store are gone */
        vz_staging_remove(parent, name, directory, !is_journal_done(staging, lease));
        return false;
    }
    vz_staging_empty(directory);
    return keep(staging, parent, name, directory, lease);
}

/* false: there is no such stage. */
static bool sweep_staging(vz_staging *staging, int parent, const char *name)
{
    const int root = vz_directory_of(staging->outer)->root;
    const int directory = vz_os_open_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (directory < 0)
        return errno != ENOENT;
    vz_lease lease = {.file = -1};
    const vz_lease_state state = is_trusted(root, directory) ? vz_lease_look(directory, &lease) : VZ_LEASE_UNPROVEN;
    if (state == VZ_LEASE_DEAD && sweep_dead(staging, parent, name, directory, &lease))
        return true;
    if (state == VZ_LEASE_NONE)
        vz_os_rmdir_at(parent, name); /* if it is empty */
    if (lease.file >= 0)
        vz_os_close(lease.file);
    vz_os_close(directory);
    return true;
}

static bool sweep_one(void *context, int parent, const char *name)
{
    return sweep_staging(context, parent, name);
}

void vz_staging_sweep(vz_staging *staging)
{
    vz_staging_each(staging->outer, sweep_one, staging);
    staging->opened = true;
}

void vz_staging_begin_new(vz_staging *staging, const struct stat *root)
{
    const int above = vz_os_open_at(vz_directory_root(staging->outer), "..", vz_os_place | O_DIRECTORY);
    staging->root_made = *root;
    staging->opened = staging->is_new = true;
    if (above < 0)
        return;
    if (vz_staging_may_lie_in(above))
        staging->above = above;
    else
        vz_os_close(above);
}

/* Those are of a store that was there before. Residue behind a name that nobody has is left to the
 * next writer. */
void vz_staging_sweep_beside(vz_staging *staging, int above)
{
    each_beside(staging->outer, above, 1, sweep_one, staging);
}

bool vz_staging_knows_above(const vz_staging *staging)
{
    return staging->above >= 0;
}

void vz_staging_sweep_inside(vz_staging *staging, const char *name)
{
    sweep_staging(staging, vz_directory_of(staging->outer)->root, name);
}

/* ---- shapes ---- */

struct shape_changes {
    const vz_lease_dead_writer *writer;
    int root;
    vz_store_shape_change_visit visit;
    void *context;
    bool ok;
};

static bool visit_line(void *context, const char *line)
{
    struct shape_changes *each = context;
    if (*line != VZ_LEASE_SHAPE || vz_staging_is_swap_note(line))
        return true;
    if (each->visit(each->context, each->writer, line + 1))
        each->ok &=
            sweep_directory(vz_staging_open_noted(each->root, line[1] ? line + 1 : "."), &each->writer->lease, 0);
    else
        each->ok = false;
    return true;
}

void vz_staging_each_shape_change(vz_staging *staging, vz_store_shape_change_visit visit, void *context)
{
    const int root = vz_directory_of(staging->outer)->root;
    if (staging->dead && !vz_lease_is_alone(root)) { /* what looks left over may be what somebody is
                                                      * about to use */
        vz_staging_forget_dead(staging);
        return;
    }
    while (staging->dead) {
        vz_lease_dead_writer *writer = staging->dead;
        struct shape_changes each = {.writer = writer, .root = root, .visit = visit, .context = context, .ok = true};
        staging->dead = writer->next;
        const bool done = vz_lease_each_note(&writer->lease, visit_line, &each) && each.ok;
        if (done && has_journal(writer->directory) && !is_journal_done(staging, &writer->lease))
            vz_lease_forget_notes(&writer->lease);
        else if (done)
            vz_staging_remove(writer->parent, writer->name, writer->directory, false);
        forget(writer);
    }
}

static bool is_older(const struct stat *status, const struct timespec *than)
{
    return status->st_mtim.tv_sec < than->tv_sec ||
           (status->st_mtim.tv_sec == than->tv_sec && status->st_mtim.tv_nsec < than->tv_nsec);
}

/* It is taken away before it is looked at for good: who writes it in between gets it back. */
static bool del_older(int parent, const char *name, const vz_lease_dead_writer *writer, vz_error *err)
{
    struct stat status;
    if (vz_os_lstat_at(parent, name, &status) != 0)
        return vz_directory_is_missing(errno) || vz_fail_errno(err, errno, "cannot stat");
    if (!S_ISREG(status.st_mode) || !is_older(&status, &writer->found))
        return true;
    if (vz_os_rename_at(parent, name, writer->directory, TAKEN) != 0)
        return errno == ENOENT || vz_fail_errno(err, errno, "cannot remove");
    if (vz_os_lstat_at(writer->directory, TAKEN, &status) != 0)
        return vz_fail_errno(err, errno, "cannot stat");
    if (!is_older(&status, &writer->found))
        vz_os_rename_new(writer->directory, TAKEN, parent, name);
    return vz_os_unlink_at(writer->directory, TAKEN) == 0 || errno == ENOENT ||
           vz_fail_errno(err, errno, "cannot remove");
}

bool vz_staging_del_left(vz_staging *staging, const vz_lease_dead_writer *writer, const char *key, vz_error *err)
{
    const struct vz_directory *directory = vz_directory_of(staging->outer);
    const int parent = vz_directory_enter_parent(directory, key);
    if (parent < 0)
        return vz_directory_is_missing(errno) || vz_directory_fail(directory, key, errno, "cannot remove", err);
    const bool ok = del_older(parent, vz_directory_last_part(key), writer, err);
    vz_os_close(parent);
    return ok;
}
