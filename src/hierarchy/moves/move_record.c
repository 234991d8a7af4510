/* move_record.c - see move_log.h. A line of a journal is "[number, old path, path now, key, key
 * now]", written before the change; "[number]" says that it happened. So does the next line with
 * another number; with the same number it says that the change failed. Of a last line the store
 * tells. After a power failure it may lack the changes of lines before, too: names reach the
 * disk in their order, but a synced journal sooner. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/moves/move_log_internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void entry_clear(vz_move_entry *entry)
{
    free(entry->from);
    free(entry->to);
    free(entry->segment);
    *entry = (vz_move_entry){0};
}

void vz_move_entries_clear(vz_move_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        entry_clear(&entries->all[i]);
    free(entries->all);
    *entries = (vz_move_entries){0};
}

/* False only for want of memory; entry->from NULL: it is none. */
static bool parse_entry(const vz_json *item, vz_move_entry *entry, vz_error *err)
{
    const char *from = vz_json_get_string(vz_json_at(item, 1), NULL);
    const char *to = vz_json_get_string(vz_json_at(item, 2), NULL);
    *entry = (vz_move_entry){0};
    if (!from || !vz_json_get_uint64(vz_json_at(item, 0), &entry->number) || entry->number == UINT64_MAX)
        return true;
    entry->from = vz_text_to_path(from, err);
    entry->to = to ? vz_text_to_path(to, err) : NULL;
    if (!entry->from || (to && !entry->to)) {
        entry_clear(entry);
        return false;
    }
    if (*entry->from != '/')
        entry_clear(entry);
    return true;
}

/* Takes the entry. */
static bool append(vz_move_entries *entries, vz_move_entry *entry, vz_error *err)
{
    if (entries->count == entries->capacity) {
        const size_t capacity = entries->capacity ? 2 * entries->capacity : 16;
        vz_move_entry *all = realloc(entries->all, capacity * sizeof *all);
        if (!all) {
            entry_clear(entry);
            return vz_fail_memory(err);
        }
        entries->all = all;
        entries->capacity = capacity;
    }
    entry->place = entries->count;
    entries->all[entries->count++] = *entry;
    *entry = (vz_move_entry){0};
    return true;
}

bool vz_move_entries_read(vz_move_entries *entries, const vz_json *list, vz_error *err)
{
    vz_move_entry entry;
    for (size_t i = 0; i < vz_json_length(list); i++)
        if (!parse_entry(vz_json_at(list, i), &entry, err) || (entry.from && !append(entries, &entry, err)))
            return false;
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const vz_move_entry *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

void vz_move_entries_sort(vz_move_entries *entries)
{
    if (entries->count)
        qsort(entries->all, entries->count, sizeof *entries->all, compare_entries);
}

/* ---- journals ---- */

struct pending;

typedef struct journal {
    vz_store *store;
    vz_move_entries *entries;
    vz_strmap *known;        /* texts of the entries that documents have */
    struct pending *pending; /* lines that nothing confirms; the last of them may not have
                              * happened */
    size_t count, capacity;
} journal;

typedef struct pending {
    vz_move_entry entry;
    char *from_key, *to_key; /* heap, as paths; to_key NULL: deleted */
} pending;

static bool put_text(const vz_move_entry *entry, vz_buffer *text, vz_error *err)
{
    text->size = 0;
    return vz_buffer_printf(text, err, "%" PRIu64 "%s%s%s", entry->number, entry->from, entry->to ? "//" : "",
                            entry->to ? entry->to : "") &&
           vz_buffer_append(text, "", 1, err);
}

static bool know_all(journal *j, vz_error *err)
{
    vz_buffer text = {0};
    bool ok = (j->known = vz_strmap_new()) || vz_fail_memory(err);
    for (size_t i = 0; ok && i < j->entries->count; i++)
        ok = put_text(&j->entries->all[i], &text, err) && vz_strmap_put(j->known, (const char *)text.data, j, err);
    vz_buffer_clear(&text);
    return ok;
}

static void pending_clear(pending *p)
{
    entry_clear(&p->entry);
    free(p->from_key);
    free(p->to_key);
    *p = (pending){0};
}

static void drop_pending(journal *j, size_t count)
{
    while (j->count > count)
        pending_clear(&j->pending[--j->count]);
}

/* The move of the line happened. */
static bool take(journal *j, vz_move_entry *entry, vz_error *err)
{
    vz_buffer text = {0};
    bool ok = (j->known || know_all(j, err)) && put_text(entry, &text, err);
    if (ok && vz_strmap_get(j->known, (const char *)text.data))
        entry_clear(entry);
    else
        ok = ok && append(j->entries, entry, err);
    vz_buffer_clear(&text);
    return ok;
}

static bool take_pending(journal *j, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < j->count; i++)
        ok = take(j, &j->pending[i].entry, err);
    drop_pending(j, 0);
    return ok;
}

static bool exists(const journal *j, const char *path)
{
    vz_store_key_kind kind = VZ_STORE_NOTHING;
    return path && *path == '/' && path[1] && vz_store_look(j->store, path + 1, &kind, NULL) &&
           kind != VZ_STORE_NOTHING;
}

static bool happened(const journal *j, const pending *p)
{
    return !exists(j, p->from_key) && (!p->to_key || exists(j, p->to_key));
}

