/* Chunks that nobody wrote are put only where none is: one that another process puts at any moment stays. */
#include "array_support.h"
#include "logging_directory.h"
#include "own_directory.h"
#include "store/store/kind.h"
#include <sys/stat.h>

#define THEIRS "theirs!!"

static char path[64];
static unsigned passes; /* calls about the chunk before the other process stores it */
static ino_t inode;

static void chunk_path(char out[96])
{
    snprintf(out, 96, "%s/a/2", path);
}

static ino_t inode_of(const char *file)
{
    struct stat there;
    return stat(file, &there) == 0 ? there.st_ino : 0;
}

/* Stores it as a program does that knows no lock of ours. */
static void store_meanwhile(const char *key)
{
    char at[96];
    if (strcmp(key, "a/2") != 0 || inode || passes-- > 0)
        return;
    chunk_path(at);
    if (inode_of(at))
        return;
    FILE *file = fopen(at, "w");
    assert_non_null(file);
    fputs(THEIRS, file);
    fclose(file);
    inode = inode_of(at);
}

static vz_store *open_logged(void)
{
    vz_error err = VZ_ERROR_NONE;
    vz_store *store = logging_over(vz_store_open_directory(path, true, &err), &err);
    no_error(store != NULL, &err);
    return store;
}

static bool fill_while(unsigned calls)
{
    char document[] =
        "{'zarr_format':2,'shape':[5],'chunks':[1],'dtype':'<i8','order':'C','filters':null,'compressor':null,"
        "'fill_value':null}";
    vz_error err = VZ_ERROR_NONE;
    bool complete = false;
    assert_true(own_directory(path));
    char at[96];
    snprintf(at, sizeof at, "%s/a", path);
    assert_int_equal(mkdir(at, 0777), 0);
    set_quotes(document);
    vz_meta *meta = meta_of(document);
    vz_store *store = open_logged();
    vz_array *array = vz_array_open(store, meta, "a", false, &err);
    no_error(array != NULL, &err);
    passes = calls;
    inode = 0;
    logging_hook = store_meanwhile;
    no_error(vz_array_fill_missing(array, 100, &complete, &err), &err);
    logging_hook = NULL;
    assert_true(complete);
    vz_array_close(array);
    vz_meta_free(meta);
    vz_store_close(store);
    return inode != 0;
}

static void check_chunks(bool theirs)
{
    for (char name = '0'; name < '5'; name++) {
        char at[96], text[16] = {0};
        snprintf(at, sizeof at, "%s/a/%c", path, name);
        FILE *file = fopen(at, "r");
        assert_non_null(file);
        assert_int_equal(fread(text, 1, sizeof text, file), 8);
        fclose(file);
        assert_memory_equal(text, theirs && name == '2' ? THEIRS : "\0\0\0\0\0\0\0\0", 8);
    }
}

static void another_writers_chunk_stays(void **state)
{
    (void)state;
    unsigned met = 0;
    char at[96];
    for (unsigned calls = 0; calls < 8; calls++) {
        const bool stored = fill_while(calls);
        check_chunks(stored);
        chunk_path(at);
        assert_true(!stored || inode_of(at) == inode);
        met += stored;
        remove_tree(path);
    }
    assert_true(met >= 2); /* before the look, and between the look and the put */
}

static void as_many_as_may_be(void **state)
{
    (void)state;
    bool complete = true;
    vz_error err = VZ_ERROR_NONE;
    subject s = subject_of("'shape':[100],'chunks':[1],'dtype':'<i2','fill_value':null");
    assert_true(vz_array_fill_missing(s.array, 99, &complete, &err));
    assert_false(complete);
    uint64_t size;
    bool found = true;
    assert_true(vz_array_chunk_size(s.array, (uint64_t[]){7}, &size, &found, &err));
    assert_false(found);
    assert_true(vz_array_fill_missing(s.array, 100, &complete, &err));
    assert_true(complete);
    assert_true(vz_array_chunk_size(s.array, (uint64_t[]){99}, &size, &found, &err) && found && size == 2);
    subject_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_writers_chunk_stays),
        cmocka_unit_test(as_many_as_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
