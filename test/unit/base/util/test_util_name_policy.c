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
    {"reference file of somebody else", {.by = VZ_NAMER_REFERENCE_FILE}, "u----", VZ_HOSTS_PUBLIC},
    {"own reference file", {.by = VZ_NAMER_REFERENCE_FILE, .trusted = true}, "u-a-a", VZ_HOSTS_PUBLIC},
    {"own reference file, below",
     {.by = VZ_NAMER_REFERENCE_FILE, .trusted = true, .targets = VZ_TARGETS_BELOW},
     "u----",
     VZ_HOSTS_PUBLIC},
    {"reference file anywhere",
     {.by = VZ_NAMER_REFERENCE_FILE, .targets = VZ_TARGETS_ANYWHERE},
     "uuaaa",
     VZ_HOSTS_NOT_METADATA},
    {"own reference file anywhere",
     {.by = VZ_NAMER_REFERENCE_FILE, .trusted = true, .targets = VZ_TARGETS_ANYWHERE},
     "uuaaa",
     VZ_HOSTS_NOT_METADATA},
    {"reference file, other options",
     {.by = VZ_NAMER_REFERENCE_FILE, .doorways = VZ_DOORWAYS_ANYWHERE, .links = VZ_LINKS_ANYWHERE},
     "u----",
     VZ_HOSTS_PUBLIC},
    {"remote references", {.by = VZ_NAMER_REMOTE_REFERENCES}, "u-a-a", VZ_HOSTS_PUBLIC},
    {"remote references, own host or bucket",
     {.by = VZ_NAMER_REMOTE_REFERENCES, .trusted = true},
     "u-aau",
     VZ_HOSTS_NOT_METADATA},
    {"remote references, below",
     {.by = VZ_NAMER_REMOTE_REFERENCES, .trusted = true, .targets = VZ_TARGETS_BELOW},
     "u----",
     VZ_HOSTS_PUBLIC},
    {"remote references anywhere",
     {.by = VZ_NAMER_REMOTE_REFERENCES, .targets = VZ_TARGETS_ANYWHERE},
     "u-aaa",
     VZ_HOSTS_NOT_METADATA},
    {"remote references anywhere, own host or bucket",
     {.by = VZ_NAMER_REMOTE_REFERENCES, .trusted = true, .targets = VZ_TARGETS_ANYWHERE},
     "u-aau",
     VZ_HOSTS_NOT_METADATA},
};

static void test_cells(void **state)
{
    (void)state;
    static const char letters[] = {[VZ_REACH_REFUSED] = '-', [VZ_REACH_ANONYMOUS] = 'a', [VZ_REACH_OWN] = 'u'};
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t target = 0; target < 5; target++)
            if (letters[vz_name_decide(&rows[i].name, (vz_name_destination)target)] != rows[i].expected[target])
                fail_msg("%s, column %zu", rows[i].what, target);
        if (vz_name_hosts(&rows[i].name) != rows[i].hosts)
            fail_msg("hosts of %s", rows[i].what);
    }
}

static void check_option(vz_name_case name, vz_name_destination target)
{
    if (vz_name_decide(&name, target) != VZ_REACH_REFUSED)
        return;
    const char *option = vz_name_option(&name, target);
    vz_options options = {.links = name.links, .targets = name.targets};
    if (!option)
        return;
    assert_true(vz_options_parse(&options, option, NULL));
    name.doorways = options.doorways;
    name.links = options.links;
    name.targets = options.targets;
    if (vz_name_decide(&name, target) == VZ_REACH_REFUSED)
        fail_msg("%d %d: %s", (int)name.by, (int)target, option);
}

/* What an option is said to allow, it allows. */
static void test_options(void **state)
{
    (void)state;
    for (int by = VZ_NAMER_USER; by <= VZ_NAMER_REMOTE_REFERENCES; by++)
        for (int target = VZ_TARGET_BELOW; target <= VZ_TARGET_BUCKET; target++)
            for (int value = 0; value <= 2; value++)
                check_option((vz_name_case){.by = (vz_namer)by,
                                            .links = (vz_option_links)value,
                                            .targets = (vz_targets)value,
                                            .trusted = value == 1},
                             (vz_name_destination)target);
    assert_null(vz_name_option(&(vz_name_case){.by = VZ_NAMER_REMOTE_STORE}, VZ_TARGET_DISK)); /* never */
    assert_null(vz_name_option(&(vz_name_case){.by = VZ_NAMER_HTTP_REDIRECT}, VZ_TARGET_PRIVATE));
    assert_null(vz_name_option(&(vz_name_case){.by = VZ_NAMER_REMOTE_REFERENCES}, VZ_TARGET_DISK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
