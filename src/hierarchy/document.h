/* document.h - the documents of a node: as texts of the store, read (node_load.c), written (document.c,
 * document_joint.c), and merged with what others made of them meanwhile (merge*.c). */
#ifndef VZ_HIERARCHY_DOCUMENT_H
#define VZ_HIERARCHY_DOCUMENT_H

#include "hierarchy/hierarchy.h"
#include "store/request.h"

#define VZ_DOCUMENT_INDENT 4 /* blanks, as zarr-python writes */

/* document_text.c */
/* Gets prefix/document; *found=false when missing. `text` is to be cleared. */
bool vz_document_get(vz_store *store, const char *prefix, const char *document, vz_buffer *text, bool *found,
                     vz_error *err);
/* The same when a node is met for the first time: what was read ahead of that will do. */
bool vz_document_get_first(vz_store *store, const char *prefix, const char *document, vz_buffer *text, bool *found,
                           vz_version *version, vz_error *err);
/* As vz_document_get, and tells the version, where that can be a condition (a store that is far away). */
bool vz_document_meet(vz_store *store, const char *prefix, const char *document, vz_buffer *text, bool *found,
                      vz_version *version, vz_error *err);
/* document_cut.c. As vz_document_get_first, but a copy of other documents (VZ_CONSOLIDATED) that is larger than what is
 * read at once need not be in the text: an empty object stands in its place, and *hash is the one of the whole document
 * then, else 0. */
bool vz_document_get_around_copy(vz_store *store, const char *prefix, const char *document, vz_buffer *text,
                                 bool *found, uint64_t *hash, vz_error *err);
/* As vz_store_peek, of a document in the root, in the same way. */
bool vz_document_peek_around_copy(vz_store *store, const char *document, vz_buffer *room, vz_bytes *bytes, bool *found,
                                  vz_error *err);
uint64_t vz_document_hash(const void *text, size_t size); /* never 0 */
/* The document's name goes in front of what is wrong with its text. A copy of other documents (VZ_CONSOLIDATED) is
 * passed over, whatever its size: an empty object stands in its place. */
vz_json *vz_document_parse(const char *document, const char *text, size_t size, vz_error *err);
/* With the copy. */
vz_json *vz_document_parse_whole(const char *document, const char *text, size_t size, vz_error *err);
/* Get and parse: *value is the caller's; NULL without an error: there is no such document. */
bool vz_document_read(vz_store *store, const char *prefix, const char *document, vz_json **value, vz_error *err);
/* *hash: of the text that was written. VZ_LIMIT, and nothing is written, where it could not be read again. */
bool vz_document_put(vz_store *store, const char *prefix, const char *document, const vz_json *value, uint64_t *hash,
                     vz_error *err);

/* The same under a condition: VZ_CHANGED where it does not hold. */
bool vz_document_put_when(vz_store *store, const char *prefix, const char *document, const vz_json *value, vz_when when,
                          const vz_version *version, uint64_t *hash, vz_error *err);

/* document_joint_read.c */
/* What the document of that spelling (one for arrays and groups) says that the node at a prefix is; VZ_SAYS_NEITHER:
 * there is none. One that cannot be read is taken for a group's, so that
 * opening it tells what is wrong. */
vz_says vz_document_look_says(vz_store *store, const char *prefix, const vz_spelling *spelling);
/* What a document says that spells arrays and groups under one name. */
vz_says vz_document_says(const vz_spelling *spelling, const char *text, size_t size);
/* Reads a node that has its place: document, attributes, metadata. VZ_UNSUPPORTED for a group with members that must be
 * understood; what is wrong with an array goes into meta_error. */
bool vz_joint_parse(vz_node *node, const char *text, size_t size, vz_error *err);
bool vz_joint_load_attributes(vz_node *node, vz_error *err);
/* Takes the attributes out of a document, where an empty object keeps their place. NULL on failure. */
vz_json *vz_joint_detach_attributes(vz_json *document, vz_error *err);

/* document_joint.c */
bool vz_joint_write(vz_node *node, const char *prefix, vz_error *err);

/* consolidated_inside.c */
/* Removes the consolidated metadata that stands in prefix/zarr.json. *hash: of the text last read or written, follows.
 * *removed: what it was, the caller's to free; NULL: there was none. */
