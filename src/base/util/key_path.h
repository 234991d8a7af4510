/* key_path.h - paths, and keys of stores, compared part by part. */
#ifndef VZ_UTIL_KEY_PATH_H
#define VZ_UTIL_KEY_PATH_H

#include <stdbool.h>
#include <string.h>

/* What of `path` follows `prefix`: "" for that itself, "/..." for what is below; NULL: it lies elsewhere. Borrowed. */
static inline const char *vz_path_below(const char *path, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(path, prefix, length) != 0 || (path[length] != '\0' && path[length] != '/'))
        return NULL;
    return path + length;
}

/* Is the key that prefix, or below it? All keys are below the empty one. */
static inline bool vz_key_is_within(const char *key, const char *prefix)
{
    return !*prefix || vz_path_below(key, prefix);
}

#endif
