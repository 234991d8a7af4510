/* convert_numbers.c - conversion of whole strips: gather into native order, run the kernel,
 * scatter. Elements that are native and contiguous skip the gathering or scattering. */
#include "array/numeric/numeric.h"
#include "array/numeric/numeric_internal.h"
#include <stdint.h>
#include <string.h>

enum { STRIP = 512 }; /* elements converted at a time: strips stay in the first-level cache */

typedef union strip {
    uint8_t bytes[STRIP * 8];
    uint16_t halves[STRIP];
    float floats[STRIP];
    double doubles[STRIP];
} strip;

static const bool host_is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static bool is_swapped(const vz_number_format *number)
{
    return number->size > 1 && number->big_endian != host_is_big_endian;
}

static bool is_half(const vz_number_format *number)
{
    return number->kind == VZ_NUMBER_FLOAT && number->size == 2 && !number->narrow;
}

/* From one native type to another; NULL when they are the same. */
static vz_kernel find_kernel(vz_number_native_type from, vz_number_native_type to)
{
    static const vz_kernel *const rows[VZ_NATIVE_TYPES] = {
        vz_kernels_from_i8,  vz_kernels_from_i16, vz_kernels_from_i32, vz_kernels_from_i64, vz_kernels_from_u8,
        vz_kernels_from_u16, vz_kernels_from_u32, vz_kernels_from_u64, vz_kernels_from_f32, vz_kernels_from_f64,
    };
    return from == to ? NULL : rows[from][to];
}

/* float16 is seen as the float it is widened to or narrowed from; one of few bits, as a float. */
static vz_number_native_type native_type(const vz_number_format *number, vz_number_native_type half)
{
    if (number->narrow)
        return VZ_NATIVE_F32;
    const vz_number_native_type log2_size = number->size == 8 ? 3 : number->size == 4 ? 2 : number->size == 2 ? 1 : 0;
    switch (number->kind) {
    case VZ_NUMBER_INT:
        return VZ_NATIVE_I8 + log2_size;
    case VZ_NUMBER_UINT:
        return VZ_NATIVE_U8 + log2_size;
    case VZ_NUMBER_FLOAT:
        break;
    }
    return number->size == 8 ? VZ_NATIVE_F64 : number->size == 4 ? VZ_NATIVE_F32 : half;
}

#define MOVE_LOOP(TYPE, CHANGE)                                                                                        \
    for (size_t i = 0; i < count; i++) {                                                                               \
        TYPE value;                                                                                                    \
        memcpy(&value, from + (ptrdiff_t)i * src_stride, sizeof value);                                                \
        value = CHANGE(value);                                                                                         \
        memcpy(to + (ptrdiff_t)i * dst_stride, &value, sizeof value);                                                  \
    }                                                                                                                  \
    return
#define AS_IT_IS(value) (value)

/* Copies elements, byte order reversed if asked. The contiguous cases are separate so that they
 * vectorise. */
static inline __attribute__((always_inline)) void move_elements(size_t size, bool swap, const uint8_t *from,
                                                                ptrdiff_t src_stride, uint8_t *to, ptrdiff_t dst_stride,
                                                                size_t count)
{
    switch (size) {
    case 2:
        if (swap) {
            MOVE_LOOP(uint16_t, __builtin_bswap16);
        }
        MOVE_LOOP(uint16_t, AS_IT_IS);
    case 4:
        if (swap) {
            MOVE_LOOP(uint32_t, __builtin_bswap32);
        }
        MOVE_LOOP(uint32_t, AS_IT_IS);
    case 8:
        if (swap) {
            MOVE_LOOP(uint64_t, __builtin_bswap64);
        }
        MOVE_LOOP(uint64_t, AS_IT_IS);
    default:
        MOVE_LOOP(uint8_t, AS_IT_IS);
    }
}

static void move_strided(size_t size, bool swap, const void *src, ptrdiff_t src_stride, void *dst, ptrdiff_t dst_stride,
                         size_t count)
{
    const ptrdiff_t width = (ptrdiff_t)size;
    if (src_stride != width || dst_stride != width) {
        move_elements(size, swap, src, src_stride, dst, dst_stride, count);
        return;
    }
    if (!swap)
        memcpy(dst, src, count * size);
    else if (size == 2)
        move_elements(2, true, src, 2, dst, 2, count);
    else if (size == 4)
        move_elements(4, true, src, 4, dst, 4, count);
    else
        move_elements(8, true, src, 8, dst, 8, count);
}

