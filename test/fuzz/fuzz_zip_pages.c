/* fuzz_zip_pages.c - the sorted directory of a one-file store with its index, under sums that hold: what pages of it
 * say is what all of it says, or an error. The input is the size of the index (2 bytes, little-endian), and the
 * directory. */
#include "fuzz.h"
#include "store/store/kind.h"
#include "store/zip/pages_internal.h"
#include "store/zip/zip.h"
#include <libdeflate.h>

#define ENTRIES      4096 /* bytes before the directory: local headers of the keys below, with their values */
#define DEPTH_MAX    4
#define INPUT_MAX    ((size_t)1 << 16)
#define INDEX_HEAD   4
#define PAGE_FIELDS  30
#define AT_PAGE_SIZE 2
#define AT_PAGE_CRC  10

typedef struct image {
    vz_byte_source base;
    uint8_t bytes[2 * ENTRIES + INPUT_MAX + VZ_ZIP_END_MOST];
    uint64_t size;
} image;

static bool read_image(vz_byte_source *source, uint64_t offset, void *data, size_t size, vz_error *err)
{
    const image *i = (const image *)source;
    if (offset > i->size || size > i->size - offset)
        return vz_fail(err, VZ_CORRUPT, "ends early");
    memcpy(data, i->bytes + offset, size);
    return true;
}

static bool size_image(vz_byte_source *source, uint64_t *size, vz_error *err)
{
    (void)err;
    *size = ((image *)source)->size;
    return true;
}

static bool close_image(vz_byte_source *source, vz_error *err)
{
    (void)source;
    (void)err;
    return true;
}

static const vz_byte_source_class class = {.read = read_image, .size = size_image, .close = close_image};

/* The sums of pages, as far as the index says where they are. */
static void seal_index(uint8_t *directory, size_t size, size_t index_size)
{
    uint8_t *next = directory + size - index_size + INDEX_HEAD, *after = directory + size;
    size_t first = 0;
    while (index_size > INDEX_HEAD && after - next >= PAGE_FIELDS) {
        const size_t page = vz_bytes_load_le32(next + AT_PAGE_SIZE), key = vz_zip_load16(next);
        if (page > size - first || key > (size_t)(after - next) - PAGE_FIELDS)
            return;
        vz_bytes_store_le32(next + AT_PAGE_CRC, libdeflate_crc32(0, directory + first, page));
        first += page;
        next += PAGE_FIELDS + key;
    }
}

static uint64_t put_entries(image *i)
{
    static const char *const keys[] = {".zgroup", "a/.zarray", "a/0", "a/b/c", "b", "b/0", "c-d/0", "zarr.json"};
    uint64_t at = ENTRIES;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const size_t length = strlen(keys[k]);
        const vz_keytree_value value = {.stored = length, .size = length, .crc = libdeflate_crc32(0, keys[k], length)};
        vz_buffer local = vz_buffer_borrow(i->bytes + at, 128);
        FUZZ_REQUIRE(vz_zip_print_local(&local, keys[k], &value, 0, NULL));
        memcpy(i->bytes + at + local.size, keys[k], length);
        at += local.size + length;
    }
    return at;
}

static void make(image *i, const uint8_t *data, size_t size, size_t index_size)
{
    vz_zip_slot slot = {.sequence = 2};
    slot.end =
        (vz_zip_end){.directory = put_entries(i), .size = size, .generation = 1, .index_size = (uint32_t)index_size};
    uint8_t *directory = i->bytes + slot.end.directory;
    memcpy(directory, data, size);
    seal_index(directory, size, index_size);
    for (size_t at = 0; at + 4 <= size; at++)
        slot.end.count += vz_bytes_load_le32(directory + at) == VZ_ZIP_CENTRAL_SIGNATURE;
    slot.end.crc = libdeflate_crc32(0, directory, size);
    slot.end.index_crc = libdeflate_crc32(0, directory + size - index_size, index_size);
    vz_buffer end = vz_buffer_borrow(directory + size, VZ_ZIP_END_MOST);
    FUZZ_REQUIRE(vz_zip_print_end(&end, &slot.end, NULL));
    i->size = slot.used = slot.end.after;
    vz_zip_slot_print(&slot, i->bytes + vz_signature_slot(0, 0));
}

static vz_store *open_image(image *i, bool in_pages)
{
    const vz_signature header = {.kind = VZ_SIGNATURE_STORE};
    i->base = (vz_byte_source){.class = &class, .in_memory = true, .is_read_anywhere = in_pages};
    return vz_zip_over_byte_source(&i->base, "image", &header, false, NULL);
}

/* Pages give the values that the whole directory gives. */
static void compare(vz_store *pages, vz_store *all, const char *key)
{
    vz_buffer one = {0}, other = {0};
    bool found = false, also = false;
    const bool ok = vz_store_get(pages, key, VZ_WHOLE, &one, &found, NULL);
    if (ok && found && vz_store_get(all, key, VZ_WHOLE, &other, &also, NULL))
        FUZZ_REQUIRE(also && one.size == other.size && (one.size == 0 || memcmp(one.data, other.data, one.size) == 0));
    vz_buffer_clear(&one);
    vz_buffer_clear(&other);
}

static void visit(vz_store *pages, vz_store *all, const char *prefix, unsigned depth)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    char key[4096];
    if (depth > DEPTH_MAX || !vz_store_list(pages, prefix, &entries, &count, NULL))
        return;
    for (size_t i = 0; i < count; i++) {
        const int length = snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "/" : "", entries[i].name);
        if (length < 0 || (size_t)length >= sizeof key)
            continue;
        compare(pages, all, key);
        if (entries[i].is_prefix)
            visit(pages, all, key, depth + 1);
    }
    vz_entries_free(entries, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static image one, two;
    if (size < 2 || size - 2 > INPUT_MAX)
        return 0;
    const size_t index_size = vz_zip_load16(data);
    if (index_size > size - 2)
        return 0;
    make(&one, data + 2, size - 2, index_size);
    memcpy(&two, &one, sizeof two);
    vz_store *pages = open_image(&one, true), *all = open_image(&two, false);
    if (pages && all)
        visit(pages, all, "", 0);
    if (pages)
        vz_store_close(pages);
    if (all)
        vz_store_close(all);
    return 0;
}
