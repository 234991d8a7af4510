/* image_macho.c - see image.h: Mach-O, as macOS has it. */
#include "image.h"
#include <dlfcn.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const char *file, const void *base)
{
    const struct mach_header_64 *header = base;
    return header->filetype == MH_EXECUTE ? "" : file;
}

bool vz_image_of(const void *address, vz_image *image)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    *image = (vz_image){info.dli_fbase, name_of(info.dli_fname, info.dli_fbase)};
    return true;
}

bool vz_image_each(bool (*visit)(const char *file, void *context), void *context)
{
    const uint32_t count = _dyld_image_count();
    for (uint32_t i = 0; i < count; i++) {
        const char *file = _dyld_get_image_name(i);
        const void *base = _dyld_get_image_header(i);
        if (file && base && visit(name_of(file, base), context))
            return true;
    }
    return false;
}

/* The load commands have an identifier that the linker makes of all that is in the module. */
bool vz_image_is_same_build(const void *mine, const void *theirs)
{
    const struct mach_header_64 *header = mine;
    return memcmp(mine, theirs, sizeof *header) == 0 && memcmp(mine, theirs, sizeof *header + header->sizeofcmds) == 0;
}

/* The handle is kept. This is no constructor: the loader may give none while those run. */
void vz_image_stay(const void *address)
{
    vz_image found;
    if (vz_image_of(address, &found) && *found.file)
        dlopen(found.file, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

const char *vz_image_program(void)
{
    return getprogname();
}
