/* A directory that is searched where it lies: every key and every listing of it, how little of it is read, and files
 * that lie about it. */
#include "store/zip/zip_internal.h"
#include "store/zip/pages_internal.h"
#include "memory_source.h"
#include <libdeflate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define FILE_NAME "a.h5"

#include "zip_file_support.h"

#define GROUPS  400
#define MEMBERS 12

/* ---- a store of many keys ---- */

static void key_of(char key[64], int group, int member)
{
    static const char *const names[MEMBERS] = {".zattrs", ".zarray", "0",   "1",    "10",    "2.0",
                                               "a/b",     "a-b",     "a/c", "a+/x", "zz/.z", "\xc3\xa4"};
    snprintf(key, 64, "%s%d/%s", group % 3 ? "group" : "g/", group, names[member]);
}

static void put_all(vz_store *store, int groups)
{
    char key[64];
    put(store, ".zgroup", "top");
    put(store, ".zattrs", "attributes");
    for (int group = groups; group-- > 0;)
        for (int member = 0; member < MEMBERS; member++) {
            key_of(key, group, member);
            put(store, key, key);
        }
    put(store, "group7", "a value, and a prefix");
    put(store, "zarr.json", "top");
}

static void make(int groups)
{
    vz_store *store = vz_zip_create_one_file(path, false, 0, NULL);
    assert_non_null(store);
    put_all(store, groups);
    commit(store);
    vz_store_close(store);
}

