/* page_text.c - text that somebody else wrote, as a page may have it. */
#include "command/command/command.h"
#include "command/report/page_internal.h"
#include "hierarchy/documents/documents.h"
#include <stdio.h>
#include <stdlib.h>

void vz_page_put(vz_page *page, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (!page->failed && length >= 0 && vz_buffer_reserve(&page->out, page->out.size + (size_t)length + 1, page->err)) {
        vsnprintf((char *)page->out.data + page->out.size, (size_t)length + 1, format, again);
        page->out.size += (size_t)length;
    } else {
        page->failed = true;
    }
    va_end(again);
}

static void append(vz_page *page, const void *text, size_t size)
{
    if (!page->failed && !vz_buffer_append(&page->out, text, size, page->err))
        page->failed = true;
}

static const char *entity_of(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* A character by its number, or bytes that are none; `marked`: apart from the text around it. */
static void put_number(vz_page *page, const uint8_t *at, size_t length, uint32_t code, bool marked)
{
    vz_page_put(page, "%s", marked ? "<span class=\"code\">" : "");
    if (length > 1)
        vz_page_put(page, "U+%04X", (unsigned)code);
    else
        vz_page_put(page, "\\x%02x", *at);
    vz_page_put(page, "%s", marked ? "</span>" : "");
}

/* Lines end where the text's do; in an attribute they are shown by their numbers. */
static void escape(vz_page *page, const uint8_t *at, size_t size, bool is_text)
{
    const size_t most = size < VZ_PAGE_TEXT_MAX ? size : VZ_PAGE_TEXT_MAX;
    size_t plain = 0, i = 0;
    while (i < most) {
        const size_t length = vz_utf8_sequence(at + i, size - i, false), step = length ? length : 1;
        const uint32_t code = length ? vz_utf8_code_point(at + i, length) : 0;
        const char *entity = length ? entity_of(code) : NULL;
        const bool breaks = is_text && length && (code == '\n' || code == '\t');
        if (entity || !length || (vz_say_is_unseen(code) && !breaks)) {
            append(page, at + plain, i - plain);
            plain = i + step;
            if (entity)
                vz_page_put(page, "%s", entity);
            else
                put_number(page, at + i, length, code, is_text);
        }
        i += step;
    }
    append(page, at + plain, i - plain);
    if (i < size)
        vz_page_put(page, "%s... and %zu bytes more%s", is_text ? " <span class=\"left\">" : " ", size - i,
                    is_text ? "</span>" : "");
}

static void put_string(vz_page *page, const vz_json *value, bool is_text)
{
    size_t size = 0;
    const char *text = vz_json_get_string(value, &size);
    if (!text || page->failed)
        return;
    if (strlen(text) < size || !vz_text_is_coded_path(text)) {
        escape(page, (const uint8_t *)text, size, is_text);
        return;
    }
    char *path = vz_text_to_path(text, page->err);
    if (path)
        escape(page, (const uint8_t *)path, strlen(path), is_text);
    else
        page->failed = true;
    free(path);
}

void vz_page_string(vz_page *page, const vz_json *value)
{
    put_string(page, value, true);
}

void vz_page_quoted_string(vz_page *page, const vz_json *value)
{
    put_string(page, value, false);
}

void vz_page_isolated(vz_page *page, const vz_json *value)
{
    vz_page_put(page, "<bdi>");
    vz_page_string(page, value);
    vz_page_put(page, "</bdi>");
}
