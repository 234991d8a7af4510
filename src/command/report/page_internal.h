/* page_internal.h - the page of a report: HTML, written from its model (README.md). */
#ifndef VZ_COMMAND_PAGE_INTERNAL_H
#define VZ_COMMAND_PAGE_INTERNAL_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include "base/util/json.h"
#include <stdarg.h>

/* Bounds of a page, whatever its model has. */
#define VZ_PAGE_SIZE_MAX    ((size_t)48 << 20) /* bytes; nodes beyond are left out */
#define VZ_PAGE_DETAILS_MAX ((size_t)32 << 20) /* nodes beyond have a line each */
#define VZ_PAGE_TEXT_MAX    ((size_t)16384)    /* bytes of one text, shown */
#define VZ_PAGE_LEVELS_MAX  40                 /* lists in lists: browsers nest 512 elements */
#define VZ_PAGE_OPEN_MAX    40                 /* nodes; with more, arrays are folded */
#define VZ_PAGE_ROWS_MAX    100                /* of the head of a table, and of its tail */
#define VZ_PAGE_COLUMNS_MAX 100
#define VZ_PAGE_SIDE_MAX    512 /* pixels, or squares of a map, along a side */

/* A page under way. After a failure nothing more is written. */
typedef struct vz_page {
    vz_buffer out;
    bool failed;
    vz_error *err;
    size_t nodes;            /* of the model */
    size_t short_of, beyond; /* nodes without details, and those that are not there */
    bool in_table;           /* below a group that is shown as a table */
} vz_page;

/* page_text.c */
/* printf of what is ours: markup, numbers, words of the program. */
void vz_page_put(vz_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A string of the model, where the page has text: nothing in it is markup. Characters that cannot
 * be seen, or change the direction of others, are shown by their numbers. Text that is no UTF-8 has
 * the form of paths (hierarchy/documents/documents.h). Anything else: nothing is written. */
void vz_page_string(vz_page *page, const vz_json *value);
/* As vz_page_string, within an attribute in double quotes. */
void vz_page_quoted_string(vz_page *page, const vz_json *value);
/* With its direction of its own, so that it changes no other text's. */
void vz_page_isolated(vz_page *page, const vz_json *value);

/* page_style.c */
extern const char vz_page_style[];

/* page_nodes.c: the tree of all nodes, a list. */
void vz_page_nodes(vz_page *page, const vz_json *nodes);
/* "1.2 MiB of 4.8 MiB, 4.0x"; nothing where it is not known. */
void vz_page_size(vz_page *page, const vz_json *object);

/* page_figures.c: a picture of an array's elements, a map of its chunks. NULL: nothing. */
void vz_page_picture(vz_page *page, const vz_json *picture, const vz_json *path);
void vz_page_map(vz_page *page, const vz_json *map, const vz_json *path);

/* page_table.c: its first and last rows; NULL: nothing. */
void vz_page_table(vz_page *page, const vz_json *table, const vz_json *path);

/* page.c: the page of a model. */
bool vz_page_write(const vz_json *model, vz_buffer *out, vz_error *err);

#endif
