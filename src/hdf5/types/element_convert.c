/* element_convert.c - carries out the steps between a dtype and an HDF5 type. */
#include "hdf5/types/elements_internal.h"
#include "hdf5/types/elements.h"

/* ---- bytes ---- */

static bool copy(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena, vz_error *err)
{
    (void)arena;
    (void)err;
    if (in.stride == step->size && out.stride == step->size) {
        memcpy(out.data, in.data, count * step->size);
        return true;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(out.data + i * out.stride, in.data + i * in.stride, step->size);
    return true;
}
const vz_step_run vz_steps_run_copy = {copy, copy};

static bool swap(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena, vz_error *err)
{
    (void)arena;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *from = in.data + i * in.stride;
        uint8_t *to = out.data + i * out.stride;
        for (size_t unit = 0; unit < step->size; unit += step->unit)
            for (size_t b = 0; b < step->unit; b++)
                to[unit + b] = from[unit + step->unit - 1 - b];
    }
    return true;
}
const vz_step_run vz_steps_run_swap = {swap, swap};

bool vz_steps_is_copy(const vz_steps *steps)
{
    return steps->count == 1 && steps->steps[0].run == &vz_steps_run_copy && steps->stored_size == steps->shown_size &&
           steps->steps[0].size == steps->stored_size;
}

/* ---- text ---- */

static const char *load_text(vz_step_in in, size_t i)
{
    const char *text;
    memcpy(&text, in.data + i * in.stride, sizeof text);
    return text ? text : "";
}

static void store_text(vz_step_out out, size_t i, const char *text)
{
    memcpy(out.data + i * out.stride, &text, sizeof text);
}

static vz_item load_item(vz_step_in in, size_t i)
{
    vz_item item;
    memcpy(&item, in.data + i * in.stride, sizeof item);
    return item;
}

static void store_item(vz_step_out out, size_t i, vz_item item)
{
    memcpy(out.data + i * out.stride, &item, sizeof item);
}

/* Readers would take it for the end. */
static bool fail_at_nul(vz_error *err)
{
    return vz_fail(err, VZ_UNSUPPORTED, "text with a NUL character in it cannot be shown as an HDF5 string");
}

/* Text of a whole batch is taken from the arena at once. */
static bool unpack_unicode(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                           vz_error *err)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += vz_utf32_length(in.data + i * in.stride, step->size / 4, step->big_endian) + 1;
    char *text = vz_arena_alloc(arena, total, err);
    if (!text)
        return false;
    for (size_t i = 0; i < count; i++) {
        const size_t length = vz_utf32_decode(in.data + i * in.stride, step->size / 4, step->big_endian, text);
        if (memchr(text, '\0', length))
            return fail_at_nul(err);
        store_text(out, i, text);
        text += length + 1;
    }
    return true;
}

static bool pack_unicode(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                         vz_error *err)
{
    (void)arena;
    for (size_t i = 0; i < count; i++)
        if (!vz_utf32_encode(load_text(in, i), out.data + i * out.stride, step->size / 4, step->big_endian, err))
            return false;
    return true;
}
const vz_step_run vz_steps_run_unicode = {unpack_unicode, pack_unicode};

static bool unpack_text(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                        vz_error *err)
{
    (void)step;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        if (!vz_add(total, load_item(in, i).size + 1, &total))
            return vz_fail(err, VZ_LIMIT, "more text than memory can hold");
    char *text = vz_arena_alloc(arena, total, err);
    if (!text)
        return false;
    for (size_t i = 0; i < count; i++) {
        const vz_item item = load_item(in, i);
        if (item.size && memchr(item.data, '\0', item.size))
            return fail_at_nul(err);
        if (item.size)
            memcpy(text, item.data, item.size);
        text[item.size] = '\0';
        store_text(out, i, text);
        text += item.size + 1;
    }
    return true;
}

