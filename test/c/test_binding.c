/* test_binding.c - one module, any HDF5 that loads it, several at once. Native files only: what is judged is who is
 * asked. */
#include "cases.h"
#include <hdf5.h>
#include <H5PLextern.h>
#include <H5VLconnector.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static const char *file_of(const void *address)
{
    Dl_info info;
    CHECK(dladdr(address, &info));
    return info.dli_fname;
}

/* A second HDF5 in the process: the same library under another name, as wheels carry it, seen by nobody. */
typedef struct second_host {
    void *handle;
    herr_t (*open)(void);
    hid_t (*create)(const char *, unsigned, hid_t, hid_t);
    hid_t (*open_file)(const char *, unsigned, hid_t);
    herr_t (*close_file)(hid_t);
    hid_t (*register_by_name)(const char *, hid_t);
    htri_t (*group_exists)(hid_t, const char *, hid_t);
    hid_t (*group_create)(hid_t, const char *, hid_t, hid_t, hid_t);
    herr_t (*group_close)(hid_t);
    herr_t (*set_auto)(hid_t, H5E_auto2_t, void *);
    ssize_t (*count)(hid_t, unsigned);
} second_host;

static void copy_file(const char *from, const char *to)
{
    char command[2 * PATH_MAX];
    CHECK(snprintf(command, sizeof command, "cp -L '%s' '%s'", from, to) < (int)sizeof command);
    CHECK(system(command) == 0);
}

static second_host load_second(void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    puts("# skipped: the sanitizer's runtime refuses RTLD_DEEPBIND");
    exit(0);
#endif
    copy_file(file_of((const void *)H5open), "libother-hdf5.so");
    char name[PATH_MAX];
    CHECK(realpath("libother-hdf5.so", name));
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    CHECK(handle);
    second_host host = {
        .handle = handle,
        .open = dlsym(handle, "H5open"),
        .create = dlsym(handle, "H5Fcreate"),
        .open_file = dlsym(handle, "H5Fopen"),
        .close_file = dlsym(handle, "H5Fclose"),
        .register_by_name = dlsym(handle, "H5VLregister_connector_by_name"),
        .group_exists = dlsym(handle, "H5Lexists"),
        .group_create = dlsym(handle, "H5Gcreate2"),
        .group_close = dlsym(handle, "H5Gclose"),
        .set_auto = dlsym(handle, "H5Eset_auto2"),
        .count = dlsym(handle, "H5Fget_obj_count"),
    };
    CHECK(host.open && (void *)host.open != (void *)H5open);
    return host;
}

/* A file that goes to the native connector whatever the names of stores look like: it lives in memory. */
static hid_t memory_file(const char *name)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    CHECK(fapl >= 0 && H5Pset_fapl_core(fapl, 65536, 0) >= 0);
    const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    CHECK(H5Pclose(fapl) >= 0);
    return file;
}

static hid_t second_memory_file(const second_host *host, const char *name)
{
    hid_t (*create_list)(hid_t) = (hid_t(*)(hid_t))dlsym(host->handle, "H5Pcreate");
    herr_t (*set_core)(hid_t, size_t, hbool_t) =
        (herr_t(*)(hid_t, size_t, hbool_t))dlsym(host->handle, "H5Pset_fapl_core");
    const hid_t *class = dlsym(host->handle, "H5P_CLS_FILE_ACCESS_ID_g");
    const hid_t fapl = create_list(*class);
    CHECK(fapl >= 0 && set_core(fapl, 65536, 0) >= 0);
    return host->create(name, 2u /* H5F_ACC_TRUNC */, H5P_DEFAULT, fapl);
}

static int has_part(struct dl_phdr_info *library, size_t size, void *part)
{
    (void)size;
    return strstr(library->dlpi_name, part) != NULL;
}

static bool is_loaded_from(const char *part)
{
    return dl_iterate_phdr(has_part, (void *)(uintptr_t)part) != 0;
}

