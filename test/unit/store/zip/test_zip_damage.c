/* One damaged byte anywhere in a one-file store: each value is right, or reading it, or opening the store, fails. No
 * value is missing. */
#include "store/zip/zip_internal.h"
#include "store/store/kind.h"
#include "store/zip/central_internal.h"
#include "memory_source.h"
#include <libdeflate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define FILE_NAME "a.h5"

#include "zip_file_support.h"

#define SHARD ((size_t)40000) /* bytes: such data is aligned */

static uint8_t shard[SHARD];

/* What the store has: small values, one of which begins as an extra field could, and a large one. */
static const struct {
    const char *key, *value;
    size_t size;
} values[] = {
    {".zgroup", "{\"zarr_format\": 2}", 18},
    {"a/.zarray", "{\"shape\": [3]}", 14},
    {"a/0", "\1\0\0\0\2\0\0\0\3\0\0\0", 12},
    {"a/1", "\0\0\0\0\0\0\0\0\0\0\0\0", 12},
    {"b/0.0", (const char *)shard, SHARD},
    {"a/2", "\x35\xd9\4\0\0\x10\0\0\0\0\0\0", 12},
    {"late/0", "later", 5},
    {"late/1", "", 0},
    {"late/2", "latest", 6},
};
#define VALUES (sizeof values / sizeof *values)
#define FIRST  5 /* so many are there before a flush */

enum { CLOSED, FLUSHED_ONCE, FLUSHED, BEGUN, PACKED, ZIP };

static void put_values(vz_store *store, size_t first, size_t after)
{
    for (size_t i = first; i < after; i++)
        assert_true(
            vz_store_put(store, values[i].key, (vz_bytes){(const uint8_t *)values[i].value, values[i].size}, NULL));
}

/* Names beside those that are looked at. */
static void put_many(vz_store *store)
{
    char key[32];
    for (int i = 0; i < 12; i++) {
        snprintf(key, sizeof key, "many/%d", i);
        put(store, key, "x");
    }
}

/* The file as it is on the disk in that state, its writer killed where it was not closed. */
static void make(int state, uint64_t user_block, vz_buffer *out)
{
    uint64_t before, after;
    vz_store *store =
        state == ZIP ? vz_zip_create(path, false, NULL) : vz_zip_create_one_file(path, false, user_block, NULL);
    assert_non_null(store);
    put_many(store);
    put_values(store, 0, state == FLUSHED || state == FLUSHED_ONCE ? FIRST : VALUES);
    commit(store);
    if (state == BEGUN) {
        vz_store_close(store);
        store = open_zip(true);
        put(store, "new", "x");
    }
    if (state == FLUSHED || state == FLUSHED_ONCE) {
        put_values(store, FIRST, state == FLUSHED ? FIRST + 2 : VALUES);
        assert_true(vz_store_flush(store, NULL));
    }
    if (state == FLUSHED) {
        put_values(store, FIRST + 2, VALUES);
        assert_true(vz_store_flush(store, NULL));
    }
    if (state == PACKED)
        assert_true(vz_store_compact(store, &before, &after, NULL));
    const bool is_killed = state != CLOSED && state != PACKED && state != ZIP;
    if (!is_killed)
        vz_store_close(store);
    slurp(out);
    if (is_killed)
        vz_store_close(store);
}

static memory_source over_image;

static vz_byte_source *source_of(const vz_buffer *image)
{
    over_image = (memory_source){.base = {.class = &memory_source_class, .in_memory = true, .is_read_anywhere = true},
                                 .bytes = *image};
    return &over_image.base;
}

/* As programs open a file: first it is found what it is. NULL: it is no store, or it cannot be opened. */
static vz_store *open_image(const vz_buffer *image)
{
    vz_location location;
    assert_true(vz_location_find_over(source_of(image), "image", false, &location, NULL));
    vz_store *store = location.store;
    location.store = NULL;
    vz_location_clear(&location);
    return store;
}

/* Ranges of the large one, too, as of shards. False: it is an error. */
static bool check_value(vz_store *store, size_t i, size_t first, size_t size, bool *is_wrong)
{
    vz_buffer out = {0};
    bool found = false;
    const vz_range range = {.kind = VZ_RANGE_AT, .offset = first, .size = size};
    const bool ok = vz_store_get(store, values[i].key, range, &out, &found, NULL);
    *is_wrong = ok && (!found || out.size != size || (size && memcmp(out.data, values[i].value + first, size) != 0));
    vz_buffer_clear(&out);
    return ok;
}