static bool pack_text(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena, vz_error *err)
{
    (void)step;
    (void)arena;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        const char *text = load_text(in, i);
        store_item(out, i, (vz_item){(const uint8_t *)text, strlen(text)});
    }
    return true;
}
const vz_step_run vz_steps_run_text = {unpack_text, pack_text};

/* Another program may have stored a longer text than the type can hold. */
static bool unpack_fixed(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                         vz_error *err)
{
    (void)arena;
    const size_t size = step->layout->size;
    const int pad = step->layout->pad == H5T_STR_SPACEPAD ? ' ' : '\0';
    for (size_t i = 0; i < count; i++) {
        const vz_item item = load_item(in, i);
        uint8_t *to = out.data + i * out.stride;
        if (item.size > size)
            return vz_fail(err, VZ_CORRUPT, "a stored text has %llu bytes, the string datatype %zu",
                           (unsigned long long)item.size, size);
        if (item.size)
            memcpy(to, item.data, item.size);
        memset(to + item.size, pad, size - item.size);
    }
    return true;
}

/* The text without its padding: all that reads back equal. */
static bool pack_fixed(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                       vz_error *err)
{
    (void)arena;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *text = in.data + i * in.stride;
        store_item(out, i, (vz_item){text, vz_type_fixed_length(step->layout, text)});
    }
    return true;
}
const vz_step_run vz_steps_run_fixed = {unpack_fixed, pack_fixed};

/* ---- sequences and records ---- */

static bool unpack_sequence(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                            vz_error *err)
{
    const vz_steps *inner = step->inner;
    for (size_t i = 0; i < count; i++) {
        const vz_item item = load_item(in, i);
        hvl_t sequence = {0};
        if (inner->stored_size == 0 || item.size % inner->stored_size)
            return vz_fail(err, VZ_CORRUPT, "a sequence of %llu bytes, not a multiple of the %zu of its elements",
                           (unsigned long long)item.size, inner->stored_size);
        sequence.len = item.size / inner->stored_size;
        uint64_t size;
        if (!vz_mul(sequence.len, inner->shown_size, &size))
            return vz_fail(err, VZ_LIMIT, "a sequence larger than memory can hold");
        if (vz_steps_is_copy(inner))
            sequence.p = (void *)item.data;
        else if (!(sequence.p = vz_arena_alloc(arena, size, err)) ||
                 !vz_steps_unpack(inner, item.data, sequence.len, sequence.p, arena, err))
            return false;
        memcpy(out.data + i * out.stride, &sequence, sizeof sequence);
    }
    return true;
}

static bool pack_sequence(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                          vz_error *err)
{
    const vz_steps *inner = step->inner;
    for (size_t i = 0; i < count; i++) {
        hvl_t sequence;
        uint64_t size;
        memcpy(&sequence, in.data + i * in.stride, sizeof sequence);
        if (!vz_mul(sequence.len, inner->stored_size, &size))
            return vz_fail(err, VZ_LIMIT, "a sequence larger than memory can hold");
        void *elements = sequence.p;
        if (!vz_steps_is_copy(inner) && (!(elements = vz_arena_alloc(arena, size, err)) ||
                                         !vz_steps_pack(inner, sequence.p, sequence.len, elements, arena, err)))
            return false;
        store_item(out, i, (vz_item){elements, size});
    }
    return true;
}
const vz_step_run vz_steps_run_sequence = {unpack_sequence, pack_sequence};

/* A missing item (a chunk's padding, an element never written) shows as zeros. */
static bool unpack_record(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                          vz_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const vz_item item = load_item(in, i);
        vz_bytes bytes = {item.data, item.size};
        if (item.size && !vz_record_read(step->layout, &bytes, out.data + i * out.stride, arena, err))
            return false;
    }
    return true;
}