static bool is_aligned(const void *pointer, size_t size)
{
    return (uintptr_t)pointer % size == 0;
}

/* The kernel's input: the source itself where it is native, contiguous and aligned, otherwise
 * gathered into `raw` (and a narrower float widened into `wide`). */
static const void *strip_in(const vz_number_format *from, const uint8_t *src, ptrdiff_t stride, size_t count,
                            strip *raw, strip *wide)
{
    const void *native = src;
    if (is_swapped(from) || stride != (ptrdiff_t)from->size || !is_aligned(src, from->size)) {
        move_strided(from->size, is_swapped(from), src, stride, raw, (ptrdiff_t)from->size, count);
        native = raw;
    }
    if (!is_half(from) && !from->narrow)
        return native;
    if (from->narrow)
        vz_narrow_to_floats(from->narrow, native, wide->floats, count);
    else
        vz_number_half_to_float(native, wide->floats, count);
    return wide;
}

static void strip_out(const vz_number_format *to, const void *native, uint8_t *dst, ptrdiff_t stride, size_t count)
{
    strip cut;
    if (to->narrow) {
        vz_narrow_from_floats(to->narrow, native, cut.bytes, count);
        native = cut.bytes;
    } else if (is_half(to)) {
        vz_number_double_to_half(native, cut.halves, count);
        native = cut.bytes;
    }
    if (native != dst)
        move_strided(to->size, is_swapped(to), native, (ptrdiff_t)to->size, dst, stride, count);
}

static void run_kernel(const vz_number_conversion *self, const void *src, ptrdiff_t src_stride, void *dst,
                       ptrdiff_t dst_stride, size_t count)
{
    const vz_number_format *from = &self->from, *to = &self->to;
    const vz_kernel kernel = find_kernel(native_type(from, VZ_NATIVE_F32), native_type(to, VZ_NATIVE_F64));
    const bool straight_out = !is_swapped(to) && !is_half(to) && !to->narrow && dst_stride == (ptrdiff_t)to->size &&
                              is_aligned(dst, to->size);
    const uint8_t *at = src;
    uint8_t *into = dst;
    for (size_t done = 0; done < count; done += STRIP) {
        const size_t part = count - done < STRIP ? count - done : STRIP;
        strip raw, wide, out;
        const void *in = strip_in(from, at, src_stride, part, &raw, &wide);
        void *result = straight_out ? (void *)into : (void *)out.bytes;
        if (kernel)
            kernel(in, result, part);
        strip_out(to, kernel ? result : in, into, dst_stride, part);
        at += (ptrdiff_t)part * src_stride;
        into += (ptrdiff_t)part * dst_stride;
    }
}

static void run_swap(const vz_number_conversion *self, const void *src, ptrdiff_t src_stride, void *dst,
                     ptrdiff_t dst_stride, size_t count)
{
    move_strided(self->from.size, self->from.big_endian != self->to.big_endian, src, src_stride, dst, dst_stride,
                 count);
}

static bool is_known(const vz_number_format *number)
{
    if (number->narrow)
        return number->kind == VZ_NUMBER_FLOAT && number->size == vz_narrow_form_of(number->narrow)->size;
    if (number->kind == VZ_NUMBER_FLOAT)
        return number->size == 2 || number->size == 4 || number->size == 8;
    return number->size == 1 || number->size == 2 || number->size == 4 || number->size == 8;
}

bool vz_conversion_find(vz_number_format from, vz_number_format to, vz_number_conversion *conversion)
{
    if (!is_known(&from) || !is_known(&to))
        return false;
    const bool same_number = from.kind == to.kind && from.size == to.size && from.narrow == to.narrow;
    if (same_number && (from.size == 1 || from.big_endian == to.big_endian))
        return false;
    *conversion = (vz_number_conversion){.from = from, .to = to, .run = same_number ? run_swap : run_kernel};
    return true;
}