bool vz_document_drop_copy(vz_store *store, const vz_spelling *spelling, const char *prefix, uint64_t *hash,
                           vz_json **removed, vz_error *err);
/* Puts it into prefix/zarr.json, if that is the text of *hash, which follows; nothing if there is none. VZ_CHANGED: it
 * is another one. Takes `copy`, also on failure. */
bool vz_document_put_copy(vz_store *store, const vz_spelling *spelling, const char *prefix, uint64_t *hash,
                          vz_json *copy, vz_error *err);

/* document.c */
/* Are there documents in the store that readers see, and that a killed process would leave? */
bool vz_node_is_in_place(const vz_node *node);
/* Writes what is dirty of a linked node's documents (attributes first, so that no reader sees a node without them). */
bool vz_node_write_documents(vz_node *node, vz_error *err);
/* The same of a group that is stored, which stays dirty. */
bool vz_node_write_names(vz_node *group, vz_error *err);
/* The same under another prefix than the node's, without the lock (vz_documents_lock). */
bool vz_node_write_documents_at(vz_node *node, const char *prefix, vz_error *err);
/* The two halves of it where documents of many nodes are written at once (vz_documents_write). */
bool vz_node_prepare_documents(vz_node *node, vz_error *err);
void vz_node_documents_written(vz_node *node);

/* document_now.c */
/* What of a node's annotation and links must be in the attributes for the next write; *kept as annotation_value. The
 * annotation stands among the attributes until vz_attributes_printed is called. `kept` is the caller's. */
bool vz_attributes_to_print(vz_node *node, vz_json **kept, vz_error *err);
void vz_attributes_printed(vz_node *node);
/* Text of what the store holds now, and what that means for us. */
typedef struct vz_current {
    vz_buffer text;
    bool found;
    bool is_foreign; /* not what we last read or wrote */
    vz_when when;    /* what must still be true when it is written */
    vz_version version;
} vz_current;
/* What a document that was not looked at is written under. */
vz_current vz_document_unseen(const vz_node *node);
bool vz_document_look(vz_node *node, const char *prefix, const char *document, uint64_t known, vz_current *now,
                      vz_error *err);
/* The object a foreign text holds; what is none is taken for nothing, and ours replaces it. NULL where it is too large
 * to tell. */
vz_json *vz_document_foreign(const vz_current *now, const char *document, vz_error *err);
/* What is in memory takes on what others changed: the shape, above all. */
void vz_document_adopt(vz_node *node, const vz_json *document);

/* document_version.c */
bool vz_hierarchy_is_far(const vz_hierarchy *hierarchy); /* each request is a round trip */
/* The versions of a node's documents as last read or written; size 0: not known. */
struct vz_node_versions {
    vz_version document, attributes;
};
const vz_version *vz_node_version(const vz_node *node, bool of_attributes);
bool vz_node_versions_known(const vz_node *node);                                        /* of all its documents */
void vz_node_keep_version(vz_node *node, bool of_attributes, const vz_version *version); /* NULL: not known */

/* document_send.c */
/* A document of a node, printed. */
typedef struct vz_document_write {
    vz_node *node;
    bool of_attributes; /* .zattrs */
    char *key;          /* NULL once it is written */
    vz_buffer text;
    vz_json_size size;   /* of what was printed */
    vz_json *document;   /* becomes the node's; NULL: it has none of its own */
    bool has_annotation; /* then `kept` (NULL: none) becomes its annotation_value */
    vz_json *kept;
    vz_when when;
    vz_version version;
    size_t number; /* of the node in the round */
} vz_document_write;
typedef struct vz_document_round {
    vz_document_write *writes;
    size_t count, capacity;
    vz_error_class *failed; /* by number */
    vz_error error;         /* the first */
} vz_document_round;
/* Prints `value` into it: key and text. VZ_LIMIT where it could not be read again. */
bool vz_document_print(vz_document_write *write, const char *prefix, const char *document, const vz_json *value,
                       vz_error *err);
/* Writes it, or keeps it for the round that is gathered; what the node knows of its documents follows when it is there.
 * Takes what `write` holds, also on failure. */
bool vz_document_send(vz_document_write *write, vz_error *err);
/* Documents of a node are to be written at that prefix: they were put there before (document_early.c), and are what
 * there is to say. Then the node takes them on. */
