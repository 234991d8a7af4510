/* test_directory_values.c - the directory store, looked at with POSIX calls: what lies on the disk, what is left alone.
 */
#include "store_directory_support.h"

/* ---- what lies on the disk ---- */

static void test_files(void **state)
{
    put(*state, "a/b/.zarray", "{}");
    put(*state, "a/b/0.0", "chunk");
    assert_file("a/b/.zarray", "{}");
    assert_file("a/b/0.0", "chunk");
    put(*state, "a/b/0.0", "new");
    assert_file("a/b/0.0", "new");
    shell("test \"$(find . -type f | sort | tr '\\n' ' ')\" = './a/b/.zarray ./a/b/0.0 '");
    umask(027);
    put(*state, "m/f", "x");
    umask(022);
    shell("test \"$(stat -c %a m m/f | tr '\\n' ' ')\" = '750 640 '");
}

static void test_many_levels(void **state)
{
    char key[4000] = "d";
    while (strlen(key) < 3900)
        strcat(key, "/d");
    put(*state, key, "deep");
    vz_buffer out = {0};
    bool found;
    assert_true(vz_store_get(*state, key, VZ_WHOLE, &out, &found, NULL) && found);
    vz_buffer_clear(&out);
    char longer[8200];
    memset(longer, 'n', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_get(*state, longer, VZ_WHOLE, &out, &found, &err)); /* nobody can tell whether it is there */
    assert_int_equal(err.sys_errno, ENAMETOOLONG);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put(*state, longer, text_bytes("x"), &err));
    assert_int_equal(err.sys_errno, ENAMETOOLONG);
    assert_true(vz_store_del_tree(*state, "d", NULL));
    assert_list(*state, "", "");
}

static void test_store_survives_chdir_and_move(void **state)
{
    put(*state, "a", "1");
    char moved[80];
    snprintf(moved, sizeof moved, "%s_moved", root);
    assert_int_equal(rename(root, moved), 0);
    put(*state, "b/c", "2"); /* the open store is the directory, not the name */
    assert_int_equal(rename(moved, root), 0);
    assert_file("b/c", "2");
}

/* Directories that were made for a chunk go with it; what else is called so was there before, or is not ours. */
static void test_failed_put_leaves_nothing(void **state)
{
    char key[400] = "a/c/1/";
    memset(key + strlen(key), '7', 300);
    put(*state, "a/zarr.json", "{}");
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_put(*state, key, text_bytes("chunk"), &err));
    assert_int_equal(err.sys_errno, ENAMETOOLONG);
    shell("test \"$(find . | sort | tr '\\n' ' ')\" = '. ./a ./a/zarr.json '");
    put(*state, "a/c/0/0", "chunk");
    assert_false(vz_store_put(*state, key, text_bytes("chunk"), &err));
    shell("test \"$(find a | sort | tr '\\n' ' ')\" = 'a a/c a/c/0 a/c/0/0 a/zarr.json '");
}

/* A directory of chunks goes with its last chunk; others of that name, and all that holds anything else, stay. */
static void test_last_chunk_of_a_directory(void **state)
{
    static const char *const keys[] = {"a/c/0/0", "a/c/0/1", "a/c/1/0", "b/c/7", "d/e", "7/.zarray", "7/0/5"};
    for (size_t i = 0; i < COUNT(keys); i++)
        put(*state, keys[i], "x");
    assert_true(vz_store_del(*state, "a/c/0/0", NULL) && exists("a/c/0/1"));
    assert_true(vz_store_del(*state, "a/c/0/1", NULL));
    assert_false(exists("a/c/0"));
    assert_true(exists("a/c/1/0"));
    assert_true(vz_store_del(*state, "a/c/1/0", NULL) && exists("a"));
    assert_false(exists("a/c"));
    shell("mkdir b/c/8");
    assert_true(vz_store_del(*state, "b/c/7", NULL) && exists("b/c/8"));
    assert_true(vz_store_del(*state, "d/e", NULL) && exists("d"));
    assert_true(vz_store_del(*state, "7/0/5", NULL) && exists("7/.zarray"));
    assert_false(exists("7/0"));
    put(*state, "a/c/0/0", "again");
    assert_file("a/c/0/0", "again");
}

