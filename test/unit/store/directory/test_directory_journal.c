/* test_directory_journal.c - lines that a writer leaves before names change: who reads them, and what becomes of them
 * when they cannot be read. */
#include "store_directory_support.h"
#include <dlfcn.h>
#include <stdarg.h>

#define MIB ((size_t)1 << 20)

/* ---- system calls that fail, or do nothing ---- */

static struct {
    const char *open;  /* files and directories whose names end so cannot be opened */
    int sys_errno;     /* because of this */
    bool read, status; /* nothing can be read, nothing looked at */
    bool write;        /* nothing is written, which takes no time and no room */
} failing;

#define REAL(name) (*(__typeof__(&name) *)real_call(#name))

static void *real_call(const char *name)
{
    static void *found;
    found = dlsym(RTLD_NEXT, name);
    return &found;
}

static bool is_failing(const char *name)
{
    const size_t length = failing.open ? strlen(failing.open) : 0;
    return length && strlen(name) >= length && strcmp(name + strlen(name) - length, failing.open) == 0;
}

int openat(int directory, const char *name, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (!is_failing(name))
        return REAL(openat)(directory, name, flags, mode);
    errno = failing.sys_errno;
    return -1;
}

ssize_t pread(int file, void *data, size_t size, off_t offset)
{
    if (!failing.read)
        return REAL(pread)(file, data, size, offset);
    errno = EIO;
    return -1;
}

int fstat(int file, struct stat *status)
{
    if (!failing.status)
        return REAL(fstat)(file, status);
    errno = EIO;
    return -1;
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
    return failing.write ? (ssize_t)size : REAL(pwrite)(file, data, size, offset);
}

/* ---- writers that die ---- */

static int leaves_line(vz_store *store)
{
    return vz_store_journal_add(store, "[1]", NULL) ? 0 : 1;
}

static int leaves_notes(vz_store *store)
{
    return vz_store_put(store, "x/0", text_bytes("1"), NULL) && vz_store_begin_shape_change(store, "x", NULL) ? 0 : 1;
}

/* ---- who reads ---- */

static bool count_line(void *context, const char *line, bool is_last, vz_error *err)
{
    (void)err;
    unsigned *count = context;
    *count += is_last && strcmp(line, "[1]") == 0;
    return true;
}

static void assert_lines(vz_store *store, unsigned expected)
{
    vz_error err = VZ_ERROR_NONE;
    unsigned count = 0;
    if (!vz_store_journals(store, count_line, &count, &err))
        fail_msg("%s: %s", err.object, err.text);
    assert_int_equal(count, expected);
}

/* With the words that this C library has for the number. */
static const char *reason(const char *what, int number)
{
    static char text[200];
    snprintf(text, sizeof text, "%s%s", what, strerror(number));
    return text;
}

/* The error tells which file of which store, and why. */
static void assert_unread(vz_store *store, const char *object, const char *why)
{
    vz_error err = VZ_ERROR_NONE;
    unsigned count = 0;
    assert_false(vz_store_journals(store, count_line, &count, &err));
    assert_string_equal(err.store, root);
    assert_string_equal(err.object, object);
    if (!strstr(err.text, why))
        fail_msg("%s", err.text);
    assert_int_equal(count, 0);
}

static void test_dead_writer(void **state)
{
    assert_int_equal(in_child(leaves_line, *state), 0);
    assert_lines(*state, 1);
    vz_store *next = vz_store_open_directory(root, true, NULL), *reader = vz_store_open_directory(root, false, NULL);
    assert_true(vz_store_has_journals(next));
    assert_lines(reader, 1);
    assert_lines(next, 1);
    vz_store_journals_done(next);
    assert_false(vz_store_has_journals(next));
    assert_lines(reader, 0);
    shell("test -z \"$(ls -A .. | grep partial)\"");
    vz_store_close(reader);
    vz_store_close(next);
}

/* A caller that writes has read the one journal, and not what the other writer reported before it died. */
static void test_who_dies_later(void **state)
{
    assert_int_equal(in_child(leaves_line, *state), 0);
    vz_store *next = vz_store_open_directory(root, true, NULL);
    assert_lines(next, 1);
    assert_int_equal(in_child(leaves_line, *state), 0);
    vz_store_journals_done(next);
    shell("test ! -e ../.s.partial && test -e ../.s-1.partial/journal");
    vz_store_close(vz_store_open_directory(root, true, NULL));
    assert_lines(next, 1);
    vz_store_close(next);
}

