/* test_convert.c - our conversions against H5Tconvert, every pair of number types in both byte orders.
 *
 * The oracle is HDF5's conversion between native types ("hard"): the same value must come out whatever the byte orders,
 * and its conversion between the very byte orders ("soft"). HDF5 1.14.5 is no oracle in these places, found by this
 * test:
 * - Float to integer where it makes a cast that C leaves undefined: NaN, values that equal the integer's maximum only
 * after rounding (2^63), infinite or negative float16. Ours clamps, and NaN gives 0, as its soft code does.
 * - Soft float to signed integer makes the minimum out of numbers between -1 and 0. Ours truncates to 0.
 * - Soft narrowing of floats rounds ties upward, loses a bit of subnormals, and rounds what is just beyond the largest
 *   finite number down. Ours rounds ties to even and overflows to infinity in every byte order, as its hard code does.
 * - Soft integers of one size that differ in sign and byte order are only swapped, so that -1 becomes the largest
 * number. Ours clamps, as its hard code does. */
#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "array/numeric/numeric.h"

enum { TYPES = 11, RANDOM = 4000, SIZE_MAX_BYTES = 8 };

static const struct {
    vz_number_kind kind;
    size_t size;
    const char *name;
} types[TYPES] = {
    {VZ_NUMBER_INT, 1, "i1"},   {VZ_NUMBER_INT, 2, "i2"},   {VZ_NUMBER_INT, 4, "i4"},   {VZ_NUMBER_INT, 8, "i8"},
    {VZ_NUMBER_UINT, 1, "u1"},  {VZ_NUMBER_UINT, 2, "u2"},  {VZ_NUMBER_UINT, 4, "u4"},  {VZ_NUMBER_UINT, 8, "u8"},
    {VZ_NUMBER_FLOAT, 2, "f2"}, {VZ_NUMBER_FLOAT, 4, "f4"}, {VZ_NUMBER_FLOAT, 8, "f8"},
};

static hid_t hdf5_type(unsigned t, bool big)
{
    const hid_t little_types[TYPES] = {H5T_STD_I8LE,   H5T_STD_I16LE,  H5T_STD_I32LE, H5T_STD_I64LE,
                                       H5T_STD_U8LE,   H5T_STD_U16LE,  H5T_STD_U32LE, H5T_STD_U64LE,
                                       H5T_IEEE_F16LE, H5T_IEEE_F32LE, H5T_IEEE_F64LE};
    const hid_t big_types[TYPES] = {H5T_STD_I8BE,   H5T_STD_I16BE,  H5T_STD_I32BE, H5T_STD_I64BE,
                                    H5T_STD_U8BE,   H5T_STD_U16BE,  H5T_STD_U32BE, H5T_STD_U64BE,
                                    H5T_IEEE_F16BE, H5T_IEEE_F32BE, H5T_IEEE_F64BE};
    return big ? big_types[t] : little_types[t];
}

static void reverse(unsigned char *element, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        const unsigned char byte = element[i];
        element[i] = element[size - 1 - i];
        element[size - 1 - i] = byte;
    }
}

static double as_double(unsigned t, const void *element)
{
    double value;
    unsigned char bytes[SIZE_MAX_BYTES] = {0};
    memcpy(bytes, element, types[t].size);
    H5Tconvert(hdf5_type(t, false), H5T_NATIVE_DOUBLE, 1, bytes, NULL, H5P_DEFAULT);
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Edge values of every kind, each put into type t by HDF5 itself, then random bits. */
static size_t make_values(unsigned t, unsigned char *out)
{
    static const double edges[] = {
        0.0,
        -0.0,
        1,
        -1,
        0.5,
        -0.5,
        0.999999,
        -0.999999,
        1.5,
        2.5,
        -1.5,
        126.9,
        127,
        127.5,
        128,
        -128,
        -128.5,
        -129,
        255,
        255.9,
        256,
        32767,
        32768,
        -32768,
        -32769,
        65503,
        65504,
        65505,
        65519,
        65520,
        65535,
        65536,
        2047,
        2049,
        2051,
        0x1p31,
        0x1p31 - 1,
        -0x1p31,
        -0x1p31 - 1,
        0x1p32,
        0x1p32 - 1,
        0x1p63,
        -0x1p63,
        0x1p64,
        1e20,
        -1e20,
        1e30,
        1e300,
        -1e300,
        0x1p24 + 1,
        0x1p24 + 3,
        0x1p53,
        0x1p-24,
        0x1p-25,
        0x1.8p-25,
        0x1.8p-24,
        0x1p-14,
        0x1.ffcp-15,
        0x1.ff8p-15,
        0x1p-149,
        0x1p-150,
        0x1.8p-150,
        0x3p-150,
        0x1p-126,
        0x1.fffffep-127,
        1e-320,
        0x1.fffffep127,
        0x1.ffffff8p127,
        0x1.ffffffp127,
        1 + 0x1p-24,
        1 + 0x3p-24,
        1 + 0x1p-11,
        1 + 0x3p-11,
        INFINITY,
        -INFINITY,
        NAN,
        -NAN,
    };
    size_t count = 0;
    const size_t size = types[t].size;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++, count++) {
        unsigned char bytes[SIZE_MAX_BYTES];
        memcpy(bytes, &edges[i], sizeof bytes);
        H5Tconvert(H5T_NATIVE_DOUBLE, hdf5_type(t, false), 1, bytes, NULL, H5P_DEFAULT);
        memcpy(out + count * size, bytes, size);
    }
    static const uint64_t words[] = {0,
                                     1,
                                     2,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     (uint64_t)1 << 53 | 1,
                                     INT64_MAX,
                                     (uint64_t)1 << 63,
                                     UINT64_MAX,
                                     UINT64_MAX - 1,
                                     0xfffffffffffffbffull,
                                     0xfffffffffffffc00ull};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++, count++)
        memcpy(out + count * size, &words[i], size);
    for (size_t i = 0; i < RANDOM; i++, count++) {
        uint64_t word = (uint64_t)random() << 42 ^ (uint64_t)random() << 21 ^ (uint64_t)random();
        if (types[t].kind != VZ_NUMBER_FLOAT)
            word >>= (unsigned)random() % (8 * size); /* all magnitudes */
        else if (i % 2) {                             /* numbers of ordinary size, many of them near ties */
            const double value = ldexp((double)(int64_t)(word >> (word & 31)), -(int)(random() % 100));
            unsigned char bytes[SIZE_MAX_BYTES];
            memcpy(bytes, &value, sizeof bytes);
            H5Tconvert(H5T_NATIVE_DOUBLE, hdf5_type(t, false), 1, bytes, NULL, H5P_DEFAULT);
            memcpy(&word, bytes, sizeof word);
        }
        memcpy(out + count * size, &word, size);
    }
    return count;
}