static void test_parents_in_the_way(void **state)
{
    put(*state, "file", "x");
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_put(*state, "file/below", text_bytes("y"), &err));
    assert_int_equal(err.sys_errno, ENOTDIR);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put(*state, "file/far/below", text_bytes("y"), &err));
    assert_int_equal(err.sys_errno, ENOTDIR);
    put(*state, "dir/x", "x");
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put(*state, "dir", text_bytes("y"), &err));
    assert_int_equal(err.class, VZ_IO);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put_new(*state, "dir", text_bytes("y"), &err));
    assert_int_equal(err.class, VZ_EXISTS);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_rename_tree(*state, "dir", "file/x", &err));
    assert_int_equal(err.sys_errno, ENOTDIR);
    assert_list(*state, "", "dir/ file");
    assert_file("file", "x");
}

/* ---- opening ---- */

static void test_open(void **state)
{
    (void)state;
    char path[128];
    vz_error err = VZ_ERROR_NONE;
    snprintf(path, sizeof path, "%s/none", root);
    assert_null(vz_store_open_directory(path, false, &err));
    assert_int_equal(err.class, VZ_NOT_FOUND);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_string_equal(err.store, path);

    vz_store *made = vz_store_create_directory(path, true, NULL);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_true(made->identity.part[0] == status.st_dev && made->identity.part[1] == status.st_ino);
    assert_string_equal(made->path, path);
    vz_store_close(made);
    err = VZ_ERROR_NONE;
    assert_null(vz_store_create_directory(path, true, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_int_equal(err.sys_errno, EEXIST);

    strcat(path, "//");
    made = vz_store_create_directory(path, false, NULL);
    path[strlen(path) - 2] = '\0';
    assert_string_equal(made->path, path);
    vz_store_close(made);

    shell("touch file");
    snprintf(path, sizeof path, "%s/file", root);
    for (int i = 0; i < 3; i++) {
        err = VZ_ERROR_NONE;
        assert_null(i == 2 ? vz_store_create_directory(path, false, &err) : vz_store_open_directory(path, i, &err));
        assert_int_equal(err.sys_errno, ENOTDIR);
    }
    snprintf(path, sizeof path, "%s/no/parent", root);
    err = VZ_ERROR_NONE;
    assert_null(vz_store_create_directory(path, false, &err));
    assert_int_equal(err.class, VZ_NOT_FOUND);

    char here[256];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(root), 0);
    made = vz_store_open_directory("none", true, NULL);
    snprintf(path, sizeof path, "%s/none", root);
    assert_string_equal(made->path, path);
    assert_int_equal(chdir(here), 0);
    put(made, "x", "after chdir");
    vz_store_close(made);
    assert_file("none/x", "after chdir");
}

static void test_read_only(void **state)
{
    put(*state, "a/b", "1");
    char leftover[128];
    snprintf(leftover, sizeof leftover, "h=$(hostname) && touch a/$h-%d-1.partial && touch -d '2001-01-01' a .",
             (int)dead_pid());
    shell(leftover);
    shell("find . -printf '%p %T@ %i\\n' | sort > ../vz_before.$PPID");
    vz_store *store = vz_store_open_directory(root, false, NULL);
    vz_error err[7] = {VZ_ERROR_NONE};
    assert_false(vz_store_put(store, "a/b", text_bytes("2"), &err[0]));
    assert_false(vz_store_put_new(store, "a/c", text_bytes("2"), &err[1]));
    assert_false(vz_store_del(store, "a/b", &err[2]));
    assert_false(vz_store_del_tree(store, "a", &err[3]));
    assert_false(vz_store_del_tree(store, "", &err[4]));
    assert_false(vz_store_rename_tree(store, "a", "b", &err[5]));
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(err[i].class, VZ_READ_ONLY);
    assert_list(store, "a", "b"); /* the leftover is not listed, and stays */
    assert_true(vz_store_sync(store, NULL));
    vz_store_close(store);
    shell("find . -printf '%p %T@ %i\\n' | sort | diff - ../vz_before.$PPID; s=$?; rm ../vz_before.$PPID; exit $s");
}

static int cannot_write(vz_store *unused)
{
    (void)unused;
    if (geteuid() == 0 && seteuid(NOBODY) != 0)
        return 1;
    vz_error err = VZ_ERROR_NONE;
    if (vz_store_open_directory(root, true, &err) || err.class != VZ_PERMISSION || err.sys_errno != EACCES)
        return 2;
    vz_store *store = vz_store_open_directory(root, false, NULL);
    vz_buffer out = {0};
    bool found;
    if (!store || !vz_store_get(store, "open", VZ_WHOLE, &out, &found, NULL) || !found)
        return 3;
    vz_buffer_clear(&out);
    err = VZ_ERROR_NONE;
    if (vz_store_get(store, "closed", VZ_WHOLE, &out, &found, &err) || err.class != VZ_PERMISSION)
        return 4;
    vz_store_close(store);
    return 0;
}

static void test_permissions(void **state)
{
    put(*state, "open", "1");
    put(*state, "closed", "1");
    shell("chmod 000 closed && chmod 555 .");
    assert_int_equal(in_child(cannot_write, *state), 0);
    shell("chmod 777 .");
}

static int cannot_write_below(vz_store *store)
{
    if (geteuid() == 0 && seteuid(NOBODY) != 0)
        return 1;
    vz_error err[5] = {VZ_ERROR_NONE};
    if (vz_store_put(store, "d/x", text_bytes("2"), &err[0]) ||
        vz_store_put(store, "d/new/y", text_bytes("2"), &err[1]) || vz_store_del(store, "d/x", &err[2]) ||
        vz_store_del_tree(store, "d", &err[3]) || vz_store_put_new(store, "d/new", text_bytes("2"), &err[4]))
        return 2;
    for (size_t i = 0; i < 5; i++)
        if (err[i].class != VZ_PERMISSION || err[i].sys_errno != EACCES)
            return 3 + (int)i;
    return 0;
}

static void test_permission_below(void **state)
{
    put(*state, "d/x", "1");
    shell("chmod 555 d");
    assert_int_equal(in_child(cannot_write_below, *state), 0);
    shell("chmod 777 d");
    assert_file("d/x", "1");
}

/* ---- things that are not files ---- */

static void test_strange_entries(void **state)
{
    put(*state, "real", "content");
    put(*state, "d/x", "1");
    shell("mkfifo fifo && ln -s real link && ln -s d dirlink && ln -s nowhere dangling && ln -s loop loop");
    assert_list(*state, "", "d/ dirlink/ link real");
    vz_buffer out = {0};
    bool found;
    assert_true(vz_store_get(*state, "link", VZ_WHOLE, &out, &found, NULL) && found); /* a user's link is followed */
    assert_memory_equal(out.data, "content", 7);
    vz_buffer_clear(&out);
    assert_true(vz_store_get(*state, "dangling", VZ_WHOLE, &out, &found, NULL) && !found);
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_get(*state, "fifo", VZ_WHOLE, &out, &found, &err)); /* and does not wait for a writer */
    assert_int_equal(err.class, VZ_CORRUPT);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_get(*state, "loop", VZ_WHOLE, &out, &found, &err));
    assert_int_equal(err.sys_errno, ELOOP);
}

