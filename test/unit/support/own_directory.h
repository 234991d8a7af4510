/* own_directory.h - a directory of a test's own. */
#ifndef OWN_DIRECTORY_H
#define OWN_DIRECTORY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes one; its path is written over what was there. */
static inline bool own_directory(char path[64])
{
    strcpy(path, P_tmpdir "/vz_test_XXXXXX");
    return mkdtemp(path) != NULL;
}

/* 0: it is gone, with all that is in it. */
static inline int remove_tree(const char *path)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", path);
    return system(command);
}

#endif