bool vz_document_sent_early(vz_node *node, const char *prefix);
void vz_document_drop(vz_document_write *write); /* frees what it holds */
vz_request vz_document_request(const vz_document_write *write);
/* The store has it, in that version (NULL: not told). Frees what it holds. */
void vz_document_written(vz_document_write *write, const vz_version *version);

/* document.c. Is there anything of the node that a document is to say? */
bool vz_node_needs_documents(const vz_node *node);
/* All that is to be said goes to vz_document_send, attributes first. */
bool vz_node_print_documents(vz_node *node, const char *prefix, vz_error *err);

/* own_documents.c */
/* It is in the store: its text may be kept, and then is taken. */
void vz_own_documents_keep(vz_document_write *write, uint64_t hash);
/* The text of a document, if it was kept: once, with its hash. It is the caller's to clear. */
bool vz_own_document_take(vz_hierarchy *hierarchy, const char *key, vz_buffer *text, uint64_t *hash);
/* All that was kept is as if it was read ahead, once. */
bool vz_own_documents_show(vz_hierarchy *hierarchy, const vz_spelling *spelling, vz_error *err);

/* known_texts.c */
/* A document that was written: its text need not be parsed for the copy of all documents. */
void vz_known_text_note(const vz_document_write *write, uint64_t hash);
/* What is known of a text in the store; values 0: nothing. */
typedef struct vz_known_text {
    size_t values;
    bool is_array, readable; /* is it an array's document; one that the spelling's `readable` is true of */
} vz_known_text;
vz_known_text vz_known_text_of(const vz_hierarchy *hierarchy, uint64_t hash);

/* tree_ahead.c: reads all listings and documents below (and at) a prefix, of one spelling, ahead of who asks for them.
 * `hierarchy`: what its copy told of is asked for at once (told.h); NULL: nothing was told. */
bool vz_tree_read_ahead(vz_store *store, const vz_spelling *spelling, const char *prefix, const vz_hierarchy *hierarchy,
                        vz_error *err);

/* tree_early.c. The last documents before the copy of all of them are about to be sent: what that needs is asked for
 * beside them, if it is not too much. What fails is asked for when it is needed. */
void vz_tree_ask_early(vz_hierarchy *hierarchy);
/* The root's document as it was written, or (NULL) as it was read ahead, if that is the version that we know. */
void vz_tree_keep_root(vz_hierarchy *hierarchy, const vz_document_write *write);
/* What was asked for is as if it was read ahead, with what was written meanwhile; before vz_own_documents_show. */
bool vz_tree_take_early(vz_hierarchy *hierarchy, vz_error *err);
void vz_tree_forget_early(vz_hierarchy *hierarchy);

/* document_round.c */
/* As vz_node_write_documents for many nodes, none of which is above another one: as many requests as there are
 * documents, and as few round trips as the store allows. One that others changed since it was looked at is looked at
 * once more. */
bool vz_documents_write(vz_hierarchy *hierarchy, vz_node *const *nodes, size_t count, vz_error *err);
/* Before everything dirty is written: reads what will be looked at, at once, and keeps it (vz_store_keep_ahead). */
bool vz_documents_look_ahead(vz_hierarchy *hierarchy, vz_error *err);

/* merge.c */
/* The node's .zattrs was changed by somebody else: theirs plus the keys we changed become the node's. `theirs` is
 * taken. */
bool vz_merge_attributes(vz_node *node, vz_json *theirs, vz_error *err);
/* The same for .zarray: keys of `ours` that differ from the node's document go into `theirs`. */
bool vz_merge_document(const vz_node *node, const vz_json *ours, vz_json *theirs, vz_error *err);
/* merge_annotation.c: puts into `theirs`, an annotation that somebody else wrote, what we changed in the node's since
 * it was `base`. What speaks of attributes is merged attribute by attribute, lists of paths entry by entry; "L" is
 * vz_merge_links' work. */
bool vz_merge_annotation(vz_node *node, const vz_json *base, vz_json *theirs, vz_error *err);
/* merge_links.c: the members become what they are after their changes and ours. base, theirs: annotations, as above;
 * `attributes`: theirs, in which the one that tells links gets ours too. */
bool vz_merge_links(vz_node *group, const vz_json *base, const vz_json *theirs, vz_json *attributes, vz_error *err);

#endif
