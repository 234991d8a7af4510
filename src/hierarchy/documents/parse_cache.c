/* parse_cache.c - see cache.h. */
#include "hierarchy/documents/cache.h"
#include <string.h>

#define TEXT_MAX 4096 /* bytes of a text that is kept */

static bool is_text(const vz_alike *alike, const vz_spelling *spelling, const void *text, size_t size)
{
    return alike->spelling == spelling && alike->text.size == size && memcmp(alike->text.data, text, size) == 0;
}

bool vz_alike_by_text(const vz_alike *alike, const vz_spelling *spelling, const char *text, size_t size,
                      vz_json **document, vz_array_meta **meta)
{
    if (!alike->document || !is_text(alike, spelling, text, size) || !(*meta = vz_meta_copy(alike->meta, NULL)))
        return false;
    *document = vz_json_share(alike->document);
    return true;
}

static bool is_meta(const vz_alike *alike, const vz_array_meta *meta)
{
    const vz_array_meta *known = alike->meta;
    return known->rank == meta->rank && memcmp(known->shape, meta->shape, meta->rank * sizeof *meta->shape) == 0 &&
           vz_meta_same_grid(known, meta) && vz_meta_same_fill(known, meta);
}

bool vz_alike_by_meta(const vz_alike *alike, const vz_spelling *spelling, const vz_array_meta *meta, vz_buffer *text,
                      vz_json **document)
{
    if (!alike->document || alike->spelling != spelling || !is_meta(alike, meta) ||
        !vz_buffer_append(text, alike->text.data, alike->text.size, NULL))
        return false;
    *document = vz_json_share(alike->document);
    return true;
}

void vz_alike_note(vz_alike *alike, const vz_spelling *spelling, vz_bytes text, vz_json *document,
                   const vz_array_meta *meta)
{
    if (is_text(alike, spelling, text.data, text.size)) {
        if (!alike->document && (alike->meta = vz_meta_copy(meta, NULL)))
            alike->document = vz_json_share(document);
        return;
    }
    vz_json_free(alike->document);
    vz_meta_free(alike->meta);
    alike->document = NULL;
    alike->meta = NULL;
    alike->spelling = NULL;
    alike->text.size = 0;
    if (text.size <= TEXT_MAX && vz_buffer_append(&alike->text, text.data, text.size, NULL))
        alike->spelling = spelling;
}

void vz_alike_forget(vz_alike *alike)
{
    vz_json_free(alike->document);
    vz_meta_free(alike->meta);
    vz_buffer_clear(&alike->text);
    *alike = (vz_alike){0};
}
