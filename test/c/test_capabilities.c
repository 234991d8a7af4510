/* The capability flags that HDF5 hears of are those that test/api/capabilities.txt names, with the tests that prove
 * them. */
#include "both.h"

#define FLAG(name)                                                                                                     \
    {                                                                                                                  \
#name, H5VL_CAP_FLAG_##name                                                                                    \
    }

static const struct {
    const char *name;
    uint64_t flag;
} flags[] = {
    FLAG(THREADSAFE),       FLAG(ASYNC),        FLAG(NATIVE_FILES),   FLAG(ATTR_BASIC),    FLAG(ATTR_MORE),
    FLAG(DATASET_BASIC),    FLAG(DATASET_MORE), FLAG(FILE_BASIC),     FLAG(FILE_MORE),     FLAG(GROUP_BASIC),
    FLAG(GROUP_MORE),       FLAG(LINK_BASIC),   FLAG(LINK_MORE),      FLAG(MAP_BASIC),     FLAG(MAP_MORE),
    FLAG(OBJECT_BASIC),     FLAG(OBJECT_MORE),  FLAG(REF_BASIC),      FLAG(REF_MORE),      FLAG(OBJ_REF),
    FLAG(REG_REF),          FLAG(ATTR_REF),     FLAG(CREATION_ORDER), FLAG(ITERATE),       FLAG(STORAGE_SIZE),
    FLAG(STORED_DATATYPES), FLAG(BY_IDX),       FLAG(GET_PLIST),      FLAG(FLUSH_REFRESH), FLAG(EXTERNAL_LINKS),
    FLAG(HARD_LINKS),       FLAG(SOFT_LINKS),   FLAG(UD_LINKS),       FLAG(TRACK_TIMES),   FLAG(MOUNT),
    FLAG(FILTERS),          FLAG(FILL_VALUES),
};
#define FLAGS (sizeof flags / sizeof *flags)

static uint64_t flag_of(const char *name)
{
    for (size_t i = 0; i < FLAGS; i++)
        if (strcmp(flags[i].name, name) == 0)
            return flags[i].flag;
    fail_msg("capabilities.txt: there is no H5VL_CAP_FLAG_%s", name);
    return 0;
}

static uint64_t flags_of_table(void)
{
    char line[256], name[64], proof[192];
    uint64_t found = 0;
    FILE *table = fopen(VZ_TEST_SOURCE "/api/capabilities.txt", "r");
    assert_non_null(table);
    while (fgets(line, sizeof line, table))
        if (*line != '#' && sscanf(line, "%63s %191[^\n]", name, proof) == 2)
            found |= flag_of(name);
    fclose(table);
    return found;
}

static void the_table_names_what_is_declared(void **state)
{
    (void)state;
    uint64_t declared = 0;
    const hid_t fapl = access_list(ZARR);
    assert_true(H5Pget_vol_cap_flags(fapl, &declared) >= 0);
    H5Pclose(fapl);
    const uint64_t table = flags_of_table();
    for (size_t i = 0; i < FLAGS; i++)
        if ((declared ^ table) & flags[i].flag)
            fail_msg("%s is %s", flags[i].name, declared & flags[i].flag ? "declared without a proof" : "not declared");
    assert_true(declared == table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_table_names_what_is_declared)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