static bool pack_record(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                        vz_error *err)
{
    vz_buffer buffer = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        buffer.size = 0;
        ok = vz_record_write(step->layout, in.data + i * in.stride, &buffer, err);
        uint8_t *data = ok ? vz_arena_copy(arena, buffer.data, buffer.size, err) : NULL;
        ok = data != NULL;
        store_item(out, i, (vz_item){data, ok ? buffer.size : 0});
    }
    vz_buffer_clear(&buffer);
    return ok;
}
const vz_step_run vz_steps_run_record = {unpack_record, pack_record};

static bool unpack_json(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                        vz_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!vz_type_json_item_read(step->layout, step->is_member, load_item(in, i), out.data + i * out.stride, arena,
                                    err))
            return false;
    return true;
}

static bool pack_json(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena, vz_error *err)
{
    vz_item item;
    for (size_t i = 0; i < count; i++) {
        if (!vz_type_json_item_write(step->layout, in.data + i * in.stride, &item, arena, err))
            return false;
        store_item(out, i, item);
    }
    return true;
}
const vz_step_run vz_steps_run_json = {unpack_json, pack_json};

/* ---- array members ---- */

static bool unpack_repeat(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                          vz_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!vz_steps_unpack(step->inner, in.data + i * in.stride, step->count, out.data + i * out.stride, arena, err))
            return false;
    return true;
}

static bool pack_repeat(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                        vz_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!vz_steps_pack(step->inner, in.data + i * in.stride, step->count, out.data + i * out.stride, arena, err))
            return false;
    return true;
}
const vz_step_run vz_steps_run_repeat = {unpack_repeat, pack_repeat};

/* ---- rows that are stored as several records ---- */

/* Each field from the column of its own number: numpy made a record of every single value, or
 * every record the same. */
static void gather_row(const vz_dtype *record, const uint8_t *columns, uint8_t *row)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const size_t begin = record->fields[i].offset;
        const size_t end = i + 1 < record->field_count ? record->fields[i + 1].offset : record->size;
        memcpy(row + begin, columns + i * record->size + begin, end - begin);
    }
}

static bool unpack_rows(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                        vz_error *err)
{
    vz_buffer row = {0};
    bool ok = vz_buffer_reserve(&row, step->record->size, err);
    for (size_t i = 0; ok && i < count; i++) {
        gather_row(step->record, in.data + i * in.stride, row.data);
        ok = vz_steps_unpack(step->inner, row.data, 1, out.data + i * out.stride, arena, err);
    }
    vz_buffer_clear(&row);
    return ok;
}

static bool pack_rows(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena, vz_error *err)
{
    const size_t size = step->inner->stored_size;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < step->count; k++)
            if (!vz_steps_pack(step->inner, in.data + i * in.stride, 1, out.data + i * out.stride + k * size, arena,
                               err))
                return false;
    return true;
}
const vz_step_run vz_steps_run_rows = {unpack_rows, pack_rows};

/* ---- all steps ---- */

bool vz_steps_unpack(const vz_steps *steps, const void *elements, size_t count, void *out, vz_arena *arena,
                     vz_error *err)
{
    if (!vz_steps_is_copy(steps)) /* padding, and members shown of nothing */
        memset(out, 0, count * steps->shown_size);
    bool ok = true;
    for (size_t s = 0; ok && s < steps->count; s++) {
        const vz_step *step = &steps->steps[s];
        const vz_step_in from = {(const uint8_t *)elements + step->stored, steps->stored_size};
        const vz_step_out to = {(uint8_t *)out + step->shown, steps->shown_size};
        ok = step->run->unpack(step, from, to, count, arena, err);
    }
    return ok;
}

bool vz_steps_pack(const vz_steps *steps, const void *in, size_t count, void *elements, vz_arena *arena, vz_error *err)
{
    bool ok = true;
    for (size_t s = 0; ok && s < steps->count; s++) {
        const vz_step *step = &steps->steps[s];
        const vz_step_in from = {(const uint8_t *)in + step->shown, steps->shown_size};
        const vz_step_out to = {(uint8_t *)elements + step->stored, steps->stored_size};
        ok = step->run->pack(step, from, to, count, arena, err);
    }
    return ok;
}