/* Values that end where what is read at first does, and around it; their bytes come behind what the buffer has. */
static void test_sizes(void **state)
{
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 8192, 100000};
    shell("for n in 0 1 4095 4096 4097 8192 100000; do head -c $n /dev/urandom > $n; done && mkdir directory");
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char key[32], path[128];
        uint8_t wanted[100000];
        vz_buffer out = {0}, small = {.limit = sizes[i] / 2 + 1};
        bool found = false;
        sprintf(key, "%zu", sizes[i]);
        snprintf(path, sizeof path, "%s/%s", root, key);
        const int file = open(path, O_RDONLY);
        assert_int_equal(read(file, wanted, sizeof wanted), sizes[i]);
        close(file);
        assert_true(vz_buffer_append(&out, "before", 6, NULL));
        assert_true(vz_store_get(*state, key, VZ_WHOLE, &out, &found, NULL) && found);
        assert_int_equal(out.size, 6 + sizes[i]);
        assert_memory_equal(out.data, "before", 6);
        assert_memory_equal(out.data + 6, wanted, sizes[i]);
        vz_buffer_clear(&out);
        vz_error err = VZ_ERROR_NONE;
        assert_int_equal(vz_store_get(*state, key, VZ_WHOLE, &small, &found, &err), sizes[i] <= small.limit);
        assert_int_equal(err.class, sizes[i] <= small.limit ? VZ_OK : VZ_LIMIT);
        vz_buffer_clear(&small);
    }
    assert_value(*state, "directory", NULL);
}

