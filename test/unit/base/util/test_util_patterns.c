/* The list of patterns of the option `create`. */
#include "base/util/options.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { NO = -1, SAME = VZ_CONTAINER_FILE + 1 }; /* taken by none; taken, and no kind is said */

static const struct {
    const char *patterns, *name;
    int taken;
} cases[] = {
    {"", "x", SAME},
    {" ", "x", SAME},
    {" , ,", "x", SAME},
    {"*.zarr", "a.zarr", SAME},
    {"*.zarr", "a.h5ad", NO},
    {"*.zarr,*.h5ad", "a.h5ad", SAME},
    {"*.zarr , *.h5ad", "a.h5ad", SAME},
    {" *.zarr", "a.zarr", SAME},
    {"*.zarr,*.h5ad:file", "a.h5ad", VZ_CONTAINER_FILE},
    {"*.zarr,*.h5ad:file", "a.zarr", SAME},
    {"*.zarr,*.h5ad : file", "a.h5ad", VZ_CONTAINER_FILE},
    {"*.h5ad :file", "a.h5ad", VZ_CONTAINER_FILE},
    {"*.h5ad:file ,*.x", "a.h5ad", VZ_CONTAINER_FILE},
    {"*:zip", "a", VZ_CONTAINER_ZIP},
    {"*:directory", "a", VZ_CONTAINER_DIRECTORY},
    {"*:auto", "a", VZ_CONTAINER_AUTO},
    {"a:b", "a:b", SAME},
    {"a:b:zip", "a:b", VZ_CONTAINER_ZIP},
    {"a:zip:zip", "a:zip", VZ_CONTAINER_ZIP},
    {"a:zipped", "a:zipped", SAME},
    {":file", "whatever", VZ_CONTAINER_FILE},
    {"*.x:zip,*:file", "a.x", VZ_CONTAINER_ZIP}, /* the first that takes it */
    {"*.x:zip,*:file", "a.y", VZ_CONTAINER_FILE},
    {"*,*:file", "a.y", SAME},
    {"a[,]b,c", "a,b", SAME}, /* commas in brackets */
    {"a[,]b,c", "c", SAME},
    {"a[],]b", "a,b", SAME},
    {"a[!],]b", "axb", SAME},
    {"a[!],]b", "a,b", NO},
    {"a[b,c", "a[b", SAME}, /* no brackets, since they never end */
    {"a[b,c", "c", SAME},
    {"a\\,b", "a,b", SAME},
    {"a\\[,b", "a[", SAME},
    {"a[:file", "a[", VZ_CONTAINER_FILE},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int said = SAME;
        vz_option_container container = VZ_CONTAINER_AUTO;
        if (!vz_patterns_take(cases[i].patterns, cases[i].name, &container)) {
            said = NO;
        } else {
            vz_option_container other = VZ_CONTAINER_ZIP; /* said, or as it was? */
            vz_patterns_take(cases[i].patterns, cases[i].name, &other);
            said = other == container ? (int)container : SAME;
        }
        if (said != cases[i].taken)
            fail_msg("%s, %s: %d", cases[i].patterns, cases[i].name, said);
    }
}

static void test_long_list(void **state)
{
    (void)state;
    static char patterns[1 << 16];
    vz_option_container container = VZ_CONTAINER_AUTO;
    for (size_t i = 0; i + 16 < sizeof patterns; i += 8)
        memcpy(patterns + i, "none.xy,", 8);
    strcat(patterns, "last:zip");
    assert_true(vz_patterns_take(patterns, "last", &container));
    assert_int_equal(container, VZ_CONTAINER_ZIP);
    assert_false(vz_patterns_take(patterns, "other", &container));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_long_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
