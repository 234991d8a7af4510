/* cache.h - what this process knows of the documents of one store. The store has all of it, too:
 * an entry saves work or a request, and may be dropped at any time. */
#ifndef VZ_DOCUMENTS_CACHE_H
#define VZ_DOCUMENTS_CACHE_H

#include "hierarchy/documents/documents.h"

typedef struct vz_doc_cache vz_doc_cache;

vz_doc_cache *vz_doc_cache_new(vz_error *err);
void vz_doc_cache_free(vz_doc_cache *cache); /* NULL is fine */

/* -- Equal documents (equal_documents.c) --
 * documents of arrays with equal metadata, as many small datasets have. A text that was read or
 * printed twice in a row is kept with its parsed form. The next array with that text is neither
 * parsed nor printed. Only for Zarr format 2, where attributes have their own document. */

/* Looks up the parsed form of a text. True: *document is shared (free it, do not change it),
 * *meta is the caller's. False (also without memory): the text must be parsed. */
bool vz_doc_cache_find_parsed(const vz_doc_cache *cache, const vz_zarr_format *zarr_format, vz_bytes text,
                              vz_json **document, vz_meta **meta);

/* Looks up the text of a new array with this metadata. True: the text and its size are in
 * `printed`, whose key stays; *document is as above. False (also without memory): it must be
 * printed. */
bool vz_doc_cache_find_printed(const vz_doc_cache *cache, const vz_zarr_format *zarr_format, const vz_meta *meta,
                               vz_printed_document *printed, vz_json **document);

/* A text was parsed, or printed. `document` is shared from then on. Without memory nothing is
 * noted. */
void vz_doc_cache_note_parsed(vz_doc_cache *cache, const vz_zarr_format *zarr_format, vz_bytes text, vz_json *document,
                              const vz_meta *meta);
void vz_doc_cache_note_printed(vz_doc_cache *cache, const vz_zarr_format *zarr_format,
                               const vz_printed_document *printed, vz_json *document, const vz_meta *meta);

/* -- Text facts (text_facts.c) --
 * facts about texts that this process printed, by their hashes. Consolidation takes these texts
 * from the store without parsing them. Equal texts have one entry. */
typedef struct vz_text_facts {
    size_t values;           /* in the text; 0: nothing is known of it */
    bool is_array, readable; /* is it an array's document; one that the Zarr format's `readable` is
                              * true of */
} vz_text_facts;

/* A text was written. `array`: the document, if it is that of an array; else NULL. */
void vz_doc_cache_note_facts(vz_doc_cache *cache, const vz_zarr_format *zarr_format, uint64_t hash, vz_json_size size,
                             const vz_json *array);
vz_text_facts vz_doc_cache_facts(const vz_doc_cache *cache, uint64_t hash);

/* -- Written texts (written_texts.c) --
 * texts of documents that this process wrote while the store closes, at most 64 MiB.
 * Consolidated metadata is made of them, so that what was just written is not read again. */

/* A document was written. Takes the text over where it is kept. `is_whole`: the key was not there
 * before. Otherwise a text is kept only in place of one that is kept already. */
void vz_doc_cache_wrote(vz_doc_cache *cache, vz_printed_document *printed, uint64_t hash, bool is_whole);

/* The text of a document with its hash, if it is kept: once. The caller clears it. */
bool vz_doc_cache_take_written(vz_doc_cache *cache, const char *key, vz_buffer *text, uint64_t *hash);

/* Moves all kept texts to the prefetched values of the store. */
bool vz_doc_cache_show_written(vz_doc_cache *cache, vz_store *store, const vz_zarr_format *zarr_format, vz_error *err);
void vz_doc_cache_forget_written(vz_doc_cache *cache); /* keys may mean something else from here
                                                        * on */

/* -- Listings (listings.c) --
 * listings that consolidated metadata needs, requested beside the last documents before it, and
 * the root's document, which gets that metadata. */

/* Requests the listings. Takes each prefix, also on failure. A failed request is repeated when
 * its answer is needed. */
void vz_doc_cache_request_listings(vz_doc_cache *cache, vz_store *store, char **prefixes, size_t count);

/* Were listings requested, and is the root's document kept with them? */
bool vz_doc_cache_has_listings(const vz_doc_cache *cache, bool *with_root);

/* Keeps the text of the root's document, which is taken; an empty one: it is not known. Does
 * nothing where no listings were requested. */
void vz_doc_cache_keep_root(vz_doc_cache *cache, vz_buffer *text, const vz_version *version);

/* Moves the answers, and what was written meanwhile, to the prefetched values of the store. To
 * be called before vz_doc_cache_show_written. */
bool vz_doc_cache_show_listings(vz_doc_cache *cache, vz_store *store, const char *root_key, vz_error *err);
void vz_doc_cache_drop_listings(vz_doc_cache *cache); /* waits for what is under way */

/* -- Consolidated hint (consolidated_hint.c) --
 * prefixes that the consolidated metadata listed when a remote store was opened for writing. The
 * list may be stale, so it answers nothing. When consolidated metadata is written anew, these
 * prefixes are requested at once instead of level by level. `names` is the caller's count of
 * changes of names: a hint of another count gives nothing. */

/* Makes the hint after the root was loaded, while its prefetched documents are still there.
 * Unreadable ones are skipped. */
void vz_doc_cache_read_hint(vz_doc_cache *cache, vz_store *store, const vz_zarr_format *zarr_format, uint64_t names);

/* Adds the prefixes of consolidated metadata that is taken out of the root's document now. */
void vz_doc_cache_add_hint(vz_doc_cache *cache, const vz_json *consolidated, uint64_t names);

/* Gives the nodes in any order; `cursor` begins at 0. */
bool vz_doc_cache_next_hint(const vz_doc_cache *cache, uint64_t names, size_t *cursor, const char **prefix,
                            bool *is_group);

/* Is the prefix in the hint? */
bool vz_doc_cache_has_hint(const vz_doc_cache *cache, uint64_t names, const char *prefix);

/* Did the store, when it was opened, have consolidated metadata in its own document, and is it
 * still there? The form _take answers once, as the caller removes it now. */
bool vz_doc_cache_has_consolidated(const vz_doc_cache *cache);
bool vz_doc_cache_take_consolidated(vz_doc_cache *cache);

#endif
