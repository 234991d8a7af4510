/* tree_calls.c - temporary files and directories, removing a tree, matching a pattern. They are the
 * program's and the credentials': the plugin does without this file, and without these calls. */
#include "base/os/file.h"
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OPEN_WHILE_REMOVING 32 /* descriptors */

int vz_os_mkstemp(char *name)
{
    return mkostemp(name, O_CLOEXEC);
}

int vz_os_mkdtemp(char *name)
{
    return mkdtemp(name) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

bool vz_os_remove_tree(const char *path)
{
    return nftw(path, remove_entry, OPEN_WHILE_REMOVING, FTW_DEPTH | FTW_PHYS) == 0;
}

int vz_os_glob(const char *pattern, vz_os_matches *matches)
{
    glob_t *result = calloc(1, sizeof *result);
    *matches = (vz_os_matches){.result = result};
    const int status = result ? glob(pattern, 0, NULL, result) : GLOB_NOSPACE;
    if (status == 0) {
        matches->paths = result->gl_pathv;
        matches->count = result->gl_pathc;
    }
    return status == GLOB_NOSPACE ? ENOMEM : 0;
}

void vz_os_glob_free(vz_os_matches *matches)
{
    if (matches->result)
        globfree(matches->result);
    free(matches->result);
    *matches = (vz_os_matches){0};
}
