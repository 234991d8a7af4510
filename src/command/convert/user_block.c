/* user_block.c - HDF5 keeps room for a user block, and leaves its bytes to its user. */
#include "command/convert/convert_internal.h"
#include "base/os/file.h"
#include <errno.h>

static bool copy_bytes(int from, int to, uint64_t size)
{
    char buffer[65536];
    for (uint64_t at = 0; at < size;) {
        const size_t wanted = size - at < sizeof buffer ? (size_t)(size - at) : sizeof buffer;
        const ssize_t got = vz_os_pread(from, buffer, wanted, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO; /* a file that is shorter than its user block */
        if (got <= 0 || vz_os_pwrite(to, buffer, (size_t)got, (off_t)at) != got)
            return false;
        at += (uint64_t)got;
    }
    return true;
}

bool vz_convert_user_block_copy(const char *from, const char *to, uint64_t size, vz_error *err)
{
    const int in = vz_os_open(from, O_RDONLY), out = in < 0 ? -1 : vz_os_open(to, O_WRONLY);
    bool ok = out >= 0 && copy_bytes(in, out, size);
    if (!ok)
        vz_fail_errno(err, errno, "the user block cannot be copied");
    if (out >= 0 && vz_os_close(out) != 0 && ok)
        ok = vz_fail_errno(err, errno, "the user block cannot be copied");
    if (in >= 0)
        vz_os_close(in);
    return ok;
}