typedef struct tally {
    unsigned opened, refused, failed;
} tally;

static void check_image(const vz_buffer *image, uint64_t data_first, uint64_t data_after, const char *what, size_t at,
                        tally *t)
{
    vz_store *store = open_image(image);
    if (!store) {
        t->refused++;
        return;
    }
    t->opened++;
    for (size_t i = 0; i < VALUES; i++) {
        bool is_wrong;
        t->failed += !check_value(store, i, 0, values[i].size, &is_wrong);
        if (is_wrong)
            fail_msg("%s, byte %zu: %s is wrong, or missing", what, at, values[i].key);
        if (values[i].size < 2 || (at >= data_first && at < data_after))
            continue; /* a part of a value has no checksum of its own */
        check_value(store, i, values[i].size / 2, values[i].size / 2, &is_wrong);
        if (is_wrong)
            fail_msg("%s, byte %zu: a part of %s is wrong, or missing", what, at, values[i].key);
    }
    vz_store_close(store);
}

/* Where the large value's data is. */
static uint64_t find_shard(const vz_buffer *image)
{
    for (size_t at = 0; at + SHARD <= image->size; at++)
        if (memcmp(image->data + at, shard, SHARD) == 0)
            return at;
    fail_msg("no shard");
    return 0;
}

static void damage_all(int state, uint64_t user_block, const char *what)
{
    static const uint8_t masks[] = {0x01, 0x1f, 0xff};
    vz_buffer image = {0};
    tally t = {0};
    make(state, user_block, &image);
    const uint64_t data = find_shard(&image);
    check_image(&image, 0, 0, what, 0, &t);
    assert_int_equal(t.opened, 1);
    assert_int_equal(t.failed, 0);
    for (size_t at = user_block; at < image.size; at++) {
        const bool is_zero_room = image.data[at] == 0 && at > user_block + 2048 && image.data[at - 1] == 0 &&
                                  at + 64 < image.size && image.data[at + 1] == 0 && at % 4093;
        if (is_zero_room || (at >= data && at < data + SHARD && at % 997))
            continue;
        for (size_t i = 0; i < sizeof masks; i++) {
            image.data[at] ^= masks[i];
            if (state == ZIP) /* parts of values are not looked after there */
                check_image(&image, 0, image.size, what, at, &t);
            else
                check_image(&image, data, data + SHARD, what, at, &t);
            image.data[at] ^= masks[i];
        }
    }
    print_message("%s: %u opened, %u refused, %u values failed\n", what, t.opened, t.refused, t.failed);
    assert_true(t.opened > 1000 && t.refused > 10 && t.failed > 10);
    vz_buffer_clear(&image);
}

static void test_closed(void **state)
{
    (void)state;
    damage_all(CLOSED, 0, "closed");
}

static void test_behind_a_user_block(void **state)
{
    (void)state;
    damage_all(CLOSED, 512, "closed, with a user block");
}

static void test_flushed(void **state)
{
    (void)state;
    damage_all(FLUSHED, 0, "flushed");
}

static void test_flushed_once(void **state)
{
    (void)state;
    damage_all(FLUSHED_ONCE, 1024, "flushed once");
}

static void test_begun(void **state)
{
    (void)state;
    damage_all(BEGUN, 0, "begun");
}

static void test_packed(void **state)
{
    (void)state;
    damage_all(PACKED, 0, "packed");
}

static void test_zip(void **state)
{
    (void)state;
    damage_all(ZIP, 0, "a plain zip file");
}

/* A record that never came to the disk is no damaged one: what was flushed before counts. */
static void test_a_power_cut_is_no_damage(void **state)
{
    (void)state;
    vz_buffer image = {0};
    vz_zip_slot slots[VZ_SIGNATURE_SLOTS];
    unsigned count;
    make(FLUSHED, 0, &image);
    assert_true(vz_zip_slot_read(source_of(&image), 0, slots, &count, NULL));
    assert_int_equal(count, 2);
    assert_int_equal(slots[0].deltas, 2);
    memset(image.data + slots[0].last.offset, 0, slots[0].last.size);
    vz_store *store = open_image(&image);
    assert_non_null(store);
    assert_value(store, "late/0", "later");
    assert_value(store, "late/2", NULL);
    bool is_wrong;
    assert_true(check_value(store, 4, 0, SHARD, &is_wrong));
    assert_false(is_wrong);
    vz_store_close(store);
    vz_buffer_clear(&image);
}

