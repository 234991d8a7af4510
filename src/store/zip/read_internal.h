/* read_internal.h - the keys of a zip file as a tree of their parts, so that a listing and a
 * move cost what they touch. */
#ifndef VZ_ZIP_READ_INTERNAL_H
#define VZ_ZIP_READ_INTERNAL_H

#include "store/store/store.h"

#define VZ_ZIP_DEPTH_MAX 1024 /* parts of a key: bounds every recursion over the tree */

/* Where the bytes of a value are. */
typedef enum vz_zip_where {
    VZ_ZIP_NOWHERE,
    VZ_ZIP_PACKED,  /* in the zip file, and others may know of it */
    VZ_ZIP_NEW,     /* there too, and it was not published yet */
    VZ_ZIP_SPOOLED, /* in the spool */
} vz_zip_where;

typedef struct vz_zip_value {
    uint8_t place;          /* vz_zip_where */
    bool is_changed;        /* put or moved since others know of all values */
    bool is_moved;          /* its local header has another name */
    uint16_t method, flags; /* of the entry */
    uint16_t next_flags;
    uint32_t crc;
    uint32_t slack;   /* new: free bytes before the local header */
    uint32_t lead;    /* bytes of the local header; 0: it has to be looked at */
    uint64_t offset;  /* of the entry's local header in the zip file; spooled: of the bytes in the
                       * spool */
    uint64_t stored;  /* bytes there */
    uint64_t size;    /* bytes of the value */
    uint64_t version; /* another one for each put */
    uint64_t next;    /* with next_flags: in the file that is being written, where
                       * vz_zip_tree_relocate finds it */
} vz_zip_value;

typedef struct vz_zip_tree vz_zip_tree;
typedef bool (*vz_zip_visit)(const char *key, bool is_hidden, vz_zip_value *value, void *context, vz_error *err);

vz_zip_tree *vz_zip_tree_new(vz_error *err);
void vz_zip_tree_free(vz_zip_tree *tree); /* NULL is fine */
/* The value of a key, or NULL. */
vz_zip_value *vz_zip_tree_find(const vz_zip_tree *tree, const char *key);
/* Replaces the value of a key that is there. VZ_LIMIT for a key with too many parts. */
bool vz_zip_tree_put(vz_zip_tree *tree, const char *key, const vz_zip_value *value, vz_error *err);
/* Where the key before it was put. All zeros at first, and again after anything but
 * vz_zip_tree_add. */
typedef struct vz_zip_cursor {
    vz_zip_tree *above;
    size_t length;
    char prefix[256];
} vz_zip_cursor;
/* Adds one of many keys, of which each often has the prefix of the one before. The value is not
 * changed. */
bool vz_zip_tree_add(vz_zip_tree *tree, vz_zip_cursor *cursor, const char *key, const vz_zip_value *value,
                     vz_error *err);
/* The values that vz_zip_tree_remove would remove, in no order. */
void vz_zip_tree_values(const vz_zip_tree *tree, const char *key, bool with_below,
                        void (*visit)(const vz_zip_value *value, void *context), void *context);
/* The value of the key (with_below: and all below it). Prefixes without members go with their
 * last one. True if there was any. */
bool vz_zip_tree_remove(vz_zip_tree *tree, const char *key, bool with_below);
/* As rename_tree of a store: VZ_NOT_FOUND, VZ_EXISTS. `to` is not below `from`. Moved entries are
 * marked. */
bool vz_zip_tree_move(vz_zip_tree *tree, const char *from, const char *to, vz_error *err);
/* Exchanges the entries at two keys, and below them. */
bool vz_zip_tree_exchange(vz_zip_tree *tree, const char *a, const char *b, vz_error *err);
/* As list of a store, in no order. */
bool vz_zip_tree_list(const vz_zip_tree *tree, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);
/* Every value, the members of a prefix sorted; ends at the first false. */
bool vz_zip_tree_each(vz_zip_tree *tree, vz_zip_visit visit, void *context, vz_error *err);
/* Every value that was changed since vz_zip_tree_shown, in no order. */
bool vz_zip_tree_each_changed(vz_zip_tree *tree, vz_zip_visit visit, void *context, vz_error *err);
/* Every value is at `next` from now on: hidden ones in the spool, all others in the zip file. */
void vz_zip_tree_relocate(vz_zip_tree *tree);
/* Others know of every value that is not hidden. */
void vz_zip_tree_shown(vz_zip_tree *tree);
/* Is a part of the key a partial name? Such values are nobody's: they are not listed and not
 * packed. */
bool vz_zip_is_hidden(const char *key);

#endif