/* C leaves the cast that HDF5 makes undefined. */
static bool cast_is_undefined(unsigned from, unsigned to, const void *element)
{
    if (types[from].kind != VZ_NUMBER_FLOAT || types[to].kind == VZ_NUMBER_FLOAT)
        return false;
    const double value = as_double(from, element);
    const double first_beyond = ldexp(1, (int)(8 * types[to].size) - (types[to].kind == VZ_NUMBER_INT));
    return isnan(value) || value == first_beyond ||
           (types[from].size == 2 && (isinf(value) || (value < 0 && types[to].kind == VZ_NUMBER_UINT)));
}

static void expect_clamped(unsigned from, unsigned to, const unsigned char *element, const unsigned char *ours)
{
    const double value = as_double(from, element);
    const bool is_signed = types[to].kind == VZ_NUMBER_INT;
    const unsigned char top = ours[types[to].size - 1];
    if (isnan(value)) {
        for (size_t i = 0; i < types[to].size; i++)
            assert_int_equal(ours[i], 0);
    } else if (value > 0) {
        assert_int_equal(ours[0], types[to].size > 1 || !is_signed ? 0xff : 0x7f);
        assert_int_equal(top, is_signed ? 0x7f : 0xff);
    } else {
        assert_int_equal(top, is_signed ? 0x80 : 0);
    }
}

static bool both_nan(unsigned t, const void *a, const void *b)
{
    return types[t].kind == VZ_NUMBER_FLOAT && isnan(as_double(t, a)) && isnan(as_double(t, b));
}

static void fail_with(const char *what, unsigned from, unsigned to, const unsigned char *in, const unsigned char *ours,
                      const unsigned char *theirs)
{
    print_error("%s %s -> %s:", what, types[from].name, types[to].name);
    for (size_t i = 0; i < types[from].size; i++)
        print_error(" %02x", in[i]);
    print_error(" (%.17g): ours", as_double(from, in));
    for (size_t i = 0; i < types[to].size; i++)
        print_error(" %02x", ours[i]);
    print_error(", HDF5");
    for (size_t i = 0; i < types[to].size; i++)
        print_error(" %02x", theirs[i]);
    print_error("\n");
    fail();
}

/* What HDF5 makes of `count` elements between the given byte orders, result in little-endian order. */
static unsigned char *by_hdf5(unsigned from, bool from_big, unsigned to, bool to_big, const unsigned char *in,
                              size_t count)
{
    const size_t size = types[from].size, wide = size > types[to].size ? size : types[to].size;
    unsigned char *buffer = malloc(count * wide);
    assert_non_null(buffer);
    memcpy(buffer, in, count * size);
    for (size_t i = 0; from_big && i < count; i++)
        reverse(buffer + i * size, size);
    assert_true(H5Tconvert(hdf5_type(from, from_big), hdf5_type(to, to_big), count, buffer, NULL, H5P_DEFAULT) >= 0);
    for (size_t i = 0; to_big && i < count; i++)
        reverse(buffer + i * types[to].size, types[to].size);
    return buffer;
}