/* More names than the system tells at once. */
static void test_many_names(void **state)
{
    vz_entry *entries;
    size_t count;
    shell("mkdir many && cd many && seq -f 'a-name-of-a-directory-%05g' 0 1999 | xargs mkdir && touch z");
    assert_true(vz_store_list(*state, "many", &entries, &count, NULL));
    assert_int_equal(count, 2001);
    for (size_t i = 0; i < count; i++) {
        char name[64];
        sprintf(name, "a-name-of-a-directory-%05zu", i);
        assert_string_equal(entries[i].name, i < 2000 ? name : "z");
        assert_int_equal(entries[i].is_prefix, i < 2000);
    }
    vz_entries_free(entries, count);
}

static void assert_looks(vz_store *store, const char *prefix, const char *name, const char *wanted)
{
    static const char *const names[] = {"a", "b", "c", "d", "l", "n", "none"};
    vz_entry_probe looks[sizeof names / sizeof *names];
    const size_t count = sizeof names / sizeof *names;
    const uint64_t before = vz_store_counted(store).stats;
    char found[sizeof names / sizeof *names + 1] = "";
    for (size_t i = 0; i < count; i++)
        looks[i] = (vz_entry_probe){.name = names[i], .is_there = true};
    assert_true(vz_store_look_below(store, prefix, name, looks, count, NULL));
    for (size_t i = 0; i < count; i++)
        found[i] = looks[i].is_there ? '+' : '-';
    assert_string_equal(found, wanted);
    assert_int_equal(vz_store_counted(store).stats - before, count);
}

/* Which of many directories have a file: a store that is only read looks from the directory above them, one that is
 * written key by key. */
static void test_look_below(void **state)
{
    put(*state, "a/.zgroup", "{}");
    put(*state, "g/a/.zarray", "{}");
    put(*state, "g/b/.zgroup", "{}");
    shell("mkdir -p g/c/.zarray g/d && ln -s a g/l && ln -s nowhere g/n");
    vz_store *read = vz_store_open_directory(root, false, NULL);
    assert_non_null(read);
    for (int i = 0; i < 2; i++) {
        vz_store *store = i ? read : *state;
        assert_looks(store, "g", ".zarray", "+---+--");
        assert_looks(store, "g", ".zgroup", "-+-----");
        assert_looks(store, "", ".zgroup", "+------");
        assert_looks(store, "not/there", ".zgroup", "-------");
    }
    vz_store_close(read);
}

/* So many that several threads look. */
static void test_look_below_many(void **state)
{
    (void)state;
    enum { MANY = 3001, EVERY = 7 };
    static char names[MANY][8];
    static vz_entry_probe looks[MANY];
    shell("mkdir many && cd many && seq 0 3000 | xargs mkdir && seq 0 7 3000 | sed 's/$/\\/.zgroup/' | xargs touch");
    vz_store *read = vz_store_open_directory(root, false, NULL); /* one that is written asks its staging area, too */
    assert_non_null(read);
    for (size_t count = 500; count <= MANY; count = count < 530 ? count + 1 : count + 617) {
        for (size_t i = 0; i < count; i++) {
            snprintf(names[i], sizeof names[i], "%zu", i);
            looks[i] = (vz_entry_probe){.name = names[i], .is_there = i % 2};
        }
        const uint64_t before = vz_store_counted(read).stats;
        assert_true(vz_store_look_below(read, "many", ".zgroup", looks, count, NULL));
        assert_int_equal(vz_store_counted(read).stats - before, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(looks[i].is_there, i % EVERY == 0);
    }
    vz_store_close(read);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const vz_entry *)a)->name, ((const vz_entry *)b)->name);
}