static void check_all(vz_store *store, int groups)
{
    char key[64];
    assert_value(store, ".zgroup", "top");
    assert_value(store, "zarr.json", "top");
    assert_value(store, "group7", "a value, and a prefix");
    for (int group = 0; group < groups; group++)
        for (int member = 0; member < MEMBERS; member++) {
            key_of(key, group, member);
            assert_value(store, key, key);
        }
    static const char *const none[] = {"0", "g", "group", "zzz", "g/0", "group1/a", "group1/b", "group1/0/1", "\xff"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_value(store, none[i], NULL);
}

static void assert_listing(vz_store *store, const char *prefix, const char *const *names)
{
    vz_entry *entries;
    size_t count, i = 0;
    assert_true(vz_store_list(store, prefix, &entries, &count, NULL));
    vz_entries_sort(entries, count);
    for (; names[i]; i++) {
        const char *name = names[i] + (names[i][0] == '/');
        assert_true(i < count);
        assert_string_equal(entries[i].name, name);
        assert_int_equal(entries[i].is_prefix, names[i][0] == '/'); /* "/name": keys are below it */
    }
    assert_int_equal(count, i);
    vz_entries_free(entries, count);
}

static void check_lists(vz_store *store, int groups)
{
    vz_entry *entries;
    size_t count, prefixes = 0;
    assert_listing(store, "group8",
                   (const char *const[]){".zarray", ".zattrs", "0", "1", "10", "2.0", "/a", "/a+", "a-b", "/zz",
                                         "\xc3\xa4", NULL});
    assert_listing(store, "group8/a", (const char *const[]){"b", "c", NULL});
    assert_listing(store, "group8/zz", (const char *const[]){".z", NULL});
    assert_listing(store, "group8/b", (const char *const[]){NULL});
    assert_listing(store, "zzzz", (const char *const[]){NULL});
    assert_true(vz_store_list(store, "", &entries, &count, NULL));
    for (size_t i = 0; i < count; i++)
        prefixes += entries[i].is_prefix;
    assert_int_equal(prefixes, groups - (groups + 2) / 3 + 1); /* "group<n>", and "g" */
    assert_int_equal(count, prefixes + 3);                     /* .zgroup, .zattrs, zarr.json */
    vz_entries_free(entries, count);
    assert_true(vz_store_list(store, "g", &entries, &count, NULL));
    assert_int_equal(count, (groups + 2) / 3);
    vz_entries_free(entries, count);
}

/* Members with a value of some name, in the directory's order, backwards, and with members that are not there. */
static void check_looks(vz_store *store, int groups)
{
    static const char *const names[] = {".zarray", "\xc3\xa4", "a/b", "none", "zz"};
    char text[2 * GROUPS][16];
    vz_entry_probe looks[2 * GROUPS];
    for (int backwards = 0; backwards < 2; backwards++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            const size_t count = (size_t)groups + 20; /* the last ones do not exist */
            for (size_t i = 0; i < count; i++) {
                snprintf(text[i], sizeof text[i], "group%d", (int)(backwards ? count - 1 - i : i));
                looks[i] = (vz_entry_probe){.name = text[i], .is_there = n < 3};
            }
            assert_true(vz_store_look_below(store, "", names[n], looks, count, NULL));
            for (size_t i = 0; i < count; i++) {
                const int group = (int)(backwards ? count - 1 - i : i);
                assert_int_equal(looks[i].is_there, n < 3 && group < groups && group % 3 != 0);
            }
        }
    vz_entry_probe below[] = {{.name = "0"}, {.name = "1"}, {.name = "3"}, {.name = "30"}};
    assert_true(vz_store_look_below(store, "g", ".zattrs", below, 4, NULL));
    for (int i = 0; i < 4; i++)
        assert_int_equal(below[i].is_there, i == 0 || i == 2 || (i == 3 && groups > 30));
}

static void test_every_key(void **state)
{
    (void)state;
    for (int groups = 30; groups <= GROUPS; groups += GROUPS - 30) {
        make(groups);
        for (int writable = 0; writable < 2; writable++) {
            vz_store *store = open_zip(writable);
            check_all(store, groups);
            check_lists(store, groups);
            check_looks(store, groups);
            if (writable) {
                put(store, "group1/more", "by the tree");
                check_looks(store, groups);
            }
            vz_store_close(store);
        }
    }
}

/* A change makes the tree. Values keep their versions, and reads give the bytes that were put. */
static void test_changes(void **state)
{
    (void)state;
    vz_stamp before, after;
    make(GROUPS);
    vz_store *store = open_zip(true);
    assert_true(vz_store_stat(store, "group8/a/b", &before, NULL));
    put(store, "group8/new", "new");
    assert_true(vz_store_stat(store, "group8/a/b", &after, NULL));
    assert_true(after.exists && before.inode == after.inode);
    assert_true(vz_store_del(store, "group8/0", NULL));
    assert_true(vz_store_rename_tree(store, "group10", "renamed", NULL));
    commit(store);
    vz_store_close(store);
    store = open_zip(false);
    assert_value(store, "group8/new", "new");
    assert_value(store, "group8/0", NULL);
    assert_value(store, "group10/0", NULL);
    assert_value(store, "renamed/0", "group10/0");
    assert_value(store, "group8/1", "group8/1");
    vz_store_close(store);
}

/* ---- how much is read ---- */

static memory_source over_image;

static vz_store *open_image(const vz_buffer *image, vz_error *err)
{
    over_image = (memory_source){.base = {.class = &memory_source_class, .in_memory = true, .is_read_anywhere = true},
                                 .bytes = *image};
    return vz_zip_over_byte_source(&over_image.base, "image", &(vz_signature){.kind = VZ_SIGNATURE_STORE}, false, err);
}

static void test_little_is_read(void **state)
{
    (void)state;
    vz_buffer image = {0};
    uint64_t read[2];
    for (int i = 0; i < 2; i++) {
        make(i ? 10 * GROUPS : GROUPS);
        slurp(&image);
        vz_store *store = open_image(&image, NULL);
        assert_non_null(store);
        assert_int_equal(over_image.reads, 2); /* the slots, and the end */
        assert_value(store, ".zgroup", "top");
        assert_value(store, "none", NULL);
        assert_int_equal(over_image.reads, 4); /* the entry and its bytes: the root's keys came with the end */
        read[i] = over_image.bytes_read;
        assert_true(read[i] < 100000);
        assert_value(store, "group8/a/b", "group8/a/b");
        assert_true(over_image.bytes_read - read[i] < 40000);
        vz_store_close(store);
    }
    assert_true(read[1] < 3 * read[0]);
    vz_buffer_clear(&image);
}

/* ---- files that lie ---- */

/* Sums over what stands there now, as if the writer had meant it. */
static void seal(vz_buffer *image)
{
    vz_zip_slot slots[VZ_SIGNATURE_SLOTS];
    unsigned count;
    uint8_t bytes[VZ_SIGNATURE_SLOT_SIZE];
    memory_source source = {.base = {.class = &memory_source_class}, .bytes = *image};
    assert_true(vz_zip_slot_read(&source.base, 0, slots, &count, NULL));
    vz_zip_end *end = &slots[0].end;
    uint8_t *start = image->data + end->directory, *index = start + end->size - end->index_size;
    uint8_t *page = index + 4, *records = start;
    for (uint32_t i = 0; i < vz_bytes_load_le32(index); i++) {
        const uint32_t size = vz_bytes_load_le32(page + 2);
        vz_bytes_store_le32(page + 10, libdeflate_crc32(0, records, size));
        records += size;
        page += 30 + vz_zip_load16(page);
    }
    end->index_crc = libdeflate_crc32(0, index, end->index_size);
    end->crc = libdeflate_crc32(0, start, end->size);
    vz_buffer printed = {0};
    assert_true(vz_zip_print_end(&printed, end, NULL));
    memcpy(start + end->size, printed.data, printed.size);
    vz_buffer_clear(&printed);
    vz_zip_slot_print(&slots[0], bytes);
    memcpy(image->data + vz_signature_slot(0, (unsigned)(slots[0].sequence % VZ_SIGNATURE_SLOTS)), bytes, sizeof bytes);
}

static uint8_t *find_bytes(const vz_buffer *image, const char *text, unsigned which)
{
    const size_t length = strlen(text);
    for (size_t at = 0; at + length <= image->size; at++)
        if (memcmp(image->data + at, text, length) == 0 && which-- == 0)
            return image->data + at;
    fail_msg("%s is not there", text);
    return NULL;
}

/* Every key is right, or an error; neither is taken for a value that is missing. */
static void assert_never_wrong(const vz_buffer *image, const char *renamed)
{
    vz_error err = VZ_ERROR_NONE;
    vz_store *store = open_image(image, &err);
    if (!store) {
        assert_int_equal(err.class, VZ_CORRUPT);
        return;
    }
    char key[64];
    for (int group = 0; group < GROUPS; group++) {
        vz_buffer out = {0};
        bool found;
        key_of(key, group, 2);
        if (vz_store_get(store, key, VZ_WHOLE, &out, &found, NULL) && strcmp(key, renamed) != 0)
            assert_true(found && out.size == strlen(key) && memcmp(out.data, key, out.size) == 0);
        vz_buffer_clear(&out);
    }
    vz_store_close(store);
}

static void test_lies(void **state)
{
    (void)state;
    vz_buffer image = {0};
    make(GROUPS);
    slurp(&image);
    vz_buffer kept = {0};
    assert_true(vz_buffer_append(&kept, image.data, image.size, NULL));
    seal(&image);
    assert_memory_equal(image.data, kept.data, image.size); /* it seals as the writer does */
    vz_zip_slot slots[VZ_SIGNATURE_SLOTS];
    unsigned count;
    memory_source source = {.base = {.class = &memory_source_class}, .bytes = image};
    assert_true(vz_zip_slot_read(&source.base, 0, slots, &count, NULL));
    uint8_t *index = image.data + slots[0].end.directory + slots[0].end.size - slots[0].end.index_size;
    assert_true(vz_bytes_load_le32(index) > 10);
    for (int lie = 0; lie < 8; lie++) {
        memcpy(image.data, kept.data, kept.size);
        uint8_t *name = find_bytes(&image, "group200/0", 1); /* in the directory */
        if (lie == 0)
            memcpy(name, "group999/0", 10); /* not sorted */
        else if (lie == 1)
            memcpy(name, "group200/1", 10); /* twice the same key */
        else if (lie == 2)
            vz_bytes_store_le32(name - 4,
                                vz_bytes_load_le32(find_bytes(&image, "group8/0", 1) - 4)); /* another one's entry */
        else if (lie == 3)
            vz_bytes_store_le32(name - 4, vz_bytes_load_le32(name - 4) - 40); /* overlapping */
        else if (lie == 4)
            vz_bytes_store_le32(index + 4 + 6, vz_bytes_load_le32(index + 4 + 6) - 1); /* fewer entries in a page */
        else if (lie == 5)
            vz_bytes_store_le64(index + 4 + 14, (uint64_t)1 << 62); /* more bytes than there are */
        else if (lie == 6)
            index[4 + 30] ^= 1; /* another first key */
        else
            vz_bytes_store_le32(index, 3); /* fewer pages */
        seal(&image);
        assert_never_wrong(&image, lie < 2 ? "group200/0" : "");
    }
    vz_buffer_clear(&kept);
    vz_buffer_clear(&image);
}

/* A page that does not have its sum: all is read, and what of it is right stays readable. */
static void test_a_damaged_page(void **state)
{
    (void)state;
    vz_buffer image = {0};
    make(GROUPS);
    slurp(&image);
    *(find_bytes(&image, "group200/0", 1) - 34) ^= 1; /* a byte of a date */
    vz_store *store = open_image(&image, NULL);
    assert_non_null(store);
    assert_value(store, "group8/0", "group8/0");
    assert_value(store, "group200/0", "group200/0");
    vz_store_close(store);
    store = open_image(&image, NULL);
    assert_non_null(store);
    check_looks(store, GROUPS);
    vz_store_close(store);
    vz_buffer_clear(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key), cmocka_unit_test(test_changes),        cmocka_unit_test(test_little_is_read),
        cmocka_unit_test(test_lies),      cmocka_unit_test(test_a_damaged_page),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
