/* hook_install.c - the linkage tables of loaded modules (ELF generic ABI, chapter "Dynamic Linking"). */
#include "hook_inside.h"
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define IS_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#elif defined(__aarch64__)
#define IS_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#else
#error "relocation types of this machine are not known here"
#endif

#define PATH_SIZE 4096

/* Calls that reach the system and have no replacement yet: a connector that begins to use one must not escape
 * unseen. (expat, which is linked into it, has fputs: to standard error, when a variable asks for that.) */
static const char *const must_be_known[] = {
    "creat",
    "posix_fallocate",
    "preadv2",
    "pwritev2",
    "readv",
    "writev",
    "sendfile",
    "splice",
    "msync",
    "symlink",
    "truncate",
    "sync",
    "scandir",
    "scandirat",
    "ftw",
    "nftw",
    "fts_open",
    "fread",
    "remove",
    "mkdtemp",
    "tmpfile",
    "openat2",
    "setxattr",
    "lockf",
    "fputc",
    "reallocarray",
    "sync_file_range",
    "memalign",
    "getentropy",
    "arc4random",
    "valloc",
    "mknodat",
    "link",
    "getdents64",
    "dup",
    "chmod",
    "fchmodat",
    "io_submit",
    "aio_read",
    "utimensat",
    "readdir64_r",
    "open_by_handle_at",
    NULL,
};

static const char *unknown;

const char *hook_unknown(void)
{
    return unknown;
}

static void note_unknown(const char *name)
{
    for (const char *const *known = must_be_known; *known; known++)
        if (strcmp(*known, name) == 0)
            unknown = name;
}

static void *replacement_of(const struct hook_replacement *list, const char *name)
{
    for (; list->name; list++)
        if (strcmp(list->name, name) == 0)
            return list->function;
    return NULL;
}

static bool set(void **slot, void *function)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)slot & ~(page - 1);
    if (mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0)
        return false;
    *slot = function;
    return true;
}

struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * relocations[2];
    size_t counts[2];
};

static const void *at(const struct dl_phdr_info *module, ElfW(Addr) address)
{
    return (const void *)(address < module->dlpi_addr ? module->dlpi_addr + address : address);
}

static struct tables read_dynamic(const struct dl_phdr_info *module)
{
    struct tables t = {0};
    const ElfW(Dyn) *entry = NULL;
    for (int i = 0; i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const void *)(module->dlpi_addr + module->dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            t.symbols = at(module, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_STRTAB)
            t.names = at(module, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_JMPREL)
            t.relocations[0] = at(module, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_PLTRELSZ)
            t.counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
        else if (entry->d_tag == DT_RELA)
            t.relocations[1] = at(module, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_RELASZ)
            t.counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
    }
    return t;
}

static bool is_wanted(const char *path, const char *modules)
{
    char list[PATH_SIZE], *rest = list, *word;
    snprintf(list, sizeof list, "%s", modules);
    while ((word = strsep(&rest, ",")))
        if (*word && strstr(path, word))
            return true;
    return false;
}

struct work {
    const char *modules;
    int slots;
};

/* The libraries beside the first module hold functions that nobody here calls. */
static bool is_first(const char *path, const char *modules)
{
    char first[PATH_SIZE];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(modules, ","), modules);
    return strstr(path, first) != NULL;
}

static int rewrite(struct dl_phdr_info *module, size_t size, void *context)
{
    (void)size;
    struct work *work = context;
    if (!module->dlpi_name || !is_wanted(module->dlpi_name, work->modules))
        return 0;
    const struct tables t = read_dynamic(module);
    const bool strict = is_first(module->dlpi_name, work->modules);
    for (int table = 0; t.symbols && t.names && table < 2; table++)
        for (size_t i = 0; t.relocations[table] && i < t.counts[table]; i++) {
            const ElfW(Rela) *relocation = &t.relocations[table][i];
            const char *name = t.names + t.symbols[ELF64_R_SYM(relocation->r_info)].st_name;
            if (!IS_SLOT(ELF64_R_TYPE(relocation->r_info)) || !*name)
                continue;
            void *function = replacement_of(hook_system_calls, name);
            if (!function)
                function = replacement_of(hook_byte_calls, name);
            if (!function)
                function = replacement_of(hook_allocations, name);
            if (!function && strict)
                note_unknown(name);
            if (function && set((void **)(module->dlpi_addr + relocation->r_offset), function))
                work->slots++;
        }
    return 0;
}

int hook_install(const char *modules)
{
    struct work work = {.modules = modules};
    unknown = NULL;
    dl_iterate_phdr(rewrite, &work);
    return unknown ? -1 : work.slots;
}
