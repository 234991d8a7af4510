/* high_level.c - HDF5's high-level library on one file: high_level FILE. Each value that is written is read back
 * through the same library, before and after the file is closed. The exit status tells how many checks failed; each is
 * named on stderr. */
#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 40, EXTRA = 3, WIDTH = 8, HEIGHT = 5, PIXELS = WIDTH * HEIGHT, PACKETS = 25 };

static int failed;

static void check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "failed: %s\n", what);
        failed++;
    }
}
#define CHECK(holds) check((holds), #holds)

/* ---- H5LT: datasets and attributes in one call ---- */

static const int numbers[6] = {1, -2, 3, -4, 5, -6};

static void lite_write(hid_t file)
{
    const hsize_t shape[2] = {2, 3};
    const double factors[2] = {0.5, 1e300};
    CHECK(H5LTmake_dataset_int(file, "numbers", 2, shape, numbers) >= 0);
    CHECK(H5LTmake_dataset_string(file, "text", "some words") >= 0);
    CHECK(H5LTset_attribute_string(file, "numbers", "unit", "mm") >= 0);
    CHECK(H5LTset_attribute_double(file, "numbers", "factors", factors, 2) >= 0);
    CHECK(H5LTset_attribute_string(file, "/", "title", "a file") >= 0);
}

static void lite_read(hid_t file)
{
    int read[6] = {0}, rank = 0;
    char text[16] = "", unit[8] = "";
    double factors[2] = {0};
    hsize_t shape[2] = {0};
    size_t size = 0;
    H5T_class_t class = H5T_NO_CLASS;
    CHECK(H5LTget_dataset_ndims(file, "numbers", &rank) >= 0 && rank == 2);
    CHECK(H5LTget_dataset_info(file, "numbers", shape, &class, &size) >= 0 && shape[0] == 2 && shape[1] == 3);
    CHECK(class == H5T_INTEGER && size == sizeof(int));
    CHECK(H5LTread_dataset_int(file, "numbers", read) >= 0 && memcmp(read, numbers, sizeof read) == 0);
    CHECK(H5LTread_dataset_string(file, "text", text) >= 0 && strcmp(text, "some words") == 0);
    CHECK(H5LTget_attribute_string(file, "numbers", "unit", unit) >= 0 && strcmp(unit, "mm") == 0);
    CHECK(H5LTget_attribute_double(file, "numbers", "factors", factors) >= 0 && factors[1] == 1e300);
    CHECK(H5LTfind_dataset(file, "text") == 1 && H5LTfind_dataset(file, "none") == 0);
    CHECK(H5LTfind_attribute(file, "title") == 1 && H5LTpath_valid(file, "/numbers", 1) == 1);
}

/* ---- H5TB: tables ---- */

typedef struct record {
    int number;
    float value;
    char name[8];
} record;

static const size_t offsets[3] = {HOFFSET(record, number), HOFFSET(record, value), HOFFSET(record, name)};
static const size_t sizes[3] = {sizeof(int), sizeof(float), 8};

static record record_of(int i)
{
    record made = {.number = i, .value = (float)i / 4};
    snprintf(made.name, sizeof made.name, "n%d", i % 1000);
    return made;
}

static int is_record(const record *r, int i)
{
    const record expected = record_of(i);
    return r->number == expected.number && r->value == expected.value && strcmp(r->name, expected.name) == 0;
}

static void table_write(hid_t file)
{
    const char *names[3] = {"number", "value", "name"};
    record records[RECORDS], more[EXTRA];
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 8);
    const hid_t types[3] = {H5T_NATIVE_INT, H5T_NATIVE_FLOAT, text};
    memset(records, 0, sizeof records);
    memset(more, 0, sizeof more);
    for (int i = 0; i < RECORDS; i++)
        records[i] = record_of(i);
    for (int i = 0; i < EXTRA; i++)
        more[i] = record_of(100 + i);
    CHECK(H5TBmake_table("a table", file, "table", 3, RECORDS, sizeof(record), names, offsets, types, 7, NULL, 1,
                         records) >= 0);
    CHECK(H5TBappend_records(file, "table", EXTRA, sizeof(record), offsets, sizes, more) >= 0);
    CHECK(H5TBdelete_record(file, "table", 5, 2) >= 0);
    CHECK(H5TBinsert_record(file, "table", 0, 1, sizeof(record), offsets, sizes, &more[2]) >= 0);
    more[0].number = -1;
    CHECK(H5TBwrite_records(file, "table", 10, 1, sizeof(record), offsets, sizes, &more[0]) >= 0);
    H5Tclose(text);
}

static void table_read(hid_t file)
{
    enum { LEFT = RECORDS + EXTRA - 2 + 1 };
    hsize_t fields = 0, count = 0;
    record read[LEFT];
    CHECK(H5TBget_table_info(file, "table", &fields, &count) >= 0 && fields == 3 && count == LEFT);
    CHECK(H5TBread_table(file, "table", sizeof(record), offsets, sizes, read) >= 0);
    CHECK(is_record(&read[0], 102) && is_record(&read[1], 0) && is_record(&read[5], 4) && is_record(&read[6], 7));
    CHECK(read[10].number == -1 && is_record(&read[LEFT - 1], 102));
    CHECK(H5TBread_records(file, "table", LEFT - 2, 2, sizeof(record), offsets, sizes, read) >= 0 &&
          is_record(&read[0], 101));
}

/* ---- H5IM: images and palettes ---- */

