/* page_figures.c - pictures of elements, and maps of chunks. */
#include "command/report/page_internal.h"
#include <math.h>
#include <stdlib.h>

#define SQUARE 20 /* of a map: units of its drawing along a side */
#define DOT    2  /* a chunk that is not stored */
#define LEAST  6  /* the smallest chunk that is */
#define MOST   18

/* Of a picture or a map; false: it has no sides, or they are too long. */
static bool sides(const vz_json *figure, const char *across, const char *down, uint64_t *width, uint64_t *height)
{
    return vz_json_get_uint64(vz_json_get(figure, across), width) && *width > 0 && *width <= VZ_PAGE_SIDE_MAX &&
           vz_json_get_uint64(vz_json_get(figure, down), height) && *height > 0 && *height <= VZ_PAGE_SIDE_MAX;
}

/* Is it base64, and nothing else? */
static bool is_base64(const char *text)
{
    return *text && text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")] == '\0';
}

static void caption(vz_page *page, const char *what, const vz_json *figure)
{
    vz_page_put(page, "<figcaption>%s", what);
    vz_page_isolated(page, vz_json_get(figure, "text"));
    vz_page_put(page, "</figcaption></figure>\n");
}

/* The words that stand for it where it is not seen. */
static void alternative(vz_page *page, const char *what, const vz_json *path, const vz_json *figure)
{
    vz_page_put(page, "%s ", what);
    vz_page_quoted_string(page, path);
    vz_page_put(page, ": ");
    vz_page_quoted_string(page, vz_json_get(figure, "text"));
}

void vz_page_picture(vz_page *page, const vz_json *picture, const vz_json *path)
{
    uint64_t width, height;
    const char *png = vz_json_get_text(picture, "png");
    if (!png || !is_base64(png) || !sides(picture, "width", "height", &width, &height))
        return;
    vz_page_put(page, "<figure><img width=\"%u\" height=\"%u\" alt=\"", (unsigned)width, (unsigned)height);
    alternative(page, "Picture of the elements of", path, picture);
    vz_page_put(page, "\" src=\"data:image/png;base64,%s\">", png);
    caption(page, "Elements: ", picture);
}

/* ---- maps ---- */

/* 0: not stored; 1 to 100: so large beside the largest one. */
static int64_t cell_at(const vz_json *cells, uint64_t index)
{
    int64_t share = 0;
    return vz_json_get_int64(vz_json_at(cells, (size_t)index), &share) && share > 0 ? share < 100 ? share : 100 : 0;
}

static void square(vz_page *page, uint64_t column, uint64_t row, int64_t share)
{
    const unsigned side = share ? LEAST + (unsigned)lround(sqrt((double)share / 100) * (MOST - LEAST)) : DOT;
    vz_page_put(page, "M%u %uh%uv%uh-%uz", (unsigned)column * SQUARE + (SQUARE - side) / 2,
                (unsigned)row * SQUARE + (SQUARE - side) / 2, side, side, side);
}

void vz_page_map(vz_page *page, const vz_json *map, const vz_json *path)
{
    uint64_t columns, rows;
    const vz_json *cells = vz_json_get(map, "cells");
    if (!sides(map, "columns", "rows", &columns, &rows) || vz_json_length(cells) != columns * rows)
        return;
    vz_page_put(page, "<figure><svg role=\"img\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" aria-label=\"",
                (unsigned)columns * SQUARE, (unsigned)rows * SQUARE, (unsigned)columns * SQUARE,
                (unsigned)rows * SQUARE);
    alternative(page, "Map of the chunks of", path, map);
    vz_page_put(page, "\"><path d=\"");
    for (uint64_t i = 0; i < columns * rows; i++)
        square(page, i % columns, i / columns, cell_at(cells, i));
    vz_page_put(page, "\"/></svg>");
    caption(page, "Chunks: a larger square takes more bytes, a dot is not stored. ", map);
}
