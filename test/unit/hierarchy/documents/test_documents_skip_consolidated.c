/* test_documents_skip_consolidated.c - a document with a copy of others in it is read without the copy as it is with
 * it: the same members, the same hash, the same errors, wherever the copy begins and ends. */
#include "node_support.h"
#include "hierarchy/documents/documents.h"
#include "store/store/prefetch.h"

#define PIECE  131072 /* bytes that skip_consolidated.c reads at once */
#define BEFORE "{'zarr_format':3,'node_type':'group','attributes':{'a':'%*s'},'consolidated_metadata':"
#define AFTER  ",'more':{'must_understand':false,'consolidated_metadata':{'x':1}}}"

typedef struct case_of {
    char *scratch, *path;
    vz_store *store;
} case_of;

static int begin(void **state)
{
    case_of *c = calloc(1, sizeof *c);
    c->scratch = scratch_new();
    c->path = scratch_path(c->scratch, "s.zarr");
    assert_int_equal(mkdir(c->path, 0777), 0);
    must(c->store = vz_store_open_directory(c->path, false, &err));
    *state = c;
    return 0;
}

static int end(void **state)
{
    case_of *c = *state;
    vz_store_close(c->store);
    scratch_remove(c->scratch);
    free(c->path);
    free(c);
    return 0;
}

static void write_text(const case_of *c, const char *text, size_t size)
{
    char *path = scratch_path(c->path, "zarr.json");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(path);
}

/* A copy of so many bytes, of which the last ones are what a careless reader takes for its end. */
static char *copy_of(size_t size)
{
    static const char tricks[] = "]}\\\"}\\\\\\\"]\\\\\"}";
    char *copy = malloc(size + 1);
    memset(copy, '[', size);
    memcpy(copy, "{\"m\":\"", 6);
    assert_true(size > 6 + sizeof tricks);
    memcpy(copy + size - (sizeof tricks - 1), tricks, sizeof tricks);
    return copy;
}

/* The document in both ways. */
static void compare(const case_of *c, const char *text, size_t size, bool is_cut)
{
    vz_buffer around = {0}, whole = {0};
    bool found = false;
    uint64_t hash = 0;
    vz_error one = VZ_ERROR_NONE, other = VZ_ERROR_NONE;
    write_text(c, text, size);
    must(vz_document_get_around_copy(c->store, "", "zarr.json", &around, &found, &hash, &err));
    assert_true(found);
    must(vz_document_get(c->store, "", "zarr.json", &whole, &found, &err));
    assert_int_equal(whole.size, size);
    assert_int_equal(hash != 0, is_cut);
    if (is_cut) {
        assert_true(hash == vz_hash_text(text, size));
        assert_true(around.size < size - PIECE / 2);
    }
    vz_json *a = vz_document_parse("zarr.json", (const char *)around.data, around.size, &one);
    vz_json *b = vz_document_parse("zarr.json", (const char *)whole.data, whole.size, &other);
    assert_int_equal(one.class, other.class);
    assert_true(a ? b && vz_json_equal(a, b) : !b);
    vz_json_free(a);
    vz_json_free(b);
    vz_buffer_clear(&around);
    vz_buffer_clear(&whole);
}

static char *document_with(int before, const char *copy, const char *after, size_t *size)
{
    char *format = quoted(BEFORE), *text;
    const int begins = asprintf(&text, format, before, "");
    assert_true(begins > 0);
    *size = (size_t)begins + strlen(copy) + strlen(after);
    text = realloc(text, *size + 1);
    strcpy(text + begins, copy);
    strcat(text + begins, after);
    free(format);
    return text;
}

static void copies_of_all_sizes(void **state)
{
    const case_of *c = *state;
    char *after = quoted(AFTER);
    /* its end lies around the ends of the second and the third piece, and of the blocks that are looked at in them */
    for (size_t pieces = 2; pieces <= 3; pieces++)
        for (int near = -150; near <= 10; near++) {
            char *copy = copy_of(pieces * PIECE + (size_t)near);
            size_t size;
            char *text = document_with(3, copy, after, &size);
            compare(c, text, size, true);
            free(text);
            free(copy);
        }
    free(after);
}

