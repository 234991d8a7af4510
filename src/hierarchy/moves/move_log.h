/* move_log.h - the move history of a store as the store has it: a list in the root's annotation,
 * and journals. The list is [[number, old path, path now or null] ...], numbers rising. A
 * stored path finds its object by it: that of a reference, a link, a user of a committed type.
 *
 * Names change in the store at once, the list at a flush. So a change is announced in a journal
 * first, and after a kill the next writer reads the journals as entries, too. */
#ifndef VZ_MOVES_MOVE_LOG_H
#define VZ_MOVES_MOVE_LOG_H

#include "base/util/json.h"
#include "hierarchy/moves/moves.h"
#include "store/store/store.h"

/* Members of the root's annotation: the store holds references, so moves are logged; the list. */
#define VZ_ANNOTATION_REFERENCES "rf"
#define VZ_ANNOTATION_MOVES      "mv"

/* All zeros: nothing was loaded. Only move_log.c writes the members. */
typedef struct vz_move_log {
    vz_moves *moves;         /* NULL: to be loaded */
    vz_strmap *stored_names; /* "path of the group/segment" -> name, which only a journal knows;
                              * NULL: none */
    bool unwritten;          /* the root's annotation in memory lacks some moves */
    bool announced;          /* the root's document in the store says that moves are logged */
    bool stored;             /* that document has the whole log */
    uint64_t unconfirmed;    /* number of the move that the journal has as begun; 0: none */
} vz_move_log;

/* Reads the list in the root's annotation, and with `journals` what dead writers left in those.
 * *recovered: journals have moves that the list lacks. */
bool vz_move_log_load(vz_move_log *log, vz_store *store, const vz_json *annotation, bool journals, bool *recovered,
                      vz_error *err);
void vz_move_log_clear(vz_move_log *log); /* what was loaded, to be loaded anew */

/* A move, or a deletion (to NULL), happened; the list lacks it from now on. keeps_all: paths below
 * VZ_NOWHERE are in use. */
bool vz_move_log_append(vz_move_log *log, const char *from, const char *to, bool keeps_all, vz_error *err);

/* Puts the list into the root's annotation, without moves that nothing needs. */
bool vz_move_log_annotate(vz_move_log *log, vz_json *annotation, vz_error *err);

/* The root's document was read or written; is the log announced in it? */
void vz_move_log_in_document(vz_move_log *log, bool announced);

/* Journals: the next move begins, given the keys that say afterwards whether it happened; the last
 * one that was appended did. */
bool vz_move_log_journal(vz_move_log *log, vz_store *store, const char *from, const char *to, const char *from_key,
                         const char *to_key, vz_error *err);
bool vz_move_log_journal_done(vz_move_log *log, vz_store *store, vz_error *err);

/* ---- stored paths (stored_path.c) ---- */

/* The number to store with a path: that of the last move, if an object at the path was moved or
 * deleted before; else 0. */
bool vz_moves_since(const vz_moves *moves, const char *path, uint64_t *since, vz_error *err);

/* A path and its number in one text: heap. Where such a text leads now: heap, below VZ_NOWHERE if
 * the object was deleted. */
char *vz_moves_stored_path(const vz_moves *moves, const char *path, vz_error *err);
char *vz_moves_path_of_stored(const vz_moves *moves, const char *stored, vz_error *err);

/* Divides a decoded text into number and path, which is borrowed. */
uint64_t vz_move_log_number_before(char *text, char **path);

#endif
