/* test_store_kinds_keys.c - what every kind of store must do equal with keys: deleted, renamed, listed, refused. */
#include "store_kinds_support.h"

static void test_del(void **state)
{
    vz_store *store = *state;
    put(store, "a/b", "1");
    put(store, "a/c", "2");
    assert_true(vz_store_del(store, "a/b", NULL));
    assert_true(vz_store_del(store, "a/b", NULL));
    assert_true(vz_store_del(store, "x/y/z", NULL));
    assert_true(vz_store_del(store, "a/c/d", NULL));
    assert_true(vz_store_del(store, "a", NULL)); /* a prefix is no value */
    assert_value(store, "a/b", NULL);
    assert_list(store, "a", "c");
}

static void test_del_tree(void **state)
{
    vz_store *store = *state;
    static const char *const keys[] = {"a/.zarray", "a/0.0", "a/x/y/z", "a/x/y0", "a-b/c", "a.b", "ab", "b/a/c"};
    for (size_t i = 0; i < COUNT(keys); i++)
        put(store, keys[i], keys[i]);
    assert_list(store, "", "a/ a-b/ a.b ab b/");
    assert_list(store, "a", ".zarray 0.0 x/");
    assert_true(vz_store_del_tree(store, "a", NULL));
    assert_true(vz_store_del_tree(store, "a", NULL));
    assert_true(vz_store_del_tree(store, "none/at/all", NULL));
    assert_list(store, "", "a-b/ a.b ab b/");
    assert_true(vz_store_del_tree(store, "ab", NULL)); /* a value */
    assert_true(vz_store_del_tree(store, "b/a", NULL));
    assert_value(store, "b/a/c", NULL);
    assert_true(vz_store_del_tree(store, "", NULL));
    assert_list(store, "", "");
    put(store, "again", "1");
    assert_list(store, "", "again");
}

static void test_rename(void **state)
{
    vz_store *store = *state;
    put(store, "a/.zgroup", "{}");
    put(store, "a/x/0", "zero");
    put(store, "a/x/1/2", "one two");
    put(store, "file", "f");
    assert_true(vz_store_rename_tree(store, "a", "n/e/w", NULL));
    assert_value(store, "a/x/0", NULL);
    assert_value(store, "n/e/w/.zgroup", "{}");
    assert_value(store, "n/e/w/x/1/2", "one two");
    assert_true(vz_store_rename_tree(store, "file", "n/file", NULL));
    assert_value(store, "n/file", "f");
    assert_list(store, "n", "e/ file");

    static const struct {
        const char *from, *to;
        vz_error_class class;
    } wrong[] = {
        {"n/file", "n/e/w/.zgroup", VZ_EXISTS},
        {"n/file", "n/e", VZ_EXISTS},
        {"n/e", "n/file", VZ_EXISTS},
        {"none", "other", VZ_NOT_FOUND},
        {"n/none/x", "o", VZ_NOT_FOUND},
        {"n", "n/e/w/y", VZ_INVALID},
        {"n", "n", VZ_INVALID},
        {"n/file/below", "o", VZ_NOT_FOUND},
        {"n", "../n", VZ_INVALID},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        vz_error err = VZ_ERROR_NONE;
        assert_false(vz_store_rename_tree(store, wrong[i].from, wrong[i].to, &err));
        if (err.class != wrong[i].class)
            fail_msg("%s to %s: %d %s", wrong[i].from, wrong[i].to, err.class, err.text);
    }
    assert_value(store, "n/file", "f");
    assert_value(store, "n/e/w/.zgroup", "{}");
}

static void test_wrong_keys(void **state)
{
    static const char *const keys[] = {"/",      "/a", "a/",  "a//b", "..",    "../a", "a/..",
                                       "a/../b", ".",  "./a", "a/.",  "a/./b", "//"};
    vz_store *store = *state;
    vz_buffer out = {0};
    vz_stamp stamp;
    vz_entry *entries;
    size_t count;
    bool found;
    for (size_t i = 0; i <= COUNT(keys); i++) {
        const char *key = i < COUNT(keys) ? keys[i] : "";
        vz_error err[8] = {VZ_ERROR_NONE};
        assert_false(vz_store_get(store, key, VZ_WHOLE, &out, &found, &err[0]));
        assert_false(vz_store_put(store, key, (vz_bytes){0}, &err[1]));
        assert_false(vz_store_put_new(store, key, (vz_bytes){0}, &err[2]));
        assert_false(vz_store_del(store, key, &err[3]));
        assert_false(vz_store_stat(store, key, &stamp, &err[4]));
        assert_false(vz_store_rename_tree(store, key, "x", &err[5]));
        if (*key) {
            assert_false(vz_store_list(store, key, &entries, &count, &err[6]));
            assert_false(vz_store_del_tree(store, key, &err[7]));
        }
        for (size_t j = 0; j < (*key ? 8 : 6); j++)
            assert_int_equal(err[j].class, VZ_INVALID);
    }
    static const char *const good[] = {"...", "..a", "a..", ".a/..b/c..", " ", "a b", "a\\b", "\xC3\xA9", "%2e", "a\nb",
#ifndef KEYS_ARE_UTF8
                                       "\xFF"
#endif
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        put(store, good[i], good[i]);
        assert_value(store, good[i], good[i]);
    }
#ifdef KEYS_ARE_UTF8
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_put(store, "\xFF", (vz_bytes){0}, &err));
    assert_int_equal(err.class, VZ_INVALID);
#endif
}

static void test_list_is_sorted(void **state)
{
    vz_store *store = *state;
    char key[32], expected[4096] = "";
    for (int i = 99; i >= 0; i--) {
        snprintf(key, sizeof key, "l/%03d%s", i * 37 % 100, i % 3 ? "" : "/x");
        put(store, key, "");
    }
    for (int n = 0; n < 100; n++)
        for (int i = 0; i < 100; i++)
            if (i * 37 % 100 == n)
                sprintf(expected + strlen(expected), "%s%03d%s", n ? " " : "", n, i % 3 ? "" : "/");
    assert_list(store, "l", expected);
    put(store, "m/\xC3\xA9", "");
    put(store, "m/z", "");
    put(store, "m/Z", "");
    assert_list(store, "m", "Z z \xC3\xA9"); /* by bytes, whatever the locale */
}

static void test_partials_are_not_listed(void **state)
{
    vz_store *store = *state;
    char name[256], key[300];
    assert_true(vz_partial_name(name, sizeof name, NULL));
    snprintf(key, sizeof key, "%s/0.0", name);
    put(store, key, "chunk of an unlinked array");
    put(store, "x.partial", "a name like any other");
    assert_list(store, "", "x.partial");
    assert_value(store, key, "chunk of an unlinked array"); /* its process lives: it stays */
    assert_true(vz_store_rename_tree(store, name, "linked", NULL));
    assert_list(store, "", "linked/ x.partial");
    assert_list(store, "linked", "0.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALL(test_del),        ALL(test_del_tree),       ALL(test_rename),
        ALL(test_wrong_keys), ALL(test_list_is_sorted), ALL(test_partials_are_not_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
