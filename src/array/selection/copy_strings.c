/* copy_strings.c - texts between a caller's pointers and the items of an array, by the workers. */
#include "array/selection/selection.h"
#include <stdlib.h>

static bool in_line(const vz_mover *mover, uint8_t *dst, ptrdiff_t dst_step, const uint8_t *src, ptrdiff_t src_step,
                    size_t count, vz_error *err)
{
    for (size_t i = 0; i < count; i++, dst += dst_step, src += src_step) {
        const char *text;
        memcpy(&text, src, sizeof text);
        text = text ? text : "";
        const size_t size = strlen(text);
        vz_item item = {(const uint8_t *)text, size}, old = {0};
        if (mover->arena && !(item.data = vz_arena_copy(mover->arena, text, size, err)))
            return false;
        if (mover->live) {
            memcpy(&old, dst, sizeof old);
            *mover->live += item.size - old.size;
        }
        memcpy(dst, &item, sizeof item);
    }
    return true;
}

static char *text_of(vz_item item, vz_error *err)
{
    if (item.size && memchr(item.data, '\0', item.size)) { /* readers would take it for the end */
        vz_fail(err, VZ_UNSUPPORTED, "text with a NUL character in it cannot be shown as an HDF5 string");
        return NULL;
    }
    char *text = item.size < SIZE_MAX ? malloc(item.size + 1) : NULL;
    if (!text) {
        vz_fail_memory(err);
        return NULL;
    }
    if (item.size)
        memcpy(text, item.data, item.size);
    text[item.size] = '\0';
    return text;
}

static bool out_line(const vz_mover *mover, uint8_t *dst, ptrdiff_t dst_step, const uint8_t *src, ptrdiff_t src_step,
                     size_t count, vz_error *err)
{
    (void)mover;
    for (size_t i = 0; i < count; i++, dst += dst_step, src += src_step) {
        vz_item item;
        memcpy(&item, src, sizeof item);
        const char *text = text_of(item, err);
        if (!text)
            return false;
        memcpy(dst, &text, sizeof text);
    }
    return true;
}

vz_mover vz_mover_texts_in(vz_arena *arena, uint64_t *live)
{
    return (vz_mover){.line = in_line, .size = sizeof(vz_item), .arena = arena, .live = live};
}

vz_mover vz_mover_texts_out(void)
{
    return (vz_mover){.line = out_line, .size = sizeof(char *)};
}
