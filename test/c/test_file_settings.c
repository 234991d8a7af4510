/* test_file_settings.c - lists of properties that mean something to HDF5 files only: a store keeps them, and answers as
 * a file would. */
#include "both.h"

static const kind stores[] = {ZARR, ZARR_WITHOUT_GATEWAY};

static void say_creation(trial *t)
{
    size_t address = 0, length = 0;
    unsigned inner = 0, leaf = 0, tree = 0, indexes = 0, most = 0, least = 0;
    H5F_fspace_strategy_t strategy;
    hbool_t persist;
    hsize_t threshold = 0, page = 0;
    const hid_t fcpl = H5Fget_create_plist(t->file);
    H5Pget_sizes(fcpl, &address, &length);
    H5Pget_sym_k(fcpl, &inner, &leaf);
    H5Pget_istore_k(fcpl, &tree);
    H5Pget_file_space_strategy(fcpl, &strategy, &persist, &threshold);
    H5Pget_file_space_page_size(fcpl, &page);
    H5Pget_shared_mesg_nindexes(fcpl, &indexes);
    H5Pget_shared_mesg_phase_change(fcpl, &most, &least);
    say(t, "sizes %zu %zu symbols %u %u tree %u", address, length, inner, leaf, tree);
    say(t, " space %d %d %llu page %llu", (int)strategy, persist, (unsigned long long)threshold,
        (unsigned long long)page);
    say(t, " shared %u %u %u\n", indexes, most, least);
    for (unsigned i = 0; i < indexes; i++) {
        unsigned kinds = 0, size = 0;
        H5Pget_shared_mesg_index(fcpl, i, &kinds, &size);
        say(t, "index %u %u\n", kinds, size);
    }
    H5Pclose(fcpl);
}

/* What was made by HDF5's own list has a list of its own when it is asked for one, as a second file on it has. */
static void say_creation_again(trial *t)
{
    const hid_t first = t->file;
    t->file = H5Freopen(first);
    say_creation(t);
    H5Fclose(t->file);
    t->file = first;
}

static void create_with(trial *t, hid_t fcpl)
{
    H5Fclose(t->file);
    t->file = H5Fcreate(t->path, H5F_ACC_TRUNC, fcpl, t->fapl);
    say(t, "created %s\n", went(t->file));
    if (t->file < 0)
        return;
    say_creation(t);
    say_creation_again(t);
    reopen(t, H5F_ACC_RDONLY);
    say_creation(t);
}

static void creation(trial *t)
{
    const hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    create_with(t, fcpl);
    create_with(t, H5P_DEFAULT);
    H5Pset_sym_k(fcpl, 32, 8);
    H5Pset_istore_k(fcpl, 64);
    H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_FSM_AGGR, true, 100);
    H5Pset_shared_mesg_nindexes(fcpl, 2);
    H5Pset_shared_mesg_index(fcpl, 0, H5O_SHMESG_DTYPE_FLAG, 40);
    H5Pset_shared_mesg_index(fcpl, 1, H5O_SHMESG_ATTR_FLAG, 20);
    H5Pset_shared_mesg_phase_change(fcpl, 60, 30);
    create_with(t, fcpl);
    H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_PAGE, false, 1);
    H5Pset_file_space_page_size(fcpl, 8192);
    create_with(t, fcpl);
    H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_NONE, false, 1);
    create_with(t, fcpl);
    H5Pclose(fcpl);
}

static void say_buffer(trial *t, const char *what)
{
    size_t size = 99;
    unsigned metadata = 99, raw = 99;
    say(t, "%s %s", what, went(t->file));
    if (t->file >= 0) {
        const hid_t fapl = H5Fget_access_plist(t->file);
        H5Pget_page_buffer_size(fapl, &size, &metadata, &raw);
        H5Pclose(fapl);
    }
    say(t, " %zu", size);
    if (size > 0)
        say(t, " %u %u", metadata, raw);
    say(t, "\n");
}

static void open_with_buffer(trial *t, size_t size)
{
    if (t->file >= 0)
        H5Fclose(t->file);
    H5Pset_page_buffer_size(t->fapl, size, 10, 20);
    t->file = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    say_buffer(t, "opened");
}

static void page_buffer(trial *t)
{
    static const size_t sizes[] = {0, 1000, 8192, 20000, 40960};
    const hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    for (size_t i = 0; i < 5; i++)
        open_with_buffer(t, sizes[i]);
    H5Fclose(t->file);
    t->file = H5Fcreate(t->path, H5F_ACC_TRUNC, fcpl, t->fapl);
    say_buffer(t, "created without pages");
    H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_PAGE, false, 1);
    H5Pset_file_space_page_size(fcpl, 8192);
    t->file = H5Fcreate(t->path, H5F_ACC_TRUNC, fcpl, t->fapl);
    say_buffer(t, "created with pages");
    for (size_t i = 0; i < 5; i++)
        open_with_buffer(t, sizes[i]);
    H5Pset_page_buffer_size(t->fapl, 0, 0, 0);
    const hid_t other = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl), first = t->file;
    t->file = other;
    say_buffer(t, "the second handle");
    t->file = first;
    H5Fclose(other);
    H5Pclose(fcpl);
}

static void access_settings(trial *t)
{
    hsize_t threshold = 0, alignment = 0, block = 0, small = 0;
    size_t sieve = 0;
    H5Fclose(t->file);
    H5Pset_alignment(t->fapl, 1000, 4096);
    H5Pset_meta_block_size(t->fapl, 512);
    H5Pset_small_data_block_size(t->fapl, 1024);
    H5Pset_sieve_buf_size(t->fapl, 999);
    t->file = H5Fcreate(t->path, H5F_ACC_TRUNC, H5P_DEFAULT, t->fapl);
    const hid_t fapl = H5Fget_access_plist(t->file);
    H5Pget_alignment(fapl, &threshold, &alignment);
    H5Pget_meta_block_size(fapl, &block);
    H5Pget_small_data_block_size(fapl, &small);
    H5Pget_sieve_buf_size(fapl, &sieve);
    say(t, "%d %d %d %d %d\n", (int)threshold, (int)alignment, (int)block, (int)small, (int)sieve);
    int *descriptor = NULL;
    say(t, "descriptor %s", went(H5Fget_vfd_handle(t->file, H5P_DEFAULT, (void **)&descriptor)));
    say(t, " fsync %d\n", fsync(*descriptor));
    H5Pclose(fapl);
}

static void on_stores(scenario run)
{
    on_kinds(run, stores, 2);
}

static void creation_is_as_native(void **state)
{
    (void)state;
    on_stores(creation);
}

static void page_buffer_is_as_native(void **state)
{
    (void)state;
    on_stores(page_buffer);
}

static void access_settings_is_as_native(void **state)
{
    (void)state;
    on_stores(access_settings);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {AS_NATIVE(creation), AS_NATIVE(page_buffer), AS_NATIVE(access_settings)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