/* Of a new file nothing is waited for: some blocks come to the disk, others are what they were, or zeros. Then the
 * file cannot be opened, or is empty as when it was made, or each value is right or an error. */
static void test_a_power_cut_of_a_new_file(void **state)
{
    (void)state;
    enum { BLOCK = 4096, CASES = 3000 };
    vz_buffer last = {0}, before = {0}, image = {0};
    unsigned complete = 0, empty = 0, refused = 0;
    vz_store *store = vz_zip_create_one_file(path, false, 0, NULL);
    assert_non_null(store);
    put_many(store);
    slurp(&before); /* it ends with the guard */
    put_values(store, 0, VALUES);
    commit(store);
    vz_store_close(store);
    slurp(&last);
    srand(1);
    for (int i = 0; i < CASES; i++) {
        const size_t sizes[] = {last.size, before.size, last.size - (size_t)rand() % last.size};
        const size_t size = sizes[rand() % 3];
        const int lost = rand() % 20 + 1;
        image.size = 0;
        assert_true(vz_buffer_reserve(&image, size, NULL));
        for (size_t at = 0; at < size; at += BLOCK) {
            const vz_buffer *from = rand() % lost ? &last : rand() % 2 ? &before : NULL;
            const size_t part = size - at < BLOCK ? size - at : BLOCK;
            const size_t there = !from || from->size < at ? 0 : from->size - at < part ? from->size - at : part;
            memset(image.data + at, 0, part);
            memcpy(image.data + at, from ? from->data + at : image.data + at, there);
        }
        image.size = size;
        store = open_image(&image);
        vz_entry *entries = NULL;
        size_t count = 0;
        const bool is_listed = store && vz_store_list(store, "", &entries, &count, NULL);
        vz_entries_free(entries, count);
        refused += !store;
        empty += is_listed && count == 0;
        for (size_t k = 0; is_listed && count && k < VALUES; k++) {
            bool is_wrong;
            complete += check_value(store, k, 0, values[k].size, &is_wrong);
            if (is_wrong)
                fail_msg("case %d: %s is wrong, or missing", i, values[k].key);
        }
        if (store)
            vz_store_close(store);
    }
    print_message("%u values right, %u files empty, %u refused\n", complete, empty, refused);
    assert_true(complete > 100 && empty > 10 && refused > 100);
    vz_buffer_clear(&last);
    vz_buffer_clear(&before);
    vz_buffer_clear(&image);
}

/* Slots of earlier versions have no copy of their fields. */
static void test_slots_of_earlier_versions(void **state)
{
    (void)state;
    vz_buffer image = {0};
    make(FLUSHED, 0, &image);
    for (unsigned i = 0; i < VZ_SIGNATURE_SLOTS; i++) {
        uint8_t *slot = image.data + vz_signature_slot(0, i);
        memset(slot + 112, 0, VZ_SIGNATURE_SLOT_SIZE - 112);
        vz_bytes_store_le32(slot + VZ_SIGNATURE_SLOT_SIZE - 4, libdeflate_crc32(0, slot, VZ_SIGNATURE_SLOT_SIZE - 4));
    }
    tally t = {0};
    check_image(&image, 0, 0, "earlier", 0, &t);
    assert_int_equal(t.opened, 1);
    assert_int_equal(t.failed, 0);
    vz_buffer_clear(&image);
}

static int begin(void **state)
{
    for (size_t i = 0; i < SHARD; i++)
        shard[i] = (uint8_t)(i * 7 + i / 251);
    return make_directory(state);
}

int main(void)
{
    vz_store_set_kinds(vz_zip_local_kinds);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_behind_a_user_block),
        cmocka_unit_test(test_flushed),
        cmocka_unit_test(test_flushed_once),
        cmocka_unit_test(test_begun),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_zip),
        cmocka_unit_test(test_a_power_cut_is_no_damage),
        cmocka_unit_test(test_a_power_cut_of_a_new_file),
        cmocka_unit_test(test_slots_of_earlier_versions),
    };
    return cmocka_run_group_tests(tests, begin, remove_directory);
}
