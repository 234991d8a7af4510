/* error.c - recording a failure once, and saying it in one line. */
#include "base/util/error.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local unsigned memory_failures;

/* A function of its own, so that it is made in the place where it is wanted, and nothing is
 * copied. */
vz_error vz_error_none(void)
{
    vz_error none;
    vz_error_clear(&none);
    return none;
}

unsigned vz_memory_failures(void)
{
    return memory_failures;
}

void vz_error_set(vz_error *err, vz_error_class class, const char *format, ...)
{
    memory_failures += class == VZ_NO_MEMORY;
    if (!err || err->class != VZ_OK)
        return;
    err->class = class;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
}

static vz_error_class class_of_errno(int sys_errno)
{
    switch (sys_errno) {
    case ENOENT:
        return VZ_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
        return VZ_PERMISSION;
    case EEXIST:
        return VZ_EXISTS;
    case ENOMEM:
        return VZ_NO_MEMORY;
    default:
        return VZ_IO;
    }
}

void vz_error_set_errno(vz_error *err, int sys_errno, const char *format, ...)
{
    if (!err || err->class != VZ_OK)
        return;
    err->class = class_of_errno(sys_errno);
    err->sys_errno = sys_errno;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    const size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(sys_errno));
}

static void fill_place(char *place, size_t size, const char *text)
{
    if (text && !place[0])
        snprintf(place, size, "%s", text);
}

void vz_error_where(vz_error *err, const char *store, const char *object)
{
    if (!err || err->class == VZ_OK)
        return;
    fill_place(err->store, sizeof err->store, store);
    fill_place(err->object, sizeof err->object, object);
}

const char *vz_error_message(const vz_error *err, char *buffer, size_t size)
{
    const char *after_store = err->store[0] ? ": " : "";
    const char *after_object = err->object[0] ? ": " : "";
    if (size)
        snprintf(buffer, size, "%s%s%s%s%s", err->store, after_store, err->object, after_object, err->text);
    return buffer;
}
