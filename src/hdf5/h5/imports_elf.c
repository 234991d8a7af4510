/* imports_elf.c - ELF linkage tables of the running process (generic ABI, chapter "Dynamic
 * Linking"; psABI relocation types). */
#include "hdf5/h5/h5_internal.h"

#include <elf.h>
#include <link.h>
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define IS_CALL_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_CALL_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define IS_CALL_SLOT(type) 0 /* not known here: nothing is found */
#endif

typedef struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * relocations[2]; /* calls, data */
    size_t counts[2];
} tables;

/* glibc relocates the pointers of the dynamic section of all but special modules; others leave
 * offsets. */
static const void *at(const struct link_map *map, ElfW(Addr) address)
{
    return (const void *)(address < map->l_addr ? map->l_addr + address : address);
}

static void read_dynamic(const struct link_map *map, tables *t)
{
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_SYMTAB:
            t->symbols = at(map, entry->d_un.d_ptr);
            break;
        case DT_STRTAB:
            t->names = at(map, entry->d_un.d_ptr);
            break;
        case DT_JMPREL:
            t->relocations[0] = at(map, entry->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            t->counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_RELA:
            t->relocations[1] = at(map, entry->d_un.d_ptr);
            break;
        case DT_RELASZ:
            t->counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
    }
}

void **vz_import_slot(void *handle, const char *name)
{
    struct link_map *map = NULL;
    tables t = {0};
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map)
        return NULL;
    read_dynamic(map, &t);
    for (int table = 0; t.symbols && t.names && table < 2; table++) {
        for (size_t i = 0; t.relocations[table] && i < t.counts[table]; i++) {
            const ElfW(Rela) *relocation = &t.relocations[table][i];
            const ElfW(Sym) *symbol = &t.symbols[ELF64_R_SYM(relocation->r_info)];
            if (IS_CALL_SLOT(ELF64_R_TYPE(relocation->r_info)) && strcmp(t.names + symbol->st_name, name) == 0)
                return (void **)(map->l_addr + relocation->r_offset);
        }
    }
    return NULL;
}

bool vz_import_set(void **slot, void *address)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)slot & ~(page - 1);
    /* Read and write, never execute: tables of calls hold addresses only. */
    if (mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0)
        return false;
    __atomic_store_n(slot, address, __ATOMIC_RELEASE);
    return true;
}