/* Of a line before those that did not happen: what it brought to its place would still be there. */
static bool was_lost(const journal *j, const pending *p)
{
    return exists(j, p->from_key) && !exists(j, p->to_key);
}

/* At the journal's end: which of the last lines did not happen. */
static bool decide(journal *j, vz_error *err)
{
    size_t count = j->count;
    if (count > 0 && !happened(j, &j->pending[count - 1])) {
        count--;
        while (count > 0 && was_lost(j, &j->pending[count - 1]))
            count--;
    }
    drop_pending(j, count);
    return take_pending(j, err);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The links of a group tell how the store spells a name, but maybe not yet. */
static bool read_stored_name(vz_move_entry *entry, const vz_json *item, vz_error *err)
{
    const char *text = vz_json_get_string(vz_json_at(item, 4), NULL);
    char *key = text && entry->to ? vz_text_to_path(text, err) : NULL;
    if (key && strcmp(last_part(key), last_part(entry->to)) != 0 && !(entry->segment = strdup(last_part(key))))
        vz_fail_memory(err);
    free(key);
    return !err || err->class == VZ_OK;
}

/* Keys are stored as paths. */
static bool read_key(const vz_json *path, char **key, vz_error *err)
{
    const char *text = vz_json_get_string(path, NULL);
    return !text || (*key = vz_text_to_path(text, err));
}

static bool add_pending(journal *j, const vz_json *item, vz_error *err)
{
    if (j->count == j->capacity) {
        const size_t capacity = j->capacity ? 2 * j->capacity : 16;
        pending *grown = realloc(j->pending, capacity * sizeof *grown);
        if (!grown)
            return vz_fail_memory(err);
        j->pending = grown;
        j->capacity = capacity;
    }
    pending p = {.from_key = NULL};
    if (parse_entry(item, &p.entry, err) && read_stored_name(&p.entry, item, err) &&
        read_key(vz_json_at(item, 3), &p.from_key, err) && read_key(vz_json_at(item, 4), &p.to_key, err)) {
        if (p.entry.from)
            j->pending[j->count++] = p;
        else
            pending_clear(&p);
        return true;
    }
    pending_clear(&p);
    return false;
}

static bool read_line(journal *j, const vz_json *item, vz_error *err)
{
    uint64_t number = 0;
    const bool is_note = vz_json_length(item) > 1;
    vz_json_get_uint64(vz_json_at(item, 0), &number);
    const bool same = j->count > 0 && j->pending[j->count - 1].entry.number == number;
    if (is_note && same)
        drop_pending(j, j->count - 1); /* it failed */
    if (is_note)
        return add_pending(j, item, err);
    if (!same && j->count > 0)
        drop_pending(j, j->count - 1);
    return take_pending(j, err);
}

static bool visit_line(void *context, const char *line, bool is_last, vz_error *err)
{
    journal *j = context;
    vz_error failed = VZ_ERROR_NONE;
    vz_json *item = vz_json_parse(line, strlen(line), &failed);
    const bool ok = item ? read_line(j, item, err) : failed.class != VZ_NO_MEMORY || vz_fail_memory(err);
    vz_json_free(item);
    return ok && (!is_last || decide(j, err));
}

bool vz_move_entries_read_journals(vz_move_entries *entries, vz_store *store, vz_error *err)
{
    journal j = {.store = store, .entries = entries};
    const bool ok = vz_store_journals(store, visit_line, &j, err);
    drop_pending(&j, 0);
    free(j.pending);
    vz_strmap_free(j.known, NULL);
    return ok;
}

/* ---- printing ---- */

vz_json *vz_move_entry_json(uint64_t number, const char *from, const char *to, vz_error *err)
{
    vz_json *item = vz_json_array(err);
    if (item && vz_json_append(item, vz_json_uint64(number, err), err) &&
        vz_json_append(item, vz_text_json_of_path(from, err), err) &&
        vz_json_append(item, to ? vz_text_json_of_path(to, err) : vz_json_null(err), err))
        return item;
    vz_json_free(item);
    return NULL;
}

static char *print_line(const vz_json *item, vz_error *err)
{
    vz_buffer text = {0};
    if (vz_json_print(item, 0, &text, err) && vz_buffer_append(&text, "", 1, err))
        return (char *)text.data;
    vz_buffer_clear(&text);
    return NULL;
}

static bool append_key(vz_json *item, const char *key, vz_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "/%s", key) < 0)
        return vz_fail_memory(err);
    const bool ok = vz_json_append(item, vz_text_json_of_path(path, err), err);
    free(path);
    return ok;
}

char *vz_move_entry_line(uint64_t number, const char *from, const char *to, const char *from_key, const char *to_key,
                         vz_error *err)
{
    vz_json *item = vz_move_entry_json(number, from, to, err);
    const bool ok = item && append_key(item, from_key, err) && (!to_key || append_key(item, to_key, err));
    char *line = ok ? print_line(item, err) : NULL;
    vz_json_free(item);
    return line;
}

char *vz_move_entry_line_done(uint64_t number, vz_error *err)
{
    vz_json *item = vz_json_array(err);
    char *line = item && vz_json_append(item, vz_json_uint64(number, err), err) ? print_line(item, err) : NULL;
    vz_json_free(item);
    return line;
}