static void test_too_large(void **state)
{
    assert_int_equal(in_child(leaves_line, *state), 0);
    shell("truncate -s 257M ../.s.partial/journal");
    assert_unread(*state, ".s.partial/journal", "more than the 268435456 that are read");
    vz_store *next = vz_store_open_directory(root, true, NULL);
    assert_true(vz_store_has_journals(next));
    assert_unread(next, ".s.partial/journal", "more than the 268435456 that are read");
    vz_store_close(next);
    shell("truncate -s 4 ../.s.partial/journal");
    assert_lines(*state, 1);
}

static void test_cannot_be_read(void **state)
{
    assert_int_equal(in_child(leaves_line, *state), 0);
    failing.read = true;
    assert_unread(*state, ".s.partial/journal", reason("cannot read: ", EIO));
    failing.read = false;
    failing.status = true;
    assert_unread(*state, "", reason("cannot look for the journals of what moved: ", EIO));
    failing.status = false;
    failing.open = "journal";
    failing.sys_errno = EACCES;
    assert_unread(*state, ".s.partial/journal", reason("cannot open the journal of what moved: ", EACCES));
    failing.open = ".s.partial";
    assert_unread(*state, ".s.partial/journal", reason("cannot look for the journal of what moved: ", EACCES));
    failing.sys_errno = EMFILE;
    assert_unread(*state, ".s.partial/journal", reason("cannot look for the journal of what moved: ", EMFILE));
    failing.open = "..";
    assert_unread(*state, "", reason("cannot look for the journals of what moved: ", EMFILE));
    failing.open = NULL;
    shell("mv ../.s.partial/journal ../.s.partial/kept && mkfifo ../.s.partial/journal");
    assert_unread(*state, ".s.partial/journal", "is no regular file");
    shell("mv -f ../.s.partial/kept ../.s.partial/journal");
    assert_lines(*state, 1);
}

/* A writer that closes its store takes its journal along. */
static void test_is_gone_meanwhile(void **state)
{
    assert_int_equal(in_child(leaves_line, *state), 0);
    failing.open = "journal";
    failing.sys_errno = ESTALE;
    assert_lines(*state, 0);
    failing.open = NULL;
    assert_lines(*state, 1);
}

static void test_somebody_elses(void **state)
{
    assert_int_equal(in_child(leaves_line, *state), 0);
    if (geteuid() != 0)
        skip();
    shell("chown 12345 ../.s.partial && truncate -s 257M ../.s.partial/journal");
    assert_lines(*state, 0);
    failing.open = ".s.partial";
    failing.sys_errno = EACCES;
    assert_lines(*state, 0);
    failing.open = NULL;
}

/* Whoever could not read what is to be done leaves it to the next one. */
static void test_notes_that_cannot_be_read(void **state)
{
    put(*state, "x/.zarray", "{}");
    vz_store *writer = vz_store_open_directory(root, true, NULL);
    assert_int_equal(in_child(leaves_notes, writer), 0);
    vz_store_close(writer);
    shell("cp ../.s-1.partial/lease ../kept && truncate -s 257M ../.s-1.partial/lease");
    vz_store_close(vz_store_open_directory(root, true, NULL));
    shell("test $(stat -c %s ../.s-1.partial/lease) -gt 1000000");
    shell("cat ../kept > ../.s-1.partial/lease && grep -qx /x ../.s-1.partial/lease");
    vz_store_close(vz_store_open_directory(root, true, NULL));
    shell("grep -qx /x ../.s-1.partial/lease"); /* nobody settled it, but somebody could */
}

/* As nobody would read a longer one, names do not change any more. When documents have it all, it begins anew. */
static void test_is_full(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    char *line = malloc(MIB);
    memset(line, 'x', MIB - 1);
    line[MIB - 1] = '\0';
    failing.write = true;
    for (int i = 0; i < 256; i++)
        assert_true(vz_store_journal_add(*state, line, NULL));
    failing.write = false;
    assert_false(vz_store_journal_add(*state, "[1]", &err));
    assert_int_equal(err.class, VZ_LIMIT);
    assert_string_equal(err.store, root);
    vz_store_journal_renew(*state);
    assert_int_equal(leaves_line(*state), 0);
    assert_lines(*state, 1);
    vz_store_journal_renew(*state); /* it is short */
    assert_lines(*state, 1);
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_dead_writer),       TEST(test_who_dies_later),
        TEST(test_too_large),         TEST(test_cannot_be_read),
        TEST(test_is_gone_meanwhile), TEST(test_somebody_elses),
        TEST(test_is_full),           TEST(test_notes_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