static void make_group_in_both(const second_host *other)
{
    const hid_t mine = memory_file("mine.h5"), theirs = second_memory_file(other, "theirs.h5");
    CHECK(mine >= 0 && theirs >= 0);
    const hid_t here = H5Gcreate2(mine, "here", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t there = other->group_create(theirs, "there", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(here >= 0 && there >= 0);
    CHECK(H5Lexists(mine, "here", H5P_DEFAULT) == 1 && H5Lexists(mine, "there", H5P_DEFAULT) == 0);
    CHECK(other->group_exists(theirs, "there", H5P_DEFAULT) == 1);
    CHECK(other->group_exists(theirs, "here", H5P_DEFAULT) == 0);
    CHECK(H5Fget_obj_count(mine, H5F_OBJ_ALL) == 2 && other->count(theirs, H5F_OBJ_ALL) == 2);
    CHECK(H5Gclose(here) >= 0 && other->group_close(there) >= 0);
    CHECK(H5Fclose(mine) >= 0 && other->close_file(theirs) >= 0);
}

/* A kernel that has no files in memory, or refuses them (test/machines/portable). */
static bool has_memory_files(void)
{
    const long file = syscall(SYS_memfd_create, "test", 0u);
    if (file >= 0)
        close((int)file);
    return file >= 0;
}

static void two_hosts(void)
{
    CHECK(H5open() >= 0);
    const second_host other = load_second();
    CHECK(other.open() >= 0);
    for (int round = 0; round < 3; round++)
        make_group_in_both(&other);
    CHECK(!has_memory_files() || is_loaded_from("/proc/self/fd/"));
    /* Both exit with a file open. */
    CHECK(memory_file("left.h5") >= 0 && second_memory_file(&other, "left.h5") >= 0);
}

static void two_hosts_other_order(void)
{
    const second_host other = load_second();
    CHECK(other.open() >= 0);
    CHECK(second_memory_file(&other, "early.h5") >= 0);
    CHECK(H5open() >= 0);
    make_group_in_both(&other);
}

/* Or ends the case where the kernel takes no filter, as qemu-user. */
static void refuse_memfd(void)
{
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0 && errno == EINVAL) {
        puts("# skipped: this kernel filters no system calls (PR_GET_SECCOMP)");
        exit(0);
    }
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof program / sizeof *program, program};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

static void two_hosts_without_memfd(void)
{
    const second_host other = load_second();
    refuse_memfd();
    char here[PATH_MAX];
    CHECK(getcwd(here, sizeof here));
    setenv("TMPDIR", here, 1);
    CHECK(H5open() >= 0 && other.open() >= 0);
    make_group_in_both(&other);
    CHECK(!is_loaded_from("/proc/self/fd/") && is_loaded_from("libH5VLzarr-"));
    CHECK(system("test -z \"$(ls | grep libH5VLzarr)\"") == 0);
}

static void second_host_refused(void)
{
    const second_host other = load_second();
    refuse_memfd();
    setenv("TMPDIR", "/nonexistent", 1);
    CHECK(H5open() >= 0 && freopen("refusal", "w", stderr));
    CHECK(other.open() >= 0); /* a program starts all the same */
    other.set_auto(H5E_DEFAULT, NULL, NULL);
    CHECK(second_memory_file(&other, "theirs.h5") < 0);
    CHECK(memory_file("mine.h5") >= 0);
    fflush(stderr);
    CHECK(system("test $(wc -l < refusal) = 1 && grep -q 'vol-zarr: cannot work with .*libother-hdf5.so' refusal") ==
          0);
}

/* HDF5 asks again at every failed default open; others ask by hand. */
static void repeated_info(void)
{
    unsetenv("HDF5_VOL_CONNECTOR");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int i = 0; i < 3; i++)
        CHECK(H5Fopen("missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/libH5VLzarr.so", getenv("HDF5_PLUGIN_PATH"));
    void *module = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    CHECK(module);
    const void *(*info)(void) = (const void *(*)(void))dlsym(module, "H5PLget_plugin_info");
    H5PL_type_t (*type)(void) = (H5PL_type_t(*)(void))dlsym(module, "H5PLget_plugin_type");
    const H5VL_class_t *class = info();
    CHECK(class && class == info() && type() == H5PL_TYPE_VOL);
    CHECK(strcmp(class->name, "zarr") == 0 && class->version == H5VL_VERSION);
    const hid_t connector = H5VLregister_connector(class, H5P_DEFAULT);
    CHECK(connector >= 0 && H5VLclose(connector) >= 0);
}

/* The native connector's failure must stay the innermost record: h5py reads its errno. */
static herr_t innermost(unsigned depth, const H5E_error2_t *record, void *context)
{
    (void)depth;
    snprintf(context, 256, "%s", record->desc);
    return 1;
}

static void missing_file_says_errno_2(void)
{
    unsetenv("HDF5_VOL_CONNECTOR");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        char text[256] = "";
        CHECK(H5Fopen("missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, text);
        CHECK(strstr(text, "errno = 2"));
    }
}

static const test_case cases[] = {
    {"two hosts", two_hosts},
    {"two hosts, the other first", two_hosts_other_order},
    {"two hosts without memfd", two_hosts_without_memfd},
    {"second host refused", second_host_refused},
    {"repeated info", repeated_info},
    {"missing file says errno 2", missing_file_says_errno_2},
};
CASES_MAIN(cases)
