/* page.c - see remote_internal.h. */
#include "remote/protocol/remote_internal.h"
#include <stdlib.h>
#include <strings.h>

bool vz_protocol_text_speaks_of_access(vz_bytes text)
{
    static const char *const words[] = {"signature", "token", "expir", "kms:"};
    for (size_t at = 0; at < text.size; at++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (text.size - at >= strlen(words[i]) &&
                strncasecmp((const char *)text.data + at, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

bool vz_list_page_add(vz_list_page *page, const vz_list_item *item, vz_error *err)
{
    if (page->count == page->capacity) {
        const size_t capacity = page->capacity ? 2 * page->capacity : 64;
        vz_list_item *items = realloc(page->items, capacity * sizeof *items);
        if (!items)
            return vz_fail_memory(err);
        page->items = items;
        page->capacity = capacity;
    }
    page->items[page->count++] = *item;
    return true;
}

void vz_list_page_clear(vz_list_page *page)
{
    free(page->items);
    free(page->token);
    vz_arena_clear(&page->arena);
    *page = (vz_list_page){0};
}
