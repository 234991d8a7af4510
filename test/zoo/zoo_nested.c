/* zoo_nested.c - types within types, two levels and more. */
#include "zoo.h"

static hid_t text(void)
{
    const hid_t type = must(H5Tcopy(H5T_C_S1));
    must(H5Tset_size(type, H5T_VARIABLE));
    return type;
}

/* These take their base. */
static hid_t sequence_of(hid_t base)
{
    const hid_t type = must(H5Tvlen_create(base));
    H5Tclose(base);
    return type;
}

static hid_t array_of(hid_t base, hsize_t a, hsize_t b)
{
    const hsize_t dims[2] = {a, b};
    const hid_t type = must(H5Tarray_create2(base, b ? 2 : 1, dims));
    H5Tclose(base);
    return type;
}

/* Members one after the other with `gap` bytes before each. */
static hid_t compound_of(size_t gap, size_t count, const hid_t *members)
{
    static const char *const names[] = {"a", "b b", "\xc3\xa9", "d/x", "e"};
    size_t size = gap;
    for (size_t i = 0; i < count; i++)
        size += H5Tget_size(members[i]) + gap;
    const hid_t type = must(H5Tcreate(H5T_COMPOUND, size));
    size_t offset = gap;
    for (size_t i = 0; i < count; i++) {
        must(H5Tinsert(type, names[i], offset, members[i]));
        offset += H5Tget_size(members[i]) + gap;
        H5Tclose(members[i]);
    }
    return type;
}

static hid_t copy(hid_t type)
{
    return must(H5Tcopy(type));
}

static hid_t record(void)
{
    const hid_t members[] = {copy(H5T_STD_I8LE), copy(H5T_IEEE_F64BE), text(), copy(H5T_STD_U16LE)};
    return compound_of(0, 4, members);
}

static hid_t gaps(void)
{
    const hid_t members[] = {copy(H5T_STD_I8LE), copy(H5T_IEEE_F64LE), copy(H5T_STD_U16BE)};
    return compound_of(3, 3, members);
}

/* The first member in the file is not the first one inserted. */
static hid_t backwards(void)
{
    const hid_t type = must(H5Tcreate(H5T_COMPOUND, 12));
    must(H5Tinsert(type, "late", 8, H5T_STD_I32LE));
    must(H5Tinsert(type, "early", 0, H5T_IEEE_F64LE));
    return type;
}

static hid_t record_of_records(void)
{
    const hid_t members[] = {record(), gaps(), array_of(backwards(), 2, 2), copy(H5T_STD_I32LE)};
    return compound_of(0, 4, members);
}

static hid_t record_of_arrays(void)
{
    const hid_t members[] = {array_of(copy(H5T_IEEE_F32LE), 3, 2), array_of(text(), 2, 0),
                             array_of(copy(H5T_STD_I16LE), 40, 0), array_of(text(), 33, 0)};
    return compound_of(0, 4, members);
}

static hid_t record_of_sequences(void)
{
    const hid_t members[] = {sequence_of(copy(H5T_STD_I32LE)), sequence_of(text()), sequence_of(record()), text()};
    return compound_of(0, 4, members);
}

static hid_t sequence_of_sequences(void)
{
    return sequence_of(sequence_of(copy(H5T_STD_I16BE)));
}

static hid_t sequence_of_texts(void)
{
    return sequence_of(text());
}

static hid_t sequence_of_records(void)
{
    return sequence_of(record());
}

static hid_t sequence_of_arrays(void)
{
    return sequence_of(array_of(copy(H5T_IEEE_F32BE), 2, 2));
}

static hid_t array_of_arrays(void)
{
    return array_of(array_of(copy(H5T_STD_I32LE), 2, 0), 3, 2);
}

static hid_t array_of_sequences(void)
{
    return array_of(sequence_of(copy(H5T_STD_I32LE)), 2, 0);
}

static hid_t array_of_records(void)
{
    return array_of(record(), 2, 0);
}

static hid_t deep(void)
{
    return sequence_of(array_of(sequence_of(record_of_sequences()), 2, 0));
}

#define ROW(name)                                                                                                      \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
static const zoo_type nested[] = {
    ROW(record),
    ROW(gaps),
    ROW(backwards),
    ROW(record_of_records),
    ROW(record_of_arrays),
    ROW(record_of_sequences),
    ROW(sequence_of_sequences),
    ROW(sequence_of_texts),
    ROW(sequence_of_records),
    ROW(sequence_of_arrays),
    ROW(array_of_arrays),
    ROW(array_of_sequences),
    ROW(array_of_records),
    ROW(deep),
};

void zoo_part_nested(hid_t file)
{
    char name[64];
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++) {
        const hid_t type = nested[i].make(), dcpl = must(H5Pcreate(H5P_DATASET_CREATE));
        const hsize_t chunk = 2;
        must(H5Pset_chunk(dcpl, 1, &chunk));
        zoo_dataset(file, nested[i].name, type, 7, dcpl);
        snprintf(name, sizeof name, "%s scalar", nested[i].name);
        zoo_dataset(file, name, type, 0, H5P_DEFAULT);
        const hid_t target = must(H5Dopen2(file, ZOO_TARGET, H5P_DEFAULT));
        zoo_attribute(target, nested[i].name, type, 4);
        H5Dclose(target);
        snprintf(name, sizeof name, "%s type", nested[i].name);
        must(H5Tcommit2(file, name, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5Pclose(dcpl);
        H5Tclose(type);
    }
}
