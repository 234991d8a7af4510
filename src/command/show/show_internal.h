/* show_internal.h - h5zarr show: what its files print. */
#ifndef VZ_SHOW_SHOW_INTERNAL_H
#define VZ_SHOW_SHOW_INTERNAL_H

#include "command/command/command.h"
#include "command/sample/sample.h"

/* The parts of an answer that are wanted. */
typedef struct vz_show_request {
    const char *name, *part; /* as they were typed; part: NULL: all */
    const char *library, *plugin, *png;
    bool json, values, statistics, picture, chunks, attributes;
    uint64_t rows;   /* of the head, and of the tail */
    unsigned pixels; /* of a PNG, in each direction */
} vz_show_request;

/* An object that is shown. */
typedef struct vz_show {
    const vz_show_request *request;
    vz_sample_file *file;
    vz_sample_object *object;
    const vz_sample_facts *facts;
    vz_sample_part part;
    bool has_part;   /* one was asked for */
    bool has_failed; /* something could not be shown, and was reported */
    vz_json *errors; /* with --json */
} vz_show;

/* failure.c: reports what cannot be shown, so that the rest is. */
void vz_show_failed(vz_show *show, const char *what, const char *why);

/* -- Grid --
 * texts in rows and columns, aligned, as wide as the terminal (grid.c). */
#define VZ_SHOW_CELL_MAX 32 /* columns of a cell on a terminal */
typedef struct vz_show_grid {
    size_t rows, columns;
    char **cells;      /* rows * columns, of which row 0 are the headings */
    bool *is_text;     /* by column: it begins at the left */
    size_t row_gap;    /* before that row some are left out; 0: none */
    size_t column_gap; /* before that column, likewise */
    bool cuts;         /* columns were dropped, since the terminal is narrow */
} vz_show_grid;
bool vz_show_grid_init(vz_show_grid *grid, size_t rows, size_t columns, vz_error *err);
void vz_show_grid_clear(vz_show_grid *grid);
/* The text, as terminals may show it, and cut. */
bool vz_show_grid_set(vz_show_grid *grid, size_t row, size_t column, const char *text, vz_error *err);
void vz_show_grid_print(vz_show_grid *grid);

/* Of `count` indices those at the head and at the tail: at[]; *gap: the first of the tail, if
 * some were left out, else 0. Returns how many. */
size_t vz_show_ends(uint64_t count, uint64_t each, uint64_t *at, size_t *gap);

/* -- What is printed -- each false only if err is set; what cannot be read is reported */
bool vz_show_values_text(vz_show *show, vz_error *err);
bool vz_show_table_text(vz_show *show, vz_sample_table *table, vz_error *err);
bool vz_show_statistics_text(vz_show *show, vz_sample_table *table, vz_error *err);
bool vz_show_chunks_text(vz_show *show, vz_error *err);
bool vz_show_picture_text(vz_show *show, vz_error *err);
bool vz_show_group_text(vz_show *show, vz_error *err);
bool vz_show_attributes_text(vz_show *show, vz_error *err);
/* "array  (2, 3)  int32" */
void vz_show_facts_text(const vz_sample_facts *facts);
/* summary.c: statistics of the array, or of the sparse matrix that the table is (NULL: none).
 * False: there are none; a failure was reported. */
bool vz_show_statistics_make(vz_show *show, vz_sample_table *table, vz_sample_statistics *s);
/* The PNG file. */
bool vz_show_png_write(vz_show *show, vz_error *err);
/* "1,048,576" */
#define VZ_SHOW_COUNT 32
const char *vz_show_count(uint64_t count, char text[VZ_SHOW_COUNT]);

/* -- JSON -- */
/* json_values.c: "values" and "table". */
bool vz_show_json_values(vz_show *show, vz_json *object, vz_error *err);
bool vz_show_json_table(vz_show *show, vz_sample_table *table, vz_json *object, vz_error *err);
bool vz_show_json_count(vz_json *object, const char *key, uint64_t count, vz_error *err);
/* json.c: all of it. */
bool vz_show_json(vz_show *show, vz_sample_table *table, vz_json *object, vz_error *err);

#endif
