/* test_inside_attributes_list.c - the attributes of an object: their names, their order, very many of them. */
#include "inside_attributes_support.h"

static void names_and_order(void **state)
{
    (void)state;
    static const char *const names[] = {"zebra", "apple", "mango"};
    hid_t space = H5Screate(H5S_SCALAR);
    ok(vz_node_set_attribute(root, "zarr_dtype", parse_json("\"x\""), &err));
    for (size_t i = 0; i < 3; i++) {
        ok(vz_attribute_create(root, names[i], H5T_NATIVE_INT, space, NULL, &err));
        if (i == 1)
            ok(vz_node_set_attribute(root, "zarr_link", parse_json("[]"), &err));
    }
    assert_int_equal(vz_attribute_count(root), 3);
    for (size_t i = 0; i < 3; i++) {
        H5A_info_t info;
        assert_string_equal(vz_attribute_at(root, i), names[i]);
        WITH(names[i], vz_attribute_info(&attribute, &info, &err));
        assert_int_equal(info.corder, i);
        assert_int_equal(info.data_size, 4);
    }
    assert_null(vz_attribute_at(root, 3));
    assert_false(vz_attribute_exists(root, "zarr_dtype"));
    assert_true(vz_attribute_exists(root, "mango"));

    assert_false(vz_attribute_create(root, "mango", H5T_NATIVE_INT, space, NULL, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    err = VZ_ERROR_NONE;
    ok(vz_attribute_create(root, "_HDF5", H5T_NATIVE_INT, space, NULL, &err)); /* under another key */
    assert_string_equal(vz_attribute_at(root, 3), "_HDF5");
    assert_non_null(vz_node_attribute(root, "%5FHDF5"));
    expect_json(vz_json_get(root->annotation, "an"), "{\"%5FHDF5\":\"X0hERjU=\"}");
    ok(vz_attribute_delete(root, "_HDF5", &err));
    expect_json(vz_json_get(root->annotation, "an"), "-");
    assert_false(vz_attribute_rename(root, "mango", "apple", &err));
    assert_int_equal(err.class, VZ_EXISTS);
    err = VZ_ERROR_NONE;
    ok(vz_attribute_rename(root, "mango", "kiwi", &err));
    expect_seen("kiwi", "\"<i4\"", "[]");
    expect_json(entry("mango"), "-");
    ok(vz_attribute_delete(root, "kiwi", &err));
    ok(vz_attribute_delete(root, "apple", &err));
    ok(vz_attribute_delete(root, "zebra", &err));
    expect_json(vz_json_get(root->annotation, "a"), "-");
    assert_false(vz_attribute_delete(root, "zebra", &err));
    assert_int_equal(err.class, VZ_NOT_FOUND);
    err = VZ_ERROR_NONE;
    ok(vz_attribute_create(root, "r", H5T_STD_REF_OBJ, space, NULL, &err));
    expect_seen("r", "{\"ref\":\"obj\"}", "[]");
    expect_json(entry("r"), "-");
    ok(vz_attribute_delete(root, "r", &err));
    H5Sclose(space);
}

/* Thousands of attributes and one of a million elements: seconds, not minutes, under a memory checker as well. */
static void many_and_large(void **state)
{
    (void)state;
    enum { MANY = 5000, LARGE = 300000 };
    char name[32];
    hid_t space = H5Screate(H5S_SCALAR);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "attribute %d", i);
        ok(vz_attribute_create(root, name, H5T_STD_I16LE, space, NULL, &err));
        write_value(name, H5T_NATIVE_INT, &i);
    }
    H5Sclose(space);
    assert_int_equal(vz_attribute_count(root), MANY);
    for (int i = 0; i < MANY; i++) {
        int value;
        read_value(vz_attribute_at(root, (size_t)i), H5T_NATIVE_INT, &value);
        assert_int_equal(value, i);
    }
    const hsize_t large = LARGE;
    float *numbers = malloc(LARGE * sizeof *numbers), *again = malloc(LARGE * sizeof *numbers);
    for (size_t i = 0; i < LARGE; i++)
        numbers[i] = (float)i / 7;
    space = H5Screate_simple(1, &large, NULL);
    ok(vz_attribute_create(root, "large", H5T_IEEE_F32LE, space, NULL, &err));
    write_value("large", H5T_NATIVE_FLOAT, numbers);
    reopen();
    read_value("large", H5T_NATIVE_FLOAT, again);
    assert_memory_equal(numbers, again, LARGE * sizeof *numbers);
    H5Sclose(space);
    free(again);
    free(numbers);
}

int main(void)
{
    bind_here();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const struct CMUnitTest tests[] = {
        TEST(names_and_order),
        TEST(many_and_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
