/* move_log.c - loads the move log, adds to it, prints it, and keeps the journal. */
#include "hierarchy/moves/move_log_internal.h"
#include "hierarchy/moves/moves_internal.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- loading ---- */

static vz_moves *make_moves(const vz_move_entries *entries, vz_error *err)
{
    vz_moves *moves = vz_moves_new(err);
    for (size_t i = 0; moves && i < entries->count; i++)
        if (!vz_moves_add(moves, entries->all[i].number, entries->all[i].from, entries->all[i].to, err)) {
            vz_moves_free(moves);
            moves = NULL;
        }
    return moves;
}

/* `group` is the path of the group now, of that length. */
static bool put_stored_name(vz_move_log *log, const char *group, size_t length, const vz_move_entry *entry,
                            vz_error *err)
{
    char *key = NULL, *name = strdup(strrchr(entry->to, '/') + 1), *old = NULL;
    bool ok = name && asprintf(&key, "%.*s/%s", (int)length, group, entry->segment) >= 0;
    ok = (ok && (log->stored_names || (log->stored_names = vz_strmap_new()))) || vz_fail_memory(err);
    if (ok) {
        old = vz_strmap_get(log->stored_names, key);
        ok = vz_strmap_put(log->stored_names, key, name, err);
    }
    free(ok ? old : name);
    free(key);
    return ok;
}

static bool know_stored_name(vz_move_log *log, const vz_moves *moves, const vz_move_entry *entry, vz_error *err)
{
    char *now = vz_moves_follow(moves, entry->to, entry->number, err);
    const char *slash = now ? strrchr(now, '/') : NULL;
    bool ok = now != NULL;
    if (slash && strcmp(slash, strrchr(entry->to, '/')) == 0)
        ok = put_stored_name(log, now, (size_t)(slash - now), entry, err);
    free(now);
    return ok;
}

static bool know_stored_names(vz_move_log *log, const vz_moves *moves, const vz_move_entries *entries, vz_error *err)
{
    for (size_t i = 0; i < entries->count; i++)
        if (entries->all[i].segment && !know_stored_name(log, moves, &entries->all[i], err))
            return false;
    return true;
}

bool vz_move_log_load(vz_move_log *log, vz_store *store, const vz_json *annotation, bool journals, bool *recovered,
                      vz_error *err)
{
    vz_move_entries entries = {0};
    bool ok = vz_move_entries_read(&entries, vz_json_get(annotation, VZ_ANNOTATION_MOVES), err);
    const size_t count = entries.count;
    ok = ok && (!journals || vz_move_entries_read_journals(&entries, store, err));
    vz_move_entries_sort(&entries);
    vz_moves *moves = ok ? make_moves(&entries, err) : NULL;
    *recovered = moves && entries.count > count;
    log->unwritten = log->unwritten || *recovered;
    if (moves && !know_stored_names(log, moves, &entries, err)) {
        vz_moves_free(moves);
        moves = NULL;
    }
    vz_move_entries_clear(&entries);
    log->moves = moves;
    return moves != NULL;
}

void vz_move_log_clear(vz_move_log *log)
{
    vz_moves_free(log->moves);
    log->moves = NULL;
    vz_strmap_free(log->stored_names, free);
    log->stored_names = NULL;
}

/* ---- the list ---- */

bool vz_move_log_append(vz_move_log *log, const char *from, const char *to, bool keeps_all, vz_error *err)
{
    log->unwritten = true;
    log->stored = false;
    log->unconfirmed = vz_moves_last(log->moves) + 1;
    vz_moves_keep(log->moves, keeps_all);
    return vz_moves_add(log->moves, log->unconfirmed, from, to, err);
}

bool vz_move_log_annotate(vz_move_log *log, vz_json *annotation, vz_error *err)
{
    size_t count;
    const vz_moves_record *all = vz_moves_all(log->moves, &count);
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = !all[i].is_needed ||
             vz_json_append(list, vz_move_entry_json(all[i].number, all[i].from, all[i].to, err), err);
    if (!ok) {
        vz_json_free(list);
        return false;
    }
    if (!vz_json_set(annotation, VZ_ANNOTATION_MOVES, list, err))
        return false;
    log->unwritten = false;
    return true;
}

void vz_move_log_in_document(vz_move_log *log, bool announced)
{
    log->announced = announced;
    log->stored = !log->unwritten;
}

/* ---- the journal ---- */

bool vz_move_log_journal(vz_move_log *log, vz_store *store, const char *from, const char *to, const char *from_key,
                         const char *to_key, vz_error *err)
{
    char *line = vz_move_entry_line(vz_moves_last(log->moves) + 1, from, to, from_key, to_key, err);
    const bool ok = line && vz_store_journal_add(store, line, err);
    free(line);
    return ok;
}

bool vz_move_log_journal_done(vz_move_log *log, vz_store *store, vz_error *err)
{
    if (!log->unconfirmed || !log->announced)
        return true;
    /* Synced, it must not reach the disk before what it tells of. */
    if (store->durable && !vz_store_sync(store, err))
        return false;
    char *line = vz_move_entry_line_done(log->unconfirmed, err);
    const bool ok = line && vz_store_journal_add(store, line, err);
    free(line);
    if (ok)
        log->unconfirmed = 0;
    return ok;
}