static void copies_that_begin_anywhere(void **state)
{
    const case_of *c = *state;
    char *after = quoted(AFTER), *copy = copy_of(3 * PIECE);
    size_t size, begins;
    free(document_with(0, "", "", &begins));
    for (int near = -80; near <= 3; near++) {
        char *text = document_with(PIECE - (int)begins + near, copy, after, &size);
        compare(c, text, size, near < 0); /* from there on it begins in the second piece, and is read */
        free(text);
    }
    free(copy);
    free(after);
}

static void copies_that_are_none(void **state)
{
    const case_of *c = *state;
    char *copy = copy_of(2 * PIECE), *small = copy_of(100), *after = quoted(AFTER);
    size_t size;
    const struct {
        const char *copy, *after;
        bool is_cut;
    } cases[] = {
        {copy, "", true},       /* the document does not end */
        {copy, "}}", true},     /* more behind it */
        {copy, ",}", true},     /* what follows is wrong */
        {small, after, false},  /* one that is not large */
        {"null", after, false}, /* none */
        {"[1,{\"a\":2}]", "}", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = document_with(3, cases[i].copy, cases[i].after, &size);
        compare(c, text, size, cases[i].is_cut);
        for (size_t cut = size - 1; cases[i].is_cut && cut > size - 40; cut--)
            compare(c, text, cut, true);
        free(text);
    }
    free(copy);
    free(small);
    free(after);
}

/* What is kept of a part is told to who wants it, and to nobody else. */
static void looked_at_before(void **state)
{
    const case_of *c = *state;
    char *after = quoted(AFTER), *copy = copy_of(2 * PIECE);
    size_t size;
    char *text = document_with(3, copy, after, &size);
    vz_buffer room = {0}, part = {0}, whole = {0};
    vz_bytes seen, again;
    vz_version version;
    bool found;
    uint64_t hash;
    write_text(c, text, size);
    must(vz_document_peek_around_copy(c->store, "zarr.json", &room, &seen, &found, &err));
    assert_true(found && seen.size < 1000);
    const uint64_t gets = vz_store_counted(c->store).gets;
    must(vz_document_peek_around_copy(c->store, "zarr.json", &room, &again, &found, &err));
    assert_ptr_equal(again.data, seen.data);
    must(vz_document_get_around_copy(c->store, "", "zarr.json", &part, &found, &hash, &err));
    assert_true(part.size == seen.size && hash == vz_hash_text(text, size));
    assert_int_equal(vz_store_counted(c->store).gets, gets);
    assert_false(vz_store_has_prefetched(c->store, "zarr.json", &found, &seen));
    must(vz_document_get_first(c->store, "", "zarr.json", &whole, &found, &version, &err));
    assert_int_equal(whole.size, size);
    vz_store_forget_prefetched(c->store, NULL);
    assert_false(vz_store_see_part(c->store, "zarr.json", &seen, &hash));
    vz_buffer_clear(&room);
    vz_buffer_clear(&part);
    vz_buffer_clear(&whole);
    free(text);
    free(copy);
    free(after);
}

static void missing(void **state)
{
    const case_of *c = *state;
    vz_buffer text = {0};
    vz_bytes seen;
    bool found = true;
    uint64_t hash;
    must(vz_document_get_around_copy(c->store, "", "zarr.json", &text, &found, &hash, &err));
    assert_true(!found && !hash);
    found = true;
    must(vz_document_peek_around_copy(c->store, "zarr.json", &text, &seen, &found, &err));
    assert_false(found);
    vz_buffer_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(copies_of_all_sizes, begin, end),
        cmocka_unit_test_setup_teardown(copies_that_begin_anywhere, begin, end),
        cmocka_unit_test_setup_teardown(copies_that_are_none, begin, end),
        cmocka_unit_test_setup_teardown(looked_at_before, begin, end),
        cmocka_unit_test_setup_teardown(missing, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
