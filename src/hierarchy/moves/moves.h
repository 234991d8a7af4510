/* moves.h - the move history: moves and deletions of a store in order, and where a path of any
 * moment leads now. It stands in memory. Adding and following cost time by the length of a path,
 * not by the number of moves. */
#ifndef VZ_MOVES_MOVES_H
#define VZ_MOVES_MOVES_H

#include "base/util/bytes.h"
#include "base/util/hash.h"

#define VZ_NOWHERE "/./" /* nothing is below: no link is called "." */

typedef struct vz_moves vz_moves;

vz_moves *vz_moves_new(vz_error *err);
void vz_moves_free(vz_moves *moves); /* NULL is fine */
/* Adds a move of the object at `from` to `to`; NULL: it was deleted. `from` below VZ_NOWHERE: a
 * deleted object comes back. Numbers never fall. */
bool vz_moves_add(vz_moves *moves, uint64_t number, const char *from, const char *to, vz_error *err);
uint64_t vz_moves_last(const vz_moves *moves); /* the largest number; 0: there are none */
/* Where the path of a moment leads now. `since`: number of the last move before that moment. A
 * deleted object is below VZ_NOWHERE. Heap; NULL: out of memory. */
char *vz_moves_follow(const vz_moves *moves, const char *path, uint64_t since, vz_error *err);
bool vz_moves_is_nowhere(const char *path); /* is it below VZ_NOWHERE? */
/* The path that the object of a path below VZ_NOWHERE had. Borrowed from `path`. */
const char *vz_moves_path_before_deletion(const char *path);

/* A move. Paths lead to the right place without a move whose `is_needed` is false. */
typedef struct vz_moves_record {
    uint64_t number;
    char *from, *to; /* to NULL: deleted */
    bool is_needed;
} vz_moves_record;
const vz_moves_record *vz_moves_all(const vz_moves *moves, size_t *count);

/* -- Token paths --
 * numbers for paths (token_paths.c), valid for the life of the process. A tree of names per
 * store holds them: a rename carries a subtree along, a deletion retires one. Numbers are never
 * used twice. The tree is state of the module instance and knows no nodes. */
/* Tokens are multiples of this: src/hdf5/native puts an object header of its own at such an
 * address. */
#define VZ_TOKEN_STEP  512
#define VZ_TOKEN_FIRST ((uint64_t)1 << 40) /* smaller numbers are addresses in HDF5 files */

typedef struct vz_moves_token_entry {
    uint64_t token; /* 0: none was made */
    uint64_t identity;
    struct vz_moves_token_entry *above; /* NULL: a store's root */
    char *name;
    vz_strmap *below; /* by their names; NULL: nothing */
} vz_moves_token_entry;

/* The entry at "/a/b" of the store with that identity. NULL: there is none, or with `make` no
 * memory. Borrowed until the path, or one above it, is retired or moved. */
vz_moves_token_entry *vz_moves_token_at(uint64_t identity, const char *path, bool make, vz_error *err);

/* The number of a path, made if it has none; 0 with err set when out of memory. */
uint64_t vz_moves_token_of_path(uint64_t identity, const char *path, vz_error *err);

/* The number of a name below an entry, made if it has none; 0 with err set when out of memory. */
uint64_t vz_moves_token_below(vz_moves_token_entry *above, const char *name, vz_error *err);

/* The path of an entry: heap, NULL when out of memory. */
char *vz_moves_token_path(const vz_moves_token_entry *entry, vz_error *err);

/* The entry gets this number, which was handed out before; its old number is retired. */
/* Grows when a number that was given leads to another path, or to none; never for a new one. */
uint64_t vz_moves_token_changes(void);
void vz_moves_token_take(vz_moves_token_entry *entry, uint64_t token);
/* with all below: the numbers lead nowhere */
void vz_moves_tokens_retire(uint64_t identity, const char *path);

/* Moves a subtree; numbers at `to` are retired. Out of memory: those that moved are, too. */
void vz_moves_tokens_move(uint64_t identity, const char *from, const char *to);
void vz_moves_tokens_forget(uint64_t identity); /* the store was emptied or removed */

/* A number for an object without a path: the first one from the hash on that was never handed
 * out. 0 + err when out of memory. */
uint64_t vz_moves_token_new(uint64_t hash, vz_error *err);

/* Was the number handed out? *entry: where it is now; NULL: nowhere. */
bool vz_moves_token_find(uint64_t token, vz_moves_token_entry **entry);

#endif