/* Names that rise, fall, are nearly in order, or in none. */
static void test_sort(void **state)
{
    (void)state;
    enum { MOST = 70 };
    static char names[MOST][24];
    unsigned random = 1;
    for (unsigned kind = 0; kind < 6; kind++)
        for (size_t count = 0; count < MOST; count++) {
            vz_entry entries[MOST] = {{0}}, sorted[MOST];
            for (size_t i = 0; i < count; i++) {
                random = random * 1103515245 + 12345;
                const size_t falling = count - i, wild = random >> 16 & 0xfff;
                const size_t number = kind == 0   ? i
                                      : kind == 1 ? falling
                                      : kind == 2 ? wild
                                      : kind == 3 ? (i % 16 == 15 ? wild : i)
                                      : kind == 4 ? (i + 2 < count ? falling : i % 2) /* and two that rise */
                                                  : i / 3;                            /* some are equal */
                snprintf(names[i], sizeof names[i], "%05zu", number);
                entries[i] = (vz_entry){.name = names[i], .is_prefix = number % 2};
            }
            memcpy(sorted, entries, sizeof entries);
            qsort(sorted, count, sizeof *sorted, compare_names);
            vz_entries_sort(entries, count);
            for (size_t i = 0; i < count; i++) {
                assert_string_equal(entries[i].name, sorted[i].name);
                assert_int_equal(entries[i].is_prefix, sorted[i].is_prefix);
            }
        }
}

static void test_del_tree_follows_no_link(void **state)
{
    put(*state, "keep/x/y", "1");
    put(*state, "gone/a/b/c", "1");
    shell("ln -s ../keep gone/link && ln -s ../../keep/x gone/a/link && ln -s keep top && mkfifo gone/fifo && mkdir -p "
          "gone/empty/e");
    assert_true(vz_store_del_tree(*state, "gone", NULL));
    assert_true(vz_store_del_tree(*state, "top", NULL));
    assert_false(exists("gone") || exists("top"));
    assert_file("keep/x/y", "1");
    shell("ln -s keep link");
    assert_true(vz_store_del_tree(*state, "", NULL));
    assert_true(exists(""));
    assert_list(*state, "", "");
}

/* Deeper than a path can be long. */
static void test_del_tree_deep(void **state)
{
    int here = open(root, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(mkdirat(here, "deep", 0777), 0);
        close(openat(here, "file", O_CREAT | O_WRONLY, 0666));
        const int below = openat(here, "deep", O_RDONLY | O_DIRECTORY);
        close(here);
        here = below;
    }
    close(here);
    struct rlimit before, few;
    getrlimit(RLIMIT_NOFILE, &before);
    few = (struct rlimit){.rlim_cur = 20, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_del_tree(*state, "deep", &err))
        fail_msg("%s", err.text);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_false(exists("deep"));
}

static void test_del_tree_wide(void **state)
{
    shell("for i in $(seq 60); do mkdir -p w/$i/x && touch w/$i/a w/$i/x/b w/f$i; done");
    assert_true(vz_store_del_tree(*state, "w", NULL));
    assert_false(exists("w"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_files),
        TEST(test_many_levels),
        TEST(test_store_survives_chdir_and_move),
        TEST(test_failed_put_leaves_nothing),
        TEST(test_last_chunk_of_a_directory),
        TEST(test_parents_in_the_way),
        TEST(test_open),
        TEST(test_read_only),
        TEST(test_permissions),
        TEST(test_permission_below),
        TEST(test_strange_entries),
        TEST(test_sizes),
        TEST(test_many_names),
        TEST(test_look_below),
        TEST(test_look_below_many),
        TEST(test_sort),
        TEST(test_del_tree_follows_no_link),
        TEST(test_del_tree_deep),
        TEST(test_del_tree_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
