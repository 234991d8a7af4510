/* library.h - shared libraries: loading them, and which of them lies where. */
#ifndef VZ_OS_LIBRARY_H
#define VZ_OS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* How a library is opened. Otherwise its functions are resolved at once, it is seen by its opener
 * alone, and the last close unloads it. */
enum {
    VZ_OS_LIBRARY_GLOBAL = 1, /* libraries that are loaded later find its functions */
    VZ_OS_LIBRARY_STAYS = 2,  /* it is never unloaded */
    VZ_OS_LIBRARY_LOADED = 4, /* only if it is loaded already */
};

/* NULL: vz_os_library_error says why. `file`: a path, or a name that the loader looks for. */
void *vz_os_library_open(const char *file, unsigned how);
void vz_os_library_close(void *library);
void *vz_os_library_symbol(void *library, const char *name); /* NULL: it has none */
const char *vz_os_library_error(void);                       /* of this thread's last failure, once;
                                                              * NULL: none */
/* Does that text say that the file, or a library that it needs, is not there? */
bool vz_os_library_says_missing(const char *error);
/* The name by which the library that has this address was loaded; NULL: no library has it. */
const char *vz_os_library_of(const void *address);
/* The path of the first loaded library whose file has this name. False: none, or no room. */
bool vz_os_library_find(const char *name, char *path, size_t size);
/* Is one of the last callers of this thread that exported function? */
bool vz_os_is_called_by(const void *function);

#endif