static unsigned char *by_us(unsigned from, bool from_big, unsigned to, bool to_big, const unsigned char *in,
                            size_t count, size_t gap)
{
    const vz_number_format a = {types[from].kind, types[from].size, from_big},
                           b = {types[to].kind, types[to].size, to_big};
    vz_number_conversion conversion;
    assert_true(vz_conversion_find(a, b, &conversion));
    const size_t src_stride = a.size + gap, dst_stride = b.size + gap;
    unsigned char *src = calloc(count, src_stride), *dst = calloc(count, dst_stride), *packed = malloc(count * b.size);
    assert_true(src && dst && packed);
    for (size_t i = 0; i < count; i++) {
        memcpy(src + i * src_stride, in + i * a.size, a.size);
        if (from_big)
            reverse(src + i * src_stride, a.size);
    }
    conversion.run(&conversion, src, (ptrdiff_t)src_stride, dst, (ptrdiff_t)dst_stride, count);
    for (size_t i = 0; i < count; i++) {
        memcpy(packed + i * b.size, dst + i * dst_stride, b.size);
        if (to_big)
            reverse(packed + i * b.size, b.size);
        for (size_t k = 0; k < gap; k++)
            assert_int_equal(dst[i * dst_stride + b.size + k], 0);
    }
    free(src);
    free(dst);
    return packed;
}

static int64_t distance(unsigned t, const unsigned char *a, const unsigned char *b)
{
    uint64_t x = 0, y = 0;
    memcpy(&x, a, types[t].size);
    memcpy(&y, b, types[t].size);
    return x > y ? (int64_t)(x - y) : (int64_t)(y - x);
}

static bool is_negative_fraction(unsigned from, unsigned to, const void *element)
{
    const double value = types[from].kind == VZ_NUMBER_FLOAT ? as_double(from, element) : 0;
    return types[to].kind == VZ_NUMBER_INT && value > -1 && value < 0;
}

static bool only_swapped(unsigned from, bool from_big, unsigned to, bool to_big)
{
    return types[from].kind != VZ_NUMBER_FLOAT && types[to].kind != VZ_NUMBER_FLOAT &&
           types[from].kind != types[to].kind && types[from].size == types[to].size && from_big != to_big;
}

static void compare(unsigned from, bool from_big, unsigned to, bool to_big, const unsigned char *in, size_t count,
                    const unsigned char *native)
{
    const size_t to_size = types[to].size;
    unsigned char *soft = by_hdf5(from, from_big, to, to_big, in, count);
    for (size_t gap = 0; gap <= 3; gap += 3) {
        unsigned char *ours = by_us(from, from_big, to, to_big, in, count, gap);
        for (size_t i = 0; i < count; i++) {
            const unsigned char *element = in + i * types[from].size, *mine = ours + i * to_size;
            if (cast_is_undefined(from, to, element)) {
                expect_clamped(from, to, element, mine);
                continue;
            }
            if (both_nan(to, mine, native + i * to_size))
                continue;
            if (memcmp(mine, native + i * to_size, to_size) != 0)
                fail_with("native", from, to, element, mine, native + i * to_size);
            const bool narrowing =
                types[to].kind == VZ_NUMBER_FLOAT && (to_size < types[from].size || (to_size == 2 && from != to));
            const double value = narrowing ? fabs(as_double(to, mine)) : 0;
            if (narrowing && (isinf(value) || value < (to_size == 2 ? 0x1p-13 : 0x1p-125)))
                continue;
            if (only_swapped(from, from_big, to, to_big) || is_negative_fraction(from, to, element))
                continue;
            if (distance(to, mine, soft + i * to_size) > (narrowing ? 1 : 0))
                fail_with("foreign byte order", from, to, element, mine, soft + i * to_size);
        }
        free(ours);
    }
    free(soft);
}

static void test_every_pair(void **state)
{
    (void)state;
    unsigned char *in = malloc((RANDOM + 200) * SIZE_MAX_BYTES);
    assert_non_null(in);
    srandom(20240607);
    for (unsigned from = 0; from < TYPES; from++) {
        const size_t count = make_values(from, in);
        for (unsigned to = 0; to < TYPES; to++) {
            unsigned char *native = by_hdf5(from, false, to, false, in, count);
            for (unsigned orders = 0; orders < 4; orders++) {
                vz_number_conversion unused;
                const vz_number_format a = {types[from].kind, types[from].size, orders & 1},
                                       b = {types[to].kind, types[to].size, orders & 2};
                if (vz_conversion_find(a, b, &unused))
                    compare(from, orders & 1, to, orders & 2, in, count, native);
                else
                    assert_int_equal(from, to);
            }
            free(native);
        }
    }
    free(in);
}

static void test_sizes_that_are_none(void **state)
{
    (void)state;
    vz_number_conversion conversion;
    const vz_number_format fine = {VZ_NUMBER_INT, 4, false};
    const vz_number_format odd[] = {{VZ_NUMBER_INT, 3, false},
                                    {VZ_NUMBER_UINT, 16, false},
                                    {VZ_NUMBER_FLOAT, 1, false},
                                    {VZ_NUMBER_FLOAT, 16, true}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_false(vz_conversion_find(odd[i], fine, &conversion));
        assert_false(vz_conversion_find(fine, odd[i], &conversion));
    }
    assert_false(vz_conversion_find(fine, fine, &conversion));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair),
        cmocka_unit_test(test_sizes_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
