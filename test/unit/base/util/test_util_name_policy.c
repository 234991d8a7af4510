/* Names that come out of files: a case for each cell of the policy's table, with and without what
 * may lift it. */
#include "base/util/name_policy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A row: below, disk, public, private, bucket. "u": with the user's credentials; "a": anonymous; "-": refused. */
static const struct row {
    const char *what;
    vz_name_case name;
    const char *expected;
    vz_option_hosts hosts;
} rows[] = {
    {"user", {.by = VZ_NAMER_USER}, "uuuuu", VZ_HOSTS_ANY},
    {"doorway of somebody else", {.by = VZ_NAMER_REDIRECT_FILE}, "u----", VZ_HOSTS_PUBLIC},
    {"own doorway", {.by = VZ_NAMER_REDIRECT_FILE, .trusted = true}, "u-a-a", VZ_HOSTS_PUBLIC},
    {"doorway anywhere",
     {.by = VZ_NAMER_REDIRECT_FILE, .doorways = VZ_DOORWAYS_ANYWHERE},
     "uuaau",
     VZ_HOSTS_NOT_METADATA},
    {"own doorway anywhere",
     {.by = VZ_NAMER_REDIRECT_FILE, .trusted = true, .doorways = VZ_DOORWAYS_ANYWHERE},
     "uuaau",
     VZ_HOSTS_NOT_METADATA},
    {"doorway, links anywhere", {.by = VZ_NAMER_REDIRECT_FILE, .links = VZ_LINKS_ANYWHERE}, "u----", VZ_HOSTS_PUBLIC},
    {"local file", {.by = VZ_NAMER_LOCAL_FILE}, "uu---", VZ_HOSTS_PUBLIC},
    {"local file, doorways anywhere",
     {.by = VZ_NAMER_LOCAL_FILE, .doorways = VZ_DOORWAYS_ANYWHERE},
     "uu---",
     VZ_HOSTS_PUBLIC},
    {"local file, below", {.by = VZ_NAMER_LOCAL_FILE, .links = VZ_LINKS_BELOW}, "u----", VZ_HOSTS_PUBLIC},
    {"local file, anywhere", {.by = VZ_NAMER_LOCAL_FILE, .links = VZ_LINKS_ANYWHERE}, "uuaaa", VZ_HOSTS_NOT_METADATA},
    {"remote store", {.by = VZ_NAMER_REMOTE_STORE}, "u----", VZ_HOSTS_PUBLIC},
    {"remote store, below", {.by = VZ_NAMER_REMOTE_STORE, .links = VZ_LINKS_BELOW}, "u----", VZ_HOSTS_PUBLIC},
    {"remote store, anywhere",
     {.by = VZ_NAMER_REMOTE_STORE, .links = VZ_LINKS_ANYWHERE},
     "u-aaa",
     VZ_HOSTS_NOT_METADATA},
    {"redirect", {.by = VZ_NAMER_HTTP_REDIRECT}, "--a-a", VZ_HOSTS_PUBLIC},
    {"redirect from such a host", {.by = VZ_NAMER_HTTP_REDIRECT, .trusted = true}, "--aaa", VZ_HOSTS_NOT_METADATA},
    {"redirect, all options",
     {.by = VZ_NAMER_HTTP_REDIRECT, .doorways = VZ_DOORWAYS_ANYWHERE, .links = VZ_LINKS_ANYWHERE},
     "--a-a",
     VZ_HOSTS_PUBLIC},
};

static void test_cells(void **state)
{
    (void)state;
    static const char letters[] = {[VZ_REACH_REFUSED] = '-', [VZ_REACH_ANONYMOUS] = 'a', [VZ_REACH_OWN] = 'u'};
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t target = 0; target < 5; target++)
            if (letters[vz_name_decide(&rows[i].name, (vz_target)target)] != rows[i].expected[target])
                fail_msg("%s, column %zu", rows[i].what, target);
        if (vz_name_hosts(&rows[i].name) != rows[i].hosts)
            fail_msg("hosts of %s", rows[i].what);
    }
}

/* What an option is said to allow, it allows. */
static void test_options(void **state)
{
    (void)state;
    for (int by = VZ_NAMER_USER; by <= VZ_NAMER_HTTP_REDIRECT; by++)
        for (int target = VZ_TARGET_BELOW; target <= VZ_TARGET_BUCKET; target++)
            for (int links = VZ_LINKS_LOCAL; links <= VZ_LINKS_BELOW; links++) {
                vz_name_case name = {.by = (vz_namer)by, .links = (vz_option_links)links};
                if (vz_name_decide(&name, (vz_target)target) != VZ_REACH_REFUSED)
                    continue;
                const char *option = vz_name_option(name.by, (vz_target)target, name.links);
                vz_options options = {.links = name.links};
                if (!option)
                    continue;
                assert_true(vz_options_parse(&options, option, NULL));
                name.doorways = options.doorways;
                name.links = options.links;
                if (vz_name_decide(&name, (vz_target)target) == VZ_REACH_REFUSED)
                    fail_msg("%d %d: %s", by, target, option);
            }
    assert_null(vz_name_option(VZ_NAMER_REMOTE_STORE, VZ_TARGET_DISK, VZ_LINKS_LOCAL)); /* never */
    assert_null(vz_name_option(VZ_NAMER_HTTP_REDIRECT, VZ_TARGET_PRIVATE, VZ_LINKS_LOCAL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
