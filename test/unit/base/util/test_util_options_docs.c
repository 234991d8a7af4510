/* docs/options.md holds the table of options as the code has it. `unit_test_util_options_docs print` prints that table.
 */
#include "base/util/options_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define PAGE VZ_TEST_DATA "/../../../docs/options.md"

static char *describe(void)
{
    vz_buffer table = {0};
    vz_error err = VZ_ERROR_NONE;
    if (!vz_options_describe(&table, &err) || !vz_buffer_append(&table, "", 1, &err)) {
        vz_buffer_clear(&table);
        return NULL;
    }
    return (char *)table.data;
}

static char *read_page(void)
{
    vz_buffer page = {0};
    char part[4096];
    size_t size;
    FILE *file = fopen(PAGE, "r");
    if (!file)
        return NULL;
    while ((size = fread(part, 1, sizeof part, file)) > 0)
        assert_true(vz_buffer_append(&page, part, size, NULL));
    fclose(file);
    assert_true(vz_buffer_append(&page, "", 1, NULL));
    return (char *)page.data;
}

static void test_page_has_table(void **state)
{
    (void)state;
    char *table = describe(), *page = read_page();
    assert_non_null(table);
    assert_non_null(page);
    const char *found = strstr(page, table);
    if (!found)
        print_error("docs/options.md lacks this table, which must stand in it as it is:\n%s", table);
    assert_non_null(found);
    assert_int_not_equal(found[strlen(table)], '|'); /* and no row more */
    free(page);
    free(table);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "print") == 0) {
        char *table = describe();
        const bool printed = table && fputs(table, stdout) >= 0;
        free(table);
        return printed ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_page_has_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
