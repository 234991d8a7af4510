/* page.c - see remote_internal.h. */
#include "remote/protocol/remote_internal.h"
#include "base/util/http_date.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)

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

bool vz_list_page_etag(vz_list_page *page, vz_list_item *item, const char *text, vz_error *err)
{
    /* Azure's listings have no quotes. */
    const bool is_quoted = *text == '"' || strncmp(text, "W/", 2) == 0;
    const size_t length = strlen(text);
    char *own = *text ? vz_arena_alloc(&page->arena, length + 3, err) : NULL;
    if (own)
        snprintf(own, length + 3, is_quoted ? "%s" : "\"%s\"", text);
    item->etag = own;
    return own || !*text;
}

/* "2009-10-12T17:50:30.000Z" */
static int64_t time_of_s3(const char *text)
{
    struct tm parts = {0};
    int end = 0;
    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &parts.tm_hour,
               &parts.tm_min, &parts.tm_sec, &end) != 6 ||
        !end || parts.tm_year < 1970 || parts.tm_year > 2200)
        return 0;
    parts.tm_year -= 1900;
    parts.tm_mon--;
    int64_t ns = (int64_t)timegm(&parts) * NS_PER_S;
    if (text[end] == '.')
        for (int64_t unit = NS_PER_S / 10; unit && text[++end] >= '0' && text[end] <= '9'; unit /= 10)
            ns += unit * (text[end] - '0');
    return ns;
}

int64_t vz_list_page_time(const char *text)
{
    int64_t seconds;
    if (!vz_http_date_parse(text, &seconds))
        return time_of_s3(text);
    return seconds > 0 && seconds < INT64_MAX / NS_PER_S ? seconds * NS_PER_S : 0;
}

void vz_list_page_clear(vz_list_page *page)
{
    free(page->items);
    free(page->token);
    vz_arena_clear(&page->arena);
    *page = (vz_list_page){0};
}
