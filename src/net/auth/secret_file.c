/* secret_file.c - small files of the user's, read whole. */
#include "net/auth/settings_internal.h"
#include "base/os/file.h"
#include "net/http/http.h"
#include <errno.h>
#include <stdlib.h>

#define TOKEN_MAX 65536

/* Reads up to the end of the file, or until the buffer is full. */
static bool read_all(int file, const char *path, size_t most, vz_buffer *out, vz_error *err)
{
    for (;;) {
        const ssize_t size = vz_os_read(file, out->data + out->size, most + 1 - out->size);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return vz_fail_errno(err, errno, "cannot read %.200s", path);
        out->size += (size_t)size;
        if (size == 0)
            return true;
        if (out->size > most)
            return vz_fail(err, VZ_LIMIT, "%.200s has more than %zu bytes", path, most);
    }
}

vz_auth_secret_file vz_auth_secret_file_read(const char *path, size_t most, vz_buffer *out, vz_error *err)
{
    const int file = path && *path ? vz_os_open(path, O_RDONLY | O_NOCTTY) : -1;
    if (file < 0 && (!path || !*path || errno == ENOENT || errno == ENOTDIR))
        return VZ_SECRET_FILE_ABSENT;
    if (file < 0) {
        vz_fail_errno(err, errno, "cannot open %.200s", path);
        return VZ_SECRET_FILE_FAILED;
    }
    bool ok = vz_buffer_reserve(out, most + 2, err) && read_all(file, path, most, out, err);
    if (ok)
        out->data[out->size] = '\0';
    vz_os_close(file);
    return ok ? VZ_SECRET_FILE_READ : VZ_SECRET_FILE_FAILED;
}

bool vz_auth_is_token(const char *text)
{
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f)
            return false;
    return *text;
}

char *vz_auth_secret_file_token(const char *path, vz_error *err)
{
    vz_buffer text = {0};
    char *token = NULL;
    const vz_auth_secret_file result = vz_auth_secret_file_read(path, TOKEN_MAX, &text, err);
    if (result == VZ_SECRET_FILE_ABSENT)
        vz_fail(err, VZ_NOT_FOUND, "there is no file %.200s", path ? path : "");
    if (result == VZ_SECRET_FILE_READ) {
        char *start = (char *)text.data, *end = start + text.size;
        while (start < end && strchr(" \t\r\n", *start))
            start++;
        while (end > start && strchr(" \t\r\n", end[-1]))
            end--;
        *end = '\0';
        if (!vz_auth_is_token(start) || strlen(start) != (size_t)(end - start))
            vz_fail(err, VZ_INVALID, "%.200s holds no token", path);
        else if (!(token = strdup(start)))
            vz_fail_memory(err);
    }
    vz_secret_clear(&text);
    return token;
}