static void image_write(hid_t file)
{
    unsigned char pixels[PIXELS], colours[4 * 3];
    const hsize_t palette[2] = {4, 3};
    for (int i = 0; i < PIXELS; i++)
        pixels[i] = (unsigned char)(i % 4);
    for (int i = 0; i < 12; i++)
        colours[i] = (unsigned char)(20 * i);
    CHECK(H5IMmake_image_8bit(file, "image", WIDTH, HEIGHT, pixels) >= 0);
    CHECK(H5IMmake_palette(file, "palette", palette, colours) >= 0);
    CHECK(H5IMlink_palette(file, "image", "palette") >= 0);
}

static void image_read(hid_t file)
{
    unsigned char pixels[PIXELS] = {0}, colours[12] = {0};
    hsize_t width = 0, height = 0, planes = 0;
    char interlace[32] = "";
    hssize_t count = 0;
    CHECK(H5IMis_image(file, "image") == 1 && H5IMis_palette(file, "palette") == 1);
    CHECK(H5IMget_image_info(file, "image", &width, &height, &planes, interlace, &count) >= 0);
    CHECK(width == WIDTH && height == HEIGHT && count == 1);
    CHECK(H5IMread_image(file, "image", pixels) >= 0 && pixels[PIXELS - 1] == (PIXELS - 1) % 4);
    CHECK(H5IMget_palette(file, "image", 0, colours) >= 0 && colours[11] == 220); /* by a reference in an attribute */
}

/* ---- H5DS: dimension scales ---- */

static herr_t count_scale(hid_t dataset, unsigned dimension, hid_t scale, void *count)
{
    (void)dataset, (void)dimension, (void)scale;
    ++*(int *)count;
    return 0;
}

static void scales_write(hid_t file)
{
    const hsize_t length = 3;
    const float x[3] = {0, 0.5f, 1};
    CHECK(H5LTmake_dataset_float(file, "x", 1, &length, x) >= 0);
    const hid_t scale = H5Dopen2(file, "x", H5P_DEFAULT), data = H5Dopen2(file, "numbers", H5P_DEFAULT);
    CHECK(H5DSset_scale(scale, "the x axis") >= 0 && H5DSattach_scale(data, scale, 1) >= 0);
    CHECK(H5DSset_label(data, 0, "rows") >= 0);
    H5Dclose(scale);
    H5Dclose(data);
}

static void scales_read(hid_t file)
{
    char name[16] = "", label[16] = "";
    int count = 0;
    const hid_t scale = H5Dopen2(file, "x", H5P_DEFAULT), data = H5Dopen2(file, "numbers", H5P_DEFAULT);
    CHECK(H5DSis_scale(scale) == 1 && H5DSis_scale(data) == 0 && H5DSis_attached(data, scale, 1) == 1);
    CHECK(H5DSget_scale_name(scale, name, sizeof name) == 10 && strcmp(name, "the x axis") == 0);
    CHECK(H5DSget_label(data, 0, label, sizeof label) == 4 && strcmp(label, "rows") == 0);
    CHECK(H5DSget_num_scales(data, 1) == 1 && H5DSiterate_scales(data, 1, NULL, count_scale, &count) >= 0 &&
          count == 1);
    H5Dclose(scale);
    H5Dclose(data);
}

/* ---- H5PT: packets; H5LD, H5DO ---- */

static void packets_write(hid_t file)
{
    const hid_t table = H5PTcreate(file, "packets", H5T_NATIVE_INT, 10, H5P_DEFAULT);
    CHECK(table >= 0);
    for (int i = 0; i < PACKETS; i++)
        CHECK(H5PTappend(table, 1, &i) >= 0);
    CHECK(H5PTclose(table) >= 0);
}

static void packets_read(hid_t file)
{
    hsize_t count = 0, shape = 0;
    int some[4] = {0};
    const hid_t table = H5PTopen(file, "packets");
    CHECK(H5PTget_num_packets(table, &count) >= 0 && count == PACKETS && H5PTis_valid(table) >= 0);
    CHECK(H5PTread_packets(table, 20, 4, some) >= 0 && some[3] == 23);
    CHECK(H5PTset_index(table, 7) >= 0 && H5PTget_next(table, 2, some) >= 0 && some[1] == 8);
    CHECK(H5PTclose(table) >= 0);
    const hid_t data = H5Dopen2(file, "packets", H5P_DEFAULT);
    CHECK(H5LDget_dset_dims(data, &shape) >= 0 && shape == PACKETS);
    H5Dclose(data);
}

static void append(hid_t file)
{
    const int more[2] = {PACKETS, PACKETS + 1};
    int last = 0;
    const hid_t data = H5Dopen2(file, "packets", H5P_DEFAULT);
    CHECK(H5DOappend(data, H5P_DEFAULT, 0, 2, H5T_NATIVE_INT, more) >= 0);
    H5Dclose(data);
    const hid_t table = H5PTopen(file, "packets");
    CHECK(H5PTread_packets(table, PACKETS + 1, 1, &last) >= 0 && last == PACKETS + 1);
    CHECK(H5PTclose(table) >= 0);
}

static void read_all(hid_t file)
{
    lite_read(file);
    table_read(file);
    image_read(file);
    scales_read(file);
    packets_read(file);
}

int main(int count, char **arguments)
{
    if (count != 2)
        return EXIT_FAILURE;
    hid_t file = H5Fcreate(arguments[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    lite_write(file);
    table_write(file);
    image_write(file);
    scales_write(file);
    packets_write(file);
    read_all(file);
    CHECK(H5Fclose(file) >= 0);
    file = H5Fopen(arguments[1], H5F_ACC_RDWR, H5P_DEFAULT);
    read_all(file);
    append(file);
    CHECK(H5Fclose(file) >= 0);
    return failed > 100 ? 100 : failed;
}
