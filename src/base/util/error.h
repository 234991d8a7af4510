/* error.h - how a failure travels: a struct by pointer, filled once where it happens, reported
 * once at the top. */
#ifndef VZ_UTIL_ERROR_H
#define VZ_UTIL_ERROR_H

#include <stdbool.h>
#include <stddef.h>

typedef enum vz_error_class {
    VZ_OK = 0,
    VZ_NOT_FOUND,   /* no such store, node, key, attribute, link */
    VZ_EXISTS,      /* the name is taken */
    VZ_PERMISSION,  /* the operating system refused */
    VZ_READ_ONLY,   /* the handle was opened read-only */
    VZ_IO,          /* the operating system failed otherwise (disk full included: sys_errno
                     * tells) */
    VZ_CORRUPT,     /* bytes in the store that cannot be what they claim */
    VZ_UNSUPPORTED, /* understood, but not there: names the feature */
    VZ_INVALID,     /* a wrong argument, option or call */
    VZ_LIMIT,       /* a size or count beyond a named limit */
    VZ_NO_MEMORY,
    VZ_BUSY,      /* open elsewhere in a way that excludes this */
    VZ_CHANGED,   /* another version of a value is there than the one that was meant */
    VZ_TRANSIENT, /* a remote store failed, and may not when it is asked again */
    VZ_HDF5,      /* an HDF5 call failed and its record is on HDF5's stack: make no further HDF5
                   * call, report nothing */
} vz_error_class;

typedef struct vz_error {
    vz_error_class class;
    int sys_errno;    /* 0 if no system call is to blame */
    char store[256];  /* the store's path as the user gave it; empty until somebody who knows fills
                       * it */
    char object[256]; /* the node's path or the key */
    char text[512];
} vz_error;

/* No failure. Only the first byte of each text is set. Clearing all of them for each call that may
 * fail takes longer than many of these calls. */
static inline void vz_error_clear(vz_error *err)
{
    err->class = VZ_OK;
    err->sys_errno = 0;
    err->store[0] = err->object[0] = err->text[0] = '\0';
}
vz_error vz_error_none(void);
#define VZ_ERROR_NONE vz_error_none()

/* Records a failure. The first one wins: an error already set is kept. `err` may be NULL
 * (nothing recorded). */
void vz_error_set(vz_error *err, vz_error_class class, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Fills the error for a failed system call, with a class from the errno: ENOENT -> NOT_FOUND,
 * EACCES/EPERM/EROFS -> PERMISSION, EEXIST -> EXISTS, ENOMEM -> NO_MEMORY, else IO. The text gets
 * ": " and strerror appended. */
void vz_error_set_errno(vz_error *err, int sys_errno, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* clang-format off */
/* vz_fail(err, class, format, ...) and vz_fail_errno(err, sys_errno, format, ...) set the error and
 * return false, so that `return vz_fail(...)` ends a function. They are macros, so that the
 * compiler sees what never runs after a failure. */
#define vz_fail(...) ({ vz_error_set(__VA_ARGS__); false; })
#define vz_fail_errno(...) ({ vz_error_set_errno(__VA_ARGS__); false; })
/* Out of memory: VZ_NO_MEMORY. */
#define vz_fail_memory(err) vz_fail(err, VZ_NO_MEMORY, "out of memory")
/* clang-format on */

/* How often memory ran out in this thread, whether an error was there to say so or not. A caller
 * that takes a failure for an answer ("this note does not fit") compares it before and after:
 * then it was none. */
unsigned vz_memory_failures(void);

/* Fills in the store and/or the object (either may be NULL) unless somebody lower already did. */
void vz_error_where(vz_error *err, const char *store, const char *object);

/* One line for people: "store: object: text". Returns `buffer`. */
const char *vz_error_message(const vz_error *err, char *buffer, size_t size);

#endif
