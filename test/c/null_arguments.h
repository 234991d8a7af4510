/* null_arguments.h - calls with arguments that are NULL, empty or zero: the same answers natively and through the
 * connector, and no crash.
 *
 * A list of calls is a function. It runs in a child process, which writes what it is about to call and what came of it.
 * Where a child dies, the next one goes on behind the call that killed it. */
#ifndef VZ_TEST_NULL_ARGUMENTS_H
#define VZ_TEST_NULL_ARGUMENTS_H

#include "both.h"
#include <signal.h>
#include <sys/wait.h>

/* The objects that the calls are made on. */
typedef struct things {
    hid_t file, group;
    hid_t contiguous, chunked, null, scalar, texts; /* datasets: int[3], int[4] in chunks of 2, no element, one, text */
    hid_t type;                                     /* committed */
    hid_t attribute, null_attribute;
    hid_t int3, none, nothing; /* dataspaces: three elements, none of them selected, H5S_NULL */
    H5O_token_t token;         /* of the group */
    H5R_ref_t reference;       /* to the group */
    hobj_ref_t old_reference;
} things;

typedef struct report {
    int out;
    unsigned first, count; /* calls before `first` were made by other children */
} report;

typedef void (*call_list)(report *r, things *o);

static inline bool begin_call(report *r, const char *what)
{
    if (r->count++ < r->first)
        return false;
    dprintf(r->out, "%s: ", what);
    return true;
}

