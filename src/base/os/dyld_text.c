/* dyld_text.c - what the loader of macOS says. It is apart from library_macho.c, so that it can be
 * tried on other systems. */
#include "base/os/library_internal.h"
#include <string.h>

/* Up to macOS 11 it says "dlopen(PATH, 2): image not found". Later it names each place where it
 * looked, "tried: 'PATH' (REASON), '/System/.../PATH' (no such file)". In the second of them there
 * is never a file. */
bool vz_os_dyld_says_missing(const char *error)
{
    static const char missing[] = "(no such file";
    const char *reason = strstr(error, "tried: ");
    if (!reason)
        return strstr(error, "image not found") || strstr(error, "no such file");
    bool is_missing = false;
    while ((reason = strstr(reason, "' ("))) {
        reason += 2;
        if (strncmp(reason, missing, sizeof missing - 1) != 0)
            return false;
        is_missing = true;
    }
    return is_missing;
}
