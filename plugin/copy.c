/* copy.c - a private copy of this module for another HDF5 library in the same process. One instance
 * serves one host. dlopen compares inodes: given this file it answers the instance that is there.
 * So the module's own bytes are loaded again as another file. */
#include "host.h"
#include "image.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COPY_BUFFER_SIZE 65536

/* Taken when the module is loaded: a relative name would mean another file after chdir. */
static char own_file[PATH_MAX];

static const void *base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

__attribute__((constructor)) static void remember_own_file(void)
{
    const int errno_before = errno;
    Dl_info info;
    if (!dladdr(own_file, &info) || !realpath(info.dli_fname, own_file))
        own_file[0] = '\0';
    errno = errno_before;
}

static bool write_all(int to, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(to, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        data += written;
        size -= (size_t)written;
    }
    return true;
}

static bool copy_bytes(int from, int to)
{
    char buffer[COPY_BUFFER_SIZE];
    for (;;) {
        const ssize_t count = read(from, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0;
        if (!write_all(to, buffer, (size_t)count))
            return false;
    }
}

static bool write_own_bytes(int to)
{
    const int from = open(own_file, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return false;
    const bool copied = copy_bytes(from, to);
    close(from);
    return copied;
}

#if defined(MFD_CLOEXEC) && !defined(VZ_OS_POSIX)
/* The descriptor stays open: the loader knows the copy by this name, which must not come to mean
 * another file. */
static void *load_from_memory(void)
{
    const int fd = memfd_create("libH5VLzarr", MFD_CLOEXEC);
    if (fd < 0)
        return NULL;
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    void *handle = write_own_bytes(fd) ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!handle)
        close(fd);
    return handle;
}
#else
static void *load_from_memory(void)
{
    return NULL;
}
#endif

static void *load_from_temporary_file(void)
{
    const char *directory = getenv("TMPDIR");
    char name[PATH_MAX];
    const int length =
        snprintf(name, sizeof name, "%s/libH5VLzarr-XXXXXX", directory && *directory ? directory : "/tmp");
    if (length < 0 || (size_t)length >= sizeof name)
        return NULL;
    const int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *handle = write_own_bytes(fd) ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    close(fd);
    unlink(name);
    return handle;
}

typedef const H5VL_class_t *(*class_for_function)(const void *return_address);

/* The copy's vz_class_for, which it does not export, lies where ours lies. */
static class_for_function class_for_of(void *handle)
{
    void *exported = dlsym(handle, "H5PLget_plugin_type");
    const char *mine = base_of((const void *)vz_class_for);
    const char *theirs = exported ? base_of(exported) : NULL;
    if (!mine || !theirs || mine == theirs || !vz_image_is_same_build(mine, theirs))
        return NULL;
    return (class_for_function)(theirs + ((const char *)vz_class_for - mine));
}

const H5VL_class_t *vz_copy_class_for(const void *return_address, char *why, size_t why_size)
{
    void *handle = load_from_memory();
    if (!handle)
        handle = load_from_temporary_file();
    if (!handle) {
        const char *loader = dlerror(); /* NULL: it did not come as far as the loader */
        snprintf(why, why_size,
                 "another HDF5 library of this process has the connector, and a copy of it could not be loaded: %s",
                 loader ? loader : strerror(errno));
        return NULL;
    }
    const class_for_function class_for = class_for_of(handle);
    if (!class_for) {
        snprintf(why, why_size, "another HDF5 library of this process has the connector, and %s has changed since",
                 own_file);
        dlclose(handle);
        return NULL;
    }
    return class_for(return_address);
}
