/* staging_swap.c - a tree of the store and one of the staging area change places where the file
 * system has no call for that. Between the first two renames the store has no such tree:
 *
 *   x/a -> N.aside;  N -> x/a;  N.aside -> N
 *
 * The lease notes it before. If this writer dies in between, the next one puts the tree back.
 */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "store/directory/staging_internal.h"
#include "base/util/bytes.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define ASIDE      ".aside"
#define ASIDE_SIZE (VZ_DECIMAL_SIZE + sizeof ASIDE)

/* ---- the note ---- */

/* "//N.aside KEY": one slash begins those of shapes, whose keys begin with none. */
bool vz_staging_is_swap_note(const char *line)
{
    return line[0] == VZ_LEASE_SHAPE && line[1] == VZ_LEASE_SHAPE;
}

static bool note(vz_staging *staging, const char *aside, const char *key, vz_error *err)
{
    char line[PATH_MAX];
    if (snprintf(line, sizeof line, "//%s %s", aside, key) >= (int)sizeof line)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot replace");
    vz_os_mutex_lock(&staging->making);
    const bool ok = vz_lease_note(&staging->lease, line, err);
    vz_os_mutex_unlock(&staging->making);
    return ok;
}

/* *key: within the line, which may be hostile. */
static bool parse_note(const char *line, char aside[ASIDE_SIZE], const char **key)
{
    const char *name = line + 2;
    const size_t digits = strspn(name, "0123456789"), suffix = strlen(ASIDE);
    if (!digits || digits >= VZ_DECIMAL_SIZE || strncmp(name + digits, ASIDE " ", suffix + 1) != 0)
        return false;
    memcpy(aside, name, digits + suffix);
    aside[digits + suffix] = '\0';
    *key = name + digits + suffix + 1;
    return true;
}

/* ---- the writer ---- */

/* Nothing is lost by another way: the values are copied, one by one. */
static bool may_copy(int sys_errno)
{
    return sys_errno == EXDEV || sys_errno == EACCES || sys_errno == EPERM || vz_directory_cannot_rename_so(sys_errno);
}

typedef struct swapping {
    vz_staging *staging;
    int parent; /* the tree's directory, in which it has the name */
    const char *name, *fresh;
    char aside[ASIDE_SIZE];
    bool noted;
} swapping;

/* A tree that is not published goes with its writer in any case. */
static bool fail_away(const swapping *s, int sys_errno, vz_error *err)
{
    s->staging->keeps_aside = s->noted;
    if (!s->noted)
        return vz_fail_errno(err, sys_errno, "cannot replace what was there");
    return vz_fail_errno(err, sys_errno,
                         "cannot replace what was there. It is %s/%s now, and the next writer puts it back",
                         s->staging->name, s->aside);
}

static bool swap(const swapping *s, bool *done, vz_error *err)
{
    const int inner = vz_directory_root(s->staging->inner);
    if (vz_os_rename_at(s->parent, s->name, inner, s->aside) != 0)
        return may_copy(errno) || vz_fail_errno(err, errno, "cannot replace what is there");
    *done = vz_os_rename_at(inner, s->fresh, s->parent, s->name) == 0;
    const int sys_errno = errno;
    if (*done && vz_os_rename_at(inner, s->aside, inner, s->fresh) != 0)
        vz_directory_del_tree(s->staging->inner, s->aside, NULL); /* nobody may put that back */
    if (*done)
        return true;
    if (vz_os_rename_at(inner, s->aside, s->parent, s->name) == 0)
        return vz_fail_errno(err, sys_errno, "cannot replace what is there");
    return fail_away(s, sys_errno, err);
}

bool vz_staging_swap(vz_staging *staging, const vz_store_key_location *at, const char *fresh, bool *done, vz_error *err)
{
    const struct vz_directory *store = vz_directory_of(at->store);
    swapping s = {.staging = staging,
                  .name = vz_directory_last_part(at->key),
                  .fresh = fresh,
                  .noted = at->store == staging->outer};
    struct stat status;
    *done = false;
    if (strchr(fresh, '/') || snprintf(s.aside, sizeof s.aside, "%s" ASIDE, fresh) >= (int)sizeof s.aside)
        return true;
    s.parent = vz_directory_borrow_parent(store, at->key);
    const bool is_tree = s.parent >= 0 && vz_os_lstat_at(s.parent, s.name, &status) == 0 && S_ISDIR(status.st_mode);
    const bool ok = !is_tree || ((!s.noted || note(staging, s.aside, at->key, err)) && swap(&s, done, err));
    vz_directory_leave(store, s.parent);
    return ok;
}

/* ---- the next writer ---- */

/* Somebody who made the name anew meanwhile has it. */
static bool rename_back(int directory, const char *aside, int parent, const char *name)
{
    if (vz_os_rename_new(directory, aside, parent, name) == 0 || errno == EEXIST)
        return true;
    if (!vz_directory_cannot_rename_so(errno))
        return false;
    return vz_os_has_name(parent, name) == 0 || vz_os_rename_at(directory, aside, parent, name) == 0;
}

bool vz_staging_put_back(int root, int directory, const char *line)
{
    char aside[ASIDE_SIZE], above[PATH_MAX];
    const char *key;
    if (!parse_note(line, aside, &key) || !*key || strlen(key) >= sizeof above)
        return true;
    if (vz_os_has_name(directory, aside) != 0)
        return errno == ENOENT;
    const char *name = vz_directory_last_part(key);
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return true;
    snprintf(above, sizeof above, "%.*s", name > key ? (int)(name - key - 1) : 1, name > key ? key : ".");
    const int parent = vz_staging_open_noted(root, above);
    if (parent < 0)
        return vz_directory_is_missing(errno);
    const bool ok = rename_back(directory, aside, parent, name);
    vz_os_close(parent);
    return ok;
}
