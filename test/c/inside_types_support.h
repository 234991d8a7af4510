/* inside_types_support.h - elements of any type, made and passed through: for tests of types. */
#ifndef INSIDE_TYPES_SUPPORT_H
#define INSIDE_TYPES_SUPPORT_H

#include "inside_support.h"

/* ---- elements of any type, made and compared ---- */

#define ELEMENTS 7

static unsigned turn;

static void make_element(const vz_type_tree *layout, uint8_t *out)
{
    static const char *const texts[] = {"", "a",
                                        ("Gr\xc3\xbc\xc3\x9f"
                                         "e"),
                                        "\xf0\x9f\x90\x9f", "four words of text"};
    turn++;
    if (layout->class == H5T_COMPOUND) {
        for (size_t i = 0; i < layout->count; i++)
            make_element(layout->members[i].layout, out + layout->members[i].offset);
    } else if (layout->class == H5T_ARRAY) {
        for (size_t i = 0; i < layout->count; i++)
            make_element(layout->base, out + i * layout->base->size);
    } else if (layout->class == H5T_VLEN) {
        hvl_t sequence = {.len = turn % 4};
        sequence.p = sequence.len ? calloc(sequence.len, layout->base->size) : NULL;
        for (size_t i = 0; i < sequence.len; i++)
            make_element(layout->base, (uint8_t *)sequence.p + i * layout->base->size);
        memcpy(out, &sequence, sizeof sequence);
    } else if (layout->is_variable) {
        char *text = turn % 6 == 5 ? NULL : strdup(texts[turn % 6]);
        memcpy(out, &text, sizeof text);
    } else if (layout->is_bool) {
        out[0] = turn % 2;
    } else {
        for (size_t i = 0; i < layout->size; i++)
            out[i] = (uint8_t)(turn * 31 + i * 7);
    }
}

static void reclaim(hid_t type, void *data, hsize_t count)
{
    hid_t space = H5Screate_simple(1, &count, NULL);
    assert_true(H5Treclaim(type, space, H5P_DEFAULT, data) >= 0);
    H5Sclose(space);
}

/* Packs elements and unpacks them again; text members make the dtype grow first. */
static void round_trip(const vz_dtype *dtype, hid_t shown, size_t times)
{
    vz_error err = VZ_ERROR_NONE;
    vz_arena arena = {0};
    vz_dtype *grown = NULL;
    vz_type_tree *layout = vz_type_tree_new(shown, &err);
    uint8_t *in = calloc(ELEMENTS, layout->size), *out = calloc(ELEMENTS, layout->size);
    for (size_t i = 0; i < ELEMENTS; i++)
        make_element(layout, in + i * layout->size);
    if (vz_type_can_grow(dtype))
        assert_true(vz_type_widen(dtype, layout, in, ELEMENTS, true, &grown, &err));
    if (grown)
        dtype = grown;
    uint8_t *elements = calloc(ELEMENTS * times, dtype->size);
    if (!vz_type_pack(dtype, shown, in, ELEMENTS, elements, &arena, &err) ||
        !vz_type_unpack(dtype, shown, elements, ELEMENTS, out, &arena, &err))
        fail_msg("%s", err.text);
    expect_equal(layout, in, out, ELEMENTS);
    if (vz_type_same_bytes_as(dtype, shown))
        assert_memory_equal(in, elements, ELEMENTS * layout->size);
    reclaim(shown, in, ELEMENTS);
    vz_dtype_free(grown);
    vz_type_tree_free(layout);
    vz_arena_clear(&arena);
    free(elements);
    free(out);
    free(in);
}

#endif