/* What a call answers; CALL_ID: the id goes again; CALL_FREE: answers differ for a reason, and are not compared. */
#define CALL(call)                                                                                                     \
    do {                                                                                                               \
        if (begin_call(r, #call)) {                                                                                    \
            const int64_t answer = (int64_t)(call);                                                                    \
            dprintf(r->out, answer < 0 ? "failed\n" : "%lld\n", (long long)answer);                                    \
        }                                                                                                              \
    } while (0)
#define CALL_ID(call)                                                                                                  \
    do {                                                                                                               \
        if (begin_call(r, #call)) {                                                                                    \
            const hid_t id = call;                                                                                     \
            dprintf(r->out, id < 0 ? "failed\n" : "opened\n");                                                         \
            if (id >= 0)                                                                                               \
                H5Idec_ref(id);                                                                                        \
        }                                                                                                              \
    } while (0)
#define CALL_FREE(call)                                                                                                \
    do {                                                                                                               \
        if (begin_call(r, #call)) {                                                                                    \
            (void)(call);                                                                                              \
            dprintf(r->out, "returned\n");                                                                             \
        }                                                                                                              \
    } while (0)

static inline hid_t new_dataset(hid_t file, const char *name, hid_t type, hid_t space, hid_t dcpl)
{
    return H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
}

static inline void make_datasets(things *o)
{
    const hsize_t three = 3, four = 4, most = H5S_UNLIMITED, chunk = 2;
    const int values[4] = {1, 2, 3, 4};
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), text = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR);
    const hid_t int4 = H5Screate_simple(1, &four, &most);
    o->int3 = H5Screate_simple(1, &three, NULL);
    o->none = H5Scopy(o->int3);
    H5Sselect_none(o->none);
    o->nothing = H5Screate(H5S_NULL);
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Tset_size(text, H5T_VARIABLE);
    o->contiguous = new_dataset(o->file, "d", H5T_NATIVE_INT, o->int3, H5P_DEFAULT);
    o->chunked = new_dataset(o->file, "c", H5T_NATIVE_INT, int4, dcpl);
    o->null = new_dataset(o->file, "n", H5T_NATIVE_INT, o->nothing, H5P_DEFAULT);
    o->scalar = new_dataset(o->file, "s", H5T_NATIVE_INT, scalar, H5P_DEFAULT);
    o->texts = new_dataset(o->file, "v", text, o->int3, H5P_DEFAULT);
    H5Dwrite(o->contiguous, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dwrite(o->chunked, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Sclose(int4);
    H5Sclose(scalar);
    H5Tclose(text);
    H5Pclose(dcpl);
}

static inline void make_things(things *o, hid_t file)
{
    H5O_info2_t info;
    *o = (things){.file = file, .group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)};
    H5Gclose(H5Gcreate2(o->group, "below", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    make_datasets(o);
    o->type = H5Tcopy(H5T_NATIVE_SHORT);
    H5Tcommit2(file, "t", o->type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    o->attribute = H5Acreate2(o->group, "a", H5T_NATIVE_INT, o->int3, H5P_DEFAULT, H5P_DEFAULT);
    o->null_attribute = H5Acreate2(o->group, "none", H5T_NATIVE_INT, o->nothing, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/g", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("elsewhere", "/x", file, "external", H5P_DEFAULT, H5P_DEFAULT);
    H5Oset_comment(o->group, "a comment");
    H5Oget_info3(o->group, &info, H5O_INFO_BASIC);
    o->token = info.token;
    H5Rcreate_object(file, "g", H5P_DEFAULT, &o->reference);
    H5Rcreate(&o->old_reference, file, "g", H5R_OBJECT, H5I_INVALID_HID);
}

static inline void forget_things(things *o)
{
    const hid_t ids[] = {o->group,     o->contiguous,     o->chunked, o->null, o->scalar,  o->texts, o->type,
                         o->attribute, o->null_attribute, o->int3,    o->none, o->nothing, o->file};
    H5Rdestroy(&o->reference);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        H5Idec_ref(ids[i]);
}

/* In the child. */
static inline void make_calls(kind k, call_list list, report *r, const char *path)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    things o;
    trial t = {.kind = k};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL); /* cmocka's handlers would go on with the next test */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(t.path, sizeof t.path, "%s", path);
    t.fapl = access_list(k);
    create_file(&t);
    make_things(&o, t.file);
    list(r, &o);
    forget_things(&o);
    H5Pclose(t.fapl);
}

static inline size_t read_all(int in, char *text, size_t size)
{
    size_t used = 0;
    for (ssize_t got; used + 1 < size && (got = read(in, text + used, size - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    return used;
}

static inline size_t count_lines(const char *text)
{
    size_t count = 0;
    while ((text = strchr(text, '\n')) != NULL)
        count++, text++;
    return count;
}

/* One line for each call. */
static inline char *transcript(kind k, call_list list)
{
    enum { SIZE = 1 << 17 };
    char *text = calloc(1, SIZE), directory[] = "/tmp/vol-zarr-test-XXXXXX", path[64];
    size_t used = 0;
    assert_non_null(text);
    assert_non_null(mkdtemp(directory));
    for (int status = -1; status != 0;) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        snprintf(path, sizeof path, "%s/file%zu", directory, count_lines(text));
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            report r = {.out = ends[1], .first = (unsigned)count_lines(text)};
            make_calls(k, list, &r, path);
            _exit(H5close() < 0);
        }
        close(ends[1]);
        used += read_all(ends[0], text + used, SIZE - used);
        close(ends[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0) {
            const bool within = used > 0 && text[used - 1] != '\n';
            used += (size_t)snprintf(text + used, SIZE - used, "%sdied (%d)\n", within ? "" : "at the end: ", status);
            if (!within)
                break;
        }
    }
    remove_tree(directory);
    return text;
}

/* Where native dies, a store answers something, whatever that is; native files through the connector may die, too. */
static inline bool is_alike(kind k, const char *native, size_t native_size, const char *other, size_t other_size)
{
    if (memmem(native, native_size, ": died", 6))
        return k == WRAPPED || !memmem(other, other_size, ": died", 6);
    return native_size == other_size && memcmp(native, other, native_size) == 0;
}

static inline void compare_calls(call_list list, const char *native, kind k)
{
    unsigned wrong = 0;
    char *text = transcript(k, list);
    const char *a = native, *b = text;
    assert_int_equal(count_lines(a), count_lines(b));
    while (*b) {
        const size_t a_size = strcspn(a, "\n"), b_size = strcspn(b, "\n");
        if (!is_alike(k, a, a_size, b, b_size)) {
            print_error("native: %.*s\n%s: %.*s\n", (int)a_size, a, kind_names[k], (int)b_size, b);
            wrong++;
        }
        a += a_size + 1;
        b += b_size + 1;
    }
    free(text);
    assert_int_equal(wrong, 0);
}

static inline void same_answers(call_list list)
{
    char *native = transcript(NATIVE, list);
    if (getenv("VZ_TEST_TRANSCRIPT"))
        print_message("%s", native);
    compare_calls(list, native, ZARR);
    compare_calls(list, native, WRAPPED);
    free(native);
}

/* A test of that name. */
#define CASE(list)                                                                                                     \
    static void test_##list(void **state)                                                                              \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        same_answers(list);                                                                                            \
    }

#define D      H5P_DEFAULT
#define BY     H5_INDEX_NAME, H5_ITER_INC
#define BYZERO BY, 0

#endif
