/* directory_path.h - the path of an open directory, on every system. */
#ifndef VZ_OS_DIRECTORY_PATH_H
#define VZ_OS_DIRECTORY_PATH_H

#include <stddef.h>
#include <sys/types.h>

/* As vz_os_path_of, but each directory is looked for in the one above it. */
ssize_t vz_os_path_of_directory(int directory, char *path, size_t size);

#endif
