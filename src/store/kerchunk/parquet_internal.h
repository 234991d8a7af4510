/* parquet_internal.h - references in directories of Parquet files: a bounded reader of flat
 * columns, and the arrays whose chunks are their rows. */
#ifndef VZ_KERCHUNK_PARQUET_INTERNAL_H
#define VZ_KERCHUNK_PARQUET_INTERNAL_H

#include "store/kerchunk/kerchunk_internal.h"

#define VZ_PARQUET_FILE_MAX    ((size_t)256 << 20) /* bytes of a file, and of its pages unpacked */
#define VZ_PARQUET_ROWS_MAX    ((uint64_t)1 << 20) /* of a file */
#define VZ_PARQUET_COLUMNS_MAX 64                  /* of a file, though four have a meaning */
#define VZ_PARQUET_CACHE_SIZE  ((size_t)256 << 20) /* bytes of files that a store keeps */
#define VZ_PARQUET_RANK_MAX    32

/* -- Thrift -- the compact protocol, in which a file's footer and the heads of its pages are. A
 * step that leads out of the bytes sets `wrong`; what is read then is zeros. */
typedef struct vz_parquet_thrift {
    vz_bytes bytes;
    size_t at;
    bool wrong;
} vz_parquet_thrift;

typedef struct vz_parquet_field {
    int64_t id;
    unsigned type;
} vz_parquet_field;

/* The next field of a structure; begin with zeros. False: it ends, or is wrong. */
bool vz_parquet_next(vz_parquet_thrift *thrift, vz_parquet_field *field);
/* The value of a field, which must be of that kind. */
int64_t vz_parquet_integer(vz_parquet_thrift *thrift, const vz_parquet_field *field);
vz_bytes vz_parquet_text(vz_parquet_thrift *thrift, const vz_parquet_field *field);
/* Begins a list; *element is what stands for a field in front of each of its values. */
uint64_t vz_parquet_list(vz_parquet_thrift *thrift, const vz_parquet_field *field, vz_parquet_field *element);
/* Is the value a structure? Else it is wrong. */
bool vz_parquet_structure(vz_parquet_thrift *thrift, const vz_parquet_field *field);
void vz_parquet_skip(vz_parquet_thrift *thrift, const vz_parquet_field *field);

/* -- Column -- */
enum { VZ_PARQUET_INT32 = 1, VZ_PARQUET_INT64 = 2, VZ_PARQUET_BYTES = 6 }; /* of Parquet's types */

typedef struct vz_parquet_column {
    bool is_there, is_optional;
    int64_t type;
    uint64_t rows;    /* that were read so far */
    bool *present;    /* of each row */
    int64_t *numbers; /* or */
    vz_bytes *texts;  /* in pages that the arena has */
} vz_parquet_column;

/* Rows of a column that follow each other in a file. */
typedef struct vz_parquet_part {
    int64_t type, codec, values, data_at, dictionary_at;
} vz_parquet_part;

/* A page, unpacked. */
typedef struct vz_parquet_page {
    int64_t values, encoding;
    bool has_levels; /* which rows have a value is said in `levels`, else before the values */
    vz_bytes levels, content;
} vz_parquet_page;

/* The values of a part that others are numbers of; in the arena and in pages. */
typedef struct vz_parquet_dictionary {
    uint64_t count;
    int64_t *numbers;
    vz_bytes *texts;
} vz_parquet_dictionary;

bool vz_parquet_read_dictionary(const vz_parquet_page *page, int64_t type, vz_arena *arena,
                                vz_parquet_dictionary *words, vz_error *err);
/* Adds rows to a column, up to `end`. */
bool vz_parquet_read_values(const vz_parquet_page *page, const vz_parquet_dictionary *words, vz_parquet_column *column,
                            uint64_t end, vz_error *err);
/* VZ_CORRUPT; always false. */
bool vz_parquet_damaged(const char *what, vz_error *err);

/* Adds the rows of a part to a column, which has room for them. `unpacked` counts bytes of
 * pages. */
bool vz_parquet_read_part(vz_bytes file, const vz_parquet_part *part, vz_parquet_column *column, vz_arena *arena,
                          uint64_t *unpacked, vz_error *err);

/* -- Rows -- the references of one file. */
enum { VZ_PARQUET_PATH, VZ_PARQUET_OFFSET, VZ_PARQUET_SIZE, VZ_PARQUET_RAW, VZ_PARQUET_COLUMNS };

typedef struct vz_parquet_rows {
    struct vz_parquet_rows *next; /* of those that a store keeps */
    char *key;                    /* of the file */
    vz_buffer file;               /* its bytes */
    unsigned users;
    uint64_t used;
    uint64_t count; /* 0: there is no such file, and all its references are absent */
    vz_parquet_column columns[VZ_PARQUET_COLUMNS];
    vz_arena arena;
} vz_parquet_rows;

/* Reads rows->file; all else of `rows` is zeros. To be cleared on failure too. VZ_CORRUPT,
 * VZ_UNSUPPORTED, VZ_LIMIT. */
bool vz_parquet_read(vz_parquet_rows *rows, vz_error *err);
void vz_parquet_rows_clear(vz_parquet_rows *rows);
/* *found=false: the row names nothing. Texts stay the rows' own. */
bool vz_parquet_value(const vz_parquet_rows *rows, uint64_t row, vz_kerchunk_value *value, bool *found, vz_error *err);

/* -- Directory -- */
typedef struct vz_parquet_array {
    unsigned rank;
    uint64_t dims[VZ_PARQUET_RANK_MAX]; /* chunks along each dimension */
    uint64_t count;                     /* of chunks */
    char separator;
} vz_parquet_array;

typedef struct vz_parquet_store {
    vz_store *below;
    vz_kerchunk_table table; /* of its documents */
    uint64_t record_size;
    vz_os_mutex lock; /* of what follows */
    vz_parquet_rows *files;
    uint64_t size, clock;
} vz_parquet_store;

/* A chunk's key: which array has it, and which of its chunks it is. */
typedef struct vz_parquet_key {
    size_t prefix; /* bytes of the array's own key */
    vz_parquet_array array;
    uint64_t number; /* of the chunk */
} vz_parquet_key;

/* Reads ".zmetadata", which is taken over, also on failure. */
bool vz_parquet_directory_read(vz_parquet_store *store, vz_buffer *text, vz_error *err);
/* *found=false: it is no chunk's key. */
bool vz_parquet_key_parse(const vz_parquet_store *store, const char *key, vz_parquet_key *parsed, bool *found,
                          vz_error *err);
/* The entries directly below a prefix. */
bool vz_parquet_list_below(vz_parquet_store *store, const char *prefix, vz_entry **entries, size_t *count,
                           vz_error *err);

/* The rows in which a chunk of the array stands; vz_parquet_leave them. NULL with err set. */
vz_parquet_rows *vz_parquet_use(vz_parquet_store *store, const char *array, size_t length, uint64_t record,
                                vz_error *err);
void vz_parquet_leave(vz_parquet_store *store, vz_parquet_rows *rows);
void vz_parquet_forget(vz_parquet_store *store); /* all of them; nobody uses one */

#endif
