/* pages_internal.h - a central directory that is searched where it lies. Its records are sorted,
 * and an index in its last record divides them into pages. Opening reads the index; a page is read
 * when a key in it is looked for. For the files of this module only. */
#ifndef VZ_ZIP_PAGES_INTERNAL_H
#define VZ_ZIP_PAGES_INTERNAL_H

#include "store/zip/central_internal.h"

/* -- Central record --
 * a record of a central directory, taken apart. */
typedef struct vz_zip_record {
    const char *name; /* not ended by a NUL */
    size_t name_length;
    size_t length;          /* bytes of the whole record */
    vz_keytree_value value; /* without version */
} vz_zip_record;

/* False: these are not the bytes of a record. */
bool vz_zip_record_parse(const uint8_t *bytes, size_t left, vz_zip_record *record);
/* Refuses what no honest program writes: an entry that reaches beyond `limit`, a name that is
 * absolute or contains "." or "..". */
bool vz_zip_record_check(const vz_zip_record *record, uint64_t limit, vz_error *err);
/* Bytes of the entry in the file, without extra fields of its local header. */
uint64_t vz_zip_record_live(const vz_zip_record *record);

/* -- Order --
 * of keys in a directory: what is below a prefix lies in one piece. Keys without a slash come last,
 * since the end of a file is read at once. Among keys with slashes, and among those without, bytes
 * decide, and the slash is the smallest. */
int vz_zip_key_compare(const char *a, size_t a_length, const char *b, size_t b_length);
/* The bytes alone, of keys that both have a slash, or both have none. */
int vz_zip_key_compare_bytes(const char *a, size_t a_length, const char *b, size_t b_length);

/* -- Index -- */
/* id of the extra field in the directory's last record: "VZ" */
#define VZ_ZIP_EXTRA_INDEX 0x5a56
#define VZ_ZIP_INDEX_MAX   (48 << 10) /* bytes of it */
#define VZ_ZIP_PAGE_SIZE   (16 << 10) /* bytes of records in a page where they do not all fit */

typedef struct vz_zip_page {
    uint64_t first;   /* where its records begin in the directory */
    uint64_t ordinal; /* entries before it */
    uint64_t live;    /* bytes of its entries in the file */
    uint64_t content; /* bytes of their values */
    uint32_t size, count, crc;
    const char *key; /* its first one */
    size_t key_length;
    uint8_t *bytes;   /* NULL: they are not read */
    uint32_t *places; /* of records in `bytes` */
    uint64_t used;    /* when it was last */
} vz_zip_page;

/* Adds the index to the last of `end->count` records, and tells of it in `end`. Without an index,
 * and with true returned: they are not sorted, or their names are too long. */
bool vz_zip_index_print(vz_buffer *records, vz_zip_end *end, vz_error *err);
/* The pages of a directory, of which `index` is the index. NULL with err set: VZ_CORRUPT, or no
 * memory. Their keys point into `index`. */
vz_zip_page *vz_zip_index_parse(const uint8_t *index, const vz_zip_end *end, size_t *count, vz_error *err);

/* -- Pages -- */
typedef struct vz_zip_pages vz_zip_pages;

/* The directory that the newer slot names, if it has an index and the file ends with it. NULL:
 * all of the directory has to be read, which tells what is wrong if something is. */
vz_zip_pages *vz_zip_pages_open(vz_byte_source *source, uint64_t base, uint64_t size, uint64_t versions);
void vz_zip_pages_free(vz_zip_pages *pages); /* NULL is fine */
const vz_zip_slot *vz_zip_pages_slot(const vz_zip_pages *pages);
uint64_t vz_zip_pages_live(const vz_zip_pages *pages);     /* bytes of all entries */
uint64_t vz_zip_pages_content(const vz_zip_pages *pages);  /* bytes of all values */
uint64_t vz_zip_pages_versions(const vz_zip_pages *pages); /* before the first of its entries */
/* May be called in several threads. VZ_CORRUPT: the directory has to be read as a whole. The value
 * is_unproven: its name has to be compared with that of the entry itself. */
bool vz_zip_pages_find(vz_zip_pages *pages, vz_byte_source *source, const char *key, vz_keytree_value *value,
                       bool *found, vz_error *err);
/* As list of a store. */
bool vz_zip_pages_list(vz_zip_pages *pages, vz_byte_source *source, const char *prefix, vz_entry **entries,
                       size_t *count, vz_error *err);
/* As look_below of a store. `key` holds the prefix with its slash, and does so afterwards. */
bool vz_zip_pages_look(vz_zip_pages *pages, vz_byte_source *source, vz_buffer *key, const char *name,
                       vz_entry_probe *looks, size_t count, vz_error *err);
/* All of it is read once, every page. VZ_CORRUPT: it is not what the index says. */
bool vz_zip_pages_check(vz_zip_pages *pages, vz_byte_source *source, vz_error *err);
/* How long the local header of a key's entry is, for the next who finds it. */
void vz_zip_pages_remember(vz_zip_pages *pages, const char *key, uint32_t lead);

#endif
