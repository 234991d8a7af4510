/* documents.h - metadata documents as text; paths and link names as JSON and keys hold them. */
#ifndef VZ_DOCUMENTS_DOCUMENTS_H
#define VZ_DOCUMENTS_DOCUMENTS_H

#include "base/util/error.h"
#include "base/util/json.h"
#include "metadata/metadata/format.h"
#include "store/store/request.h"
#include "store/store/store.h"

/* -- Documents --
 * documents of a store, read, parsed, printed and written; consolidated metadata inside one. */
#define VZ_DOCUMENT_INDENT 4 /* blanks, as zarr-python writes */

/* document_io.c */
/* Gets prefix/document; *found=false when missing. `text` is to be cleared. */
bool vz_document_get(vz_store *store, const char *prefix, const char *document, vz_buffer *text, bool *found,
                     vz_error *err);

/* As vz_document_get, for a node that is loaded for the first time: a prefetched text is good
 * enough. */
bool vz_document_get_first(vz_store *store, const char *prefix, const char *document, vz_buffer *text, bool *found,
                           vz_version *version, vz_error *err);

/* As vz_document_get; also gives the version if the store is remote, where writes can depend on
 * it. */
bool vz_document_meet(vz_store *store, const char *prefix, const char *document, vz_buffer *text, bool *found,
                      vz_version *version, vz_error *err);

/* Parses a text; errors begin with the document's name. Consolidated metadata (VZ_CONSOLIDATED)
 * of any size is skipped: an empty object stands in its place. */
vz_json *vz_document_parse(const char *document, const char *text, size_t size, vz_error *err);

/* Get and parse: *value is the caller's; NULL without an error: there is no such document. */
bool vz_document_read(vz_store *store, const char *prefix, const char *document, vz_json **value, vz_error *err);

/* Writes the document only if the condition `when` holds. Fails with VZ_CHANGED otherwise. */
bool vz_document_put_when(vz_store *store, const char *prefix, const char *document, const vz_json *value,
                          vz_request_condition when, const vz_version *version, uint64_t *hash, vz_error *err);

/* A document ready to be written. */
typedef struct vz_printed_document {
    char *key; /* heap */
    vz_buffer text;
    vz_json_size size; /* of what was printed */
} vz_printed_document;

/* Prints `value` into it. VZ_LIMIT where it could not be read again. */
bool vz_document_print(vz_printed_document *printed, const char *prefix, const char *document, const vz_json *value,
                       vz_error *err);
void vz_printed_document_clear(vz_printed_document *printed);

/* skip_consolidated.c. As vz_document_get_first, but consolidated metadata that is larger than
 * one read may be left out. Then an empty object stands in its place, and *hash is the hash of
 * the whole document; else 0. */
bool vz_document_get_around_copy(vz_store *store, const char *prefix, const char *document, vz_buffer *text,
                                 bool *found, uint64_t *hash, vz_error *err);

/* As vz_store_peek for a document of the root, without its consolidated metadata. */
bool vz_document_peek_around_copy(vz_store *store, const char *document, vz_buffer *room, vz_bytes *bytes, bool *found,
                                  vz_error *err);

/* group_above.c */
/* A document of the root, without its consolidated metadata. The bytes are kept for the open. */
vz_json *vz_document_peek_root(vz_store *store, const char *document, bool *found, vz_error *err);

/* The group that the root of `store` lies in, opened to look into it. It is given if what is in
 * that group may be one store with `store`. NULL without an error where it is none, or has
 * another owner, or others may write to it. It is NULL as well where we may write to `store` and
 * not to that group. */
vz_store *vz_document_group_above(vz_store *store, vz_error *err);

/* Is there an array at the store's root? */
bool vz_document_root_is_array(vz_store *store);

/* consolidated_v3.c */
/* Removes the consolidated metadata inside prefix/zarr.json. *hash is that of the text last read
 * or written, and is updated. *removed: the caller's; NULL: there was none. */
bool vz_document_drop_copy(vz_store *store, const vz_zarr_format *zarr_format, const char *prefix, uint64_t *hash,
                           vz_json **removed, vz_error *err);

/* Puts consolidated metadata into prefix/zarr.json if that still has *hash, which is updated;
 * nothing if there is no such document. VZ_CHANGED: it has another text. Takes `copy`, also on
 * failure. */
bool vz_document_put_copy(vz_store *store, const vz_zarr_format *zarr_format, const char *prefix, uint64_t *hash,
                          vz_json *copy, vz_error *err);

/* -- Encode path --
 * paths as JSON holds them. */
/* The form of a path in JSON, as a path may not be UTF-8. Heap. A text in another form is the
 * path itself. */
char *vz_text_of_path(const char *path, vz_error *err);
char *vz_text_to_path(const char *text, vz_error *err);
bool vz_text_is_coded_path(const char *text); /* is it not the path itself? */
vz_json *vz_text_json_of_path(const char *path, vz_error *err);

/* Escapes ".", "..", backslash, the metadata names (.zarray .zgroup .zattrs .zmetadata
 * zarr.json), names over 240 bytes, invalid UTF-8, our partial names. Caller frees. Equal to
 * `name` when nothing needs it ('%' alone does not). */
char *vz_segment_of_name(const char *name, vz_error *err);

/* For a name whose segment is taken by another link: the segment, cut where needed, with "%~"
 * and a hash of the name. Only the parent's "L" entry leads back from it. Caller frees. */
char *vz_segment_of_name_hashed(const char *name, vz_error *err);

/* "prefix/name", or name alone; caller frees. */
char *vz_document_key_join(const char *prefix, const char *name, vz_error *err);
bool vz_text_is_ascii(const char *text);

#endif
