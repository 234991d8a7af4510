/* image_elf.c - see image.h: ELF. */
#include "image.h"
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

/* The address that is asked for, and the module that has it. */
typedef struct address_search {
    uintptr_t address;
    vz_image *image;
} address_search;

static int try_address(struct dl_phdr_info *module, size_t size, void *context)
{
    const address_search *search = context;
    (void)size;
    for (ElfW(Half) i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        const uintptr_t start = module->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && search->address >= start && search->address - start < segment->p_memsz) {
            *search->image = (vz_image){(const void *)(uintptr_t)module->dlpi_addr, module->dlpi_name};
            return 1;
        }
    }
    return 0;
}

/* Without dladdr, which looks through all names of the module for one that we do not ask for. */
bool vz_image_of(const void *address, vz_image *image)
{
    address_search search = {(uintptr_t)address, image};
    return dl_iterate_phdr(try_address, &search) == 1;
}

typedef struct visiting {
    bool (*visit)(const char *file, void *context);
    void *context;
} visiting;

static int visit_module(struct dl_phdr_info *module, size_t size, void *context)
{
    const visiting *v = context;
    (void)size;
    return v->visit(module->dlpi_name, v->context);
}

bool vz_image_each(bool (*visit)(const char *file, void *context), void *context)
{
    visiting v = {visit, context};
    return dl_iterate_phdr(visit_module, &v) == 1;
}

/* The first segment holds the ELF header, the build id and the symbols, and is never written to. It
 * is equal in two instances of one build, and different in any other. Its size is trusted only once
 * the program headers are known to be equal. */
bool vz_image_is_same_build(const void *mine, const void *theirs)
{
    const ElfW(Ehdr) *header = mine;
    const size_t headers_size = header->e_phoff + (size_t)header->e_phnum * header->e_phentsize;
    if (memcmp(mine, theirs, sizeof *header) != 0 || memcmp(mine, theirs, headers_size) != 0)
        return false;
    const ElfW(Phdr) *segment = (const void *)((const char *)mine + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; i++)
        if (segment[i].p_type == PT_LOAD && segment[i].p_offset == 0)
            return memcmp(mine, theirs, segment[i].p_filesz) == 0;
    return false;
}

/* The linker has said so already (-z nodelete). */
void vz_image_stay(const void *address)
{
    (void)address;
}

const char *vz_image_program(void)
{
    return program_invocation_name;
}
