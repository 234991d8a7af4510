/* ref.c - which snapshot a reference means. In format version 2 the file `repo` has all of them, in
 * version 1 each is a file of its own. */
#include "base/util/json.h"
#include "store/icechunk/icechunk_internal.h"
#include "store/store/prefetch.h"
#include <stdio.h>
#include <stdlib.h>

#define MAIN         "@branch.main"
#define MAIN_FILE    "refs/branch.main/ref.json"
#define PREFIX       "url_prefix" /* a member of containers */
#define REF_SIZE_MAX 4096         /* bytes of a reference in version 1 */
#define REF_NAME_MAX 256          /* bytes of a name of a branch or tag */

/* ---- words ---- */

typedef struct wanted {
    const char *kind; /* "branch", "tag"; NULL: the name is a snapshot's id */
    const char *name;
} wanted;

static bool starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool parse(const char *text, wanted *w, vz_error *err)
{
    const char *word = *text == '@' ? text + 1 : text;
    *w = (wanted){.name = word};
    if (starts(word, "branch."))
        *w = (wanted){.kind = "branch", .name = word + 7};
    else if (starts(word, "tag."))
        *w = (wanted){.kind = "tag", .name = word + 4};
    if (*text == '@' && *w->name && strlen(w->name) < REF_NAME_MAX && !strchr(w->name, '/'))
        return true;
    return vz_fail(err, VZ_INVALID, "\"%.100s\" names no snapshot: @branch.NAME, @tag.NAME and @SNAPSHOT do", text);
}

/* ---- names that there are, for messages ---- */

typedef struct listed {
    vz_buffer text;
    size_t count;
    bool is_unknown; /* the store cannot be listed */
} listed;

static void list_name(listed *t, const char *name, size_t length)
{
    if (!name || !vz_utf8_valid(name, length))
        return;
    if (t->count++ < VZ_ICECHUNK_TOLD_MAX)
        vz_buffer_printf(&t->text, NULL, "%s%.*s", t->count > 1 ? ", " : "", (int)(length < 40 ? length : 40), name);
}

static bool fail_missing(const wanted *w, listed *t, vz_error *err)
{
    const size_t more = t->count > VZ_ICECHUNK_TOLD_MAX ? t->count - VZ_ICECHUNK_TOLD_MAX : 0;
    char others[40] = "";
    if (more)
        snprintf(others, sizeof others, " and %zu more", more);
    if (t->is_unknown)
        vz_error_set(err, VZ_NOT_FOUND, "there is no %s \"%.60s\"", w->kind, w->name);
    else if (t->count == 0)
        vz_error_set(err, VZ_NOT_FOUND, "there is no %s \"%.60s\", nor any other one", w->kind, w->name);
    else
        vz_error_set(err, VZ_NOT_FOUND, "there is no %s \"%.60s\": there %s %.*s%s", w->kind, w->name,
                     t->count == 1 ? "is" : "are", (int)t->text.size, (const char *)t->text.data, others);
    vz_buffer_clear(&t->text);
    return false;
}

/* ---- version 2 ---- */

static const vz_icechunk_flat_field repo_tags = {"tags", 1, 4}, repo_branches = {"branches", 2, 4},
                                    repo_snapshots = {"snapshots", 4, 4}, repo_status = {"status", 5, 4},
                                    status_availability = {"availability", 0, 1}, status_reason = {"reason", 2, 1},
                                    ref_name = {"name", 0, 1}, ref_snapshot = {"snapshot_index", 1, 4},
                                    snapshot_id = {"id", 0, VZ_ICECHUNK_ID_SIZE};

#define OFFLINE 2

static bool check_online(vz_icechunk_flat *flat, const vz_icechunk_flat_table *repo, vz_error *err)
{
    const vz_icechunk_flat_table status = vz_icechunk_flat_child(flat, repo, &repo_status);
    if (vz_icechunk_flat_number(flat, &status, &status_availability, 0) < OFFLINE)
        return true;
    vz_bytes reason = vz_icechunk_flat_bytes(flat, &status, &status_reason);
    if (reason.data && !vz_utf8_valid(reason.data, reason.size))
        reason = (vz_bytes){0};
    return vz_fail(err, VZ_PERMISSION, "the repository is offline, as its owner said%s%.*s", reason.size ? ": " : "",
                   (int)(reason.size < 200 ? reason.size : 200), reason.data ? (const char *)reason.data : "");
}

static bool take_indexed(vz_icechunk_flat *flat, const vz_icechunk_flat_vector *snapshots, uint64_t index, uint8_t *id,
                         vz_error *err)
{
    if (index >= snapshots->count)
        return vz_fail(err, VZ_CORRUPT, "damaged data: the reference means snapshot %llu of %u",
                       (unsigned long long)index, snapshots->count);
    const vz_icechunk_flat_table info = vz_icechunk_flat_item(flat, snapshots, (uint32_t)index);
    const uint8_t *found = vz_icechunk_flat_struct(flat, &info, &snapshot_id);
    if (found)
        memcpy(id, found, VZ_ICECHUNK_ID_SIZE);
    return found || vz_fail(err, VZ_CORRUPT, "damaged data: a snapshot without an id");
}

static bool find_name(vz_icechunk_flat *flat, const vz_icechunk_flat_vector *refs,
                      const vz_icechunk_flat_vector *snapshots, const wanted *w, uint8_t *id, vz_error *err)
{
    listed t = {0};
    for (uint32_t i = 0; i < refs->count && !flat->wrong; i++) {
        const vz_icechunk_flat_table ref = vz_icechunk_flat_item(flat, refs, i);
        const vz_bytes name = vz_icechunk_flat_bytes(flat, &ref, &ref_name);
        if (name.size == strlen(w->name) && memcmp(name.data, w->name, name.size) == 0) {
            vz_buffer_clear(&t.text);
            return take_indexed(flat, snapshots, vz_icechunk_flat_number(flat, &ref, &ref_snapshot, 0), id, err);
        }
        list_name(&t, (const char *)name.data, name.size);
    }
    return fail_missing(w, &t, err);
}

/* A snapshot that expired is in no list any more. */
static bool find_listed(vz_icechunk_flat *flat, const vz_icechunk_flat_vector *snapshots, const uint8_t *id,
                        vz_error *err)
{
    for (uint32_t i = 0; i < snapshots->count && !flat->wrong; i++) {
        const vz_icechunk_flat_table info = vz_icechunk_flat_item(flat, snapshots, i);
        const uint8_t *found = vz_icechunk_flat_struct(flat, &info, &snapshot_id);
        if (found && memcmp(found, id, VZ_ICECHUNK_ID_SIZE) == 0)
            return true;
    }
    return vz_fail(err, VZ_NOT_FOUND, "there is no such snapshot: it expired, or never was");
}

static bool find_in_repo(const vz_buffer *content, const wanted *w, uint8_t *id, vz_error *err)
{
    vz_icechunk_flat flat = {.all = {content->data, content->size}};
    vz_error why = VZ_ERROR_NONE;
    const vz_icechunk_flat_table repo = vz_icechunk_flat_root(&flat);
    const vz_icechunk_flat_vector snapshots = vz_icechunk_flat_items(&flat, &repo, &repo_snapshots);
    const bool is_branch = w->kind && *w->kind == 'b';
    const vz_icechunk_flat_vector refs = vz_icechunk_flat_items(&flat, &repo, is_branch ? &repo_branches : &repo_tags);
    const bool ok = check_online(&flat, &repo, &why) && (w->kind ? find_name(&flat, &refs, &snapshots, w, id, &why)
                                                                 : find_listed(&flat, &snapshots, id, &why));
    if (flat.wrong)
        return vz_icechunk_fail_flat(&flat, err);
    if (!ok && err)
        *err = why;
    return ok;
}

/* ---- version 1 ---- */

static bool take_ref_file(vz_bytes text, uint8_t *id, vz_error *err)
{
    vz_json *json = vz_json_parse((const char *)text.data, text.size, err);
    const char *snapshot = vz_json_get_text(json, "snapshot");
    const bool ok = json && ((snapshot && vz_icechunk_id_parse(snapshot, strlen(snapshot), id)) ||
                             vz_fail(err, VZ_CORRUPT, "a reference without a snapshot"));
    vz_json_free(json);
    return ok;
}

/* "refs/branch.main", and so on. A deleted tag leaves its file, a deleted branch its directory. Of
 * those that are not listed, it is not looked at. */
static void list_names(vz_store *below, const char *kind, listed *t)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    const size_t length = strlen(kind);
    t->is_unknown = !(below->capabilities & VZ_STORE_LIST) || !vz_store_list(below, "refs", &entries, &count, NULL);
    for (size_t i = 0; i < count; i++) {
        char key[2 * REF_NAME_MAX];
        bool is_deleted = false, is_there = true;
        const char *name = entries[i].name;
        if (strncmp(name, kind, length) != 0 || name[length] != '.' || strlen(name) >= REF_NAME_MAX)
            continue;
        snprintf(key, sizeof key, "refs/%s/ref.json.deleted", name);
        if (t->count < VZ_ICECHUNK_TOLD_MAX && vz_store_has(below, key, &is_deleted, NULL)) {
            snprintf(key, sizeof key, "refs/%s/ref.json", name);
            vz_store_has(below, key, &is_there, NULL);
        }
        if (is_there && !is_deleted)
            list_name(t, name + length + 1, strlen(name + length + 1));
    }
    vz_entries_free(entries, count);
}

static bool find_in_refs(vz_store *below, const wanted *w, uint8_t *id, vz_error *err)
{
    char key[2 * REF_NAME_MAX];
    vz_buffer text = {.limit = REF_SIZE_MAX};
    vz_version version;
    bool is_deleted = false, found = false;
    if (!w->kind)
        return true;
    snprintf(key, sizeof key, "refs/%s.%s/ref.json.deleted", w->kind, w->name);
    bool ok = *w->kind == 'b' || vz_store_has(below, key, &is_deleted, err);
    snprintf(key, sizeof key, "refs/%s.%s/ref.json", w->kind, w->name);
    ok = ok && (is_deleted || vz_store_take_prefetched(below, key, &text, &found, &version) ||
                vz_store_get(below, key, VZ_WHOLE, &text, &found, err));
    if (ok && found) {
        vz_error why = VZ_ERROR_NONE;
        ok = take_ref_file((vz_bytes){text.data, text.size}, id, &why) || vz_icechunk_fail_in(key, &why, err);
    } else if (ok) {
        listed t = {0};
        list_names(below, w->kind, &t);
        ok = fail_missing(w, &t, err);
    }
    vz_buffer_clear(&text);
    return ok;
}

/* ---- either ---- */

/* The settings of a repository name the prefix of each container. */
bool vz_icechunk_has_containers(vz_store *below)
{
    static const char *const keys[] = {"repo", "config.yaml"};
    bool has = false;
    for (size_t i = 0; i < 2 && !has; i++) {
        vz_buffer content = {.limit = VZ_ICECHUNK_FILE_MAX};
        bool found = false;
        if (i == 0)
            vz_icechunk_file_read(below, keys[i], VZ_ICECHUNK_REPO, &content, NULL);
        else if (!vz_store_get(below, keys[i], VZ_WHOLE, &content, &found, NULL))
            has = true;
        has = has || (content.size && memmem(content.data, content.size, PREFIX, sizeof PREFIX - 1));
        vz_buffer_clear(&content);
    }
    return has;
}

/* *is_there: the file `repo` is one of Icechunk's. A directory of that name is none. A server is
 * asked for the file itself, as some refuse questions about a value that they give. */
static bool has_repo(vz_store *below, bool *is_there, vz_error *err)
{
    static const char *const repo = "repo";
    vz_stamp stamp = {0};
    vz_buffer start = {0};
    const vz_range range = {.kind = VZ_RANGE_AT, .size = VZ_ICECHUNK_HEADER_SIZE};
    bool found = false;
    vz_bytes known;
    *is_there = false;
    if (!(below->capabilities & VZ_STORE_CHEAP) && !vz_store_has_prefetched(below, repo, &found, &known) &&
        !vz_store_read_first(below, &repo, 1, VZ_ICECHUNK_FILE_MAX, err))
        return false;
    if (vz_store_has_prefetched(below, repo, &found, &known)) {
        *is_there = found && vz_icechunk_file_is(known);
        return true;
    }
    if (!vz_store_stat(below, repo, &stamp, err))
        return false;
    if (!stamp.exists || stamp.size < VZ_ICECHUNK_HEADER_SIZE)
        return true;
    const bool ok = vz_store_get(below, repo, range, &start, &found, err);
    *is_there = ok && found && vz_icechunk_file_is((vz_bytes){start.data, start.size});
    vz_buffer_clear(&start);
    return ok;
}

/* Both files in one round trip. */
static bool look_at_once(vz_store *below, bool *is_it, vz_error *err)
{
    static const char *const keys[] = {"repo", MAIN_FILE};
    if (!vz_store_read_first(below, keys, 2, VZ_ICECHUNK_FILE_MAX, err))
        return false;
    *is_it = false;
    for (size_t i = 0; i < 2 && !*is_it; i++) {
        bool found;
        vz_bytes bytes;
        *is_it =
            vz_store_has_prefetched(below, keys[i], &found, &bytes) && found && (i == 1 || vz_icechunk_file_is(bytes));
    }
    return true;
}

bool vz_icechunk_is(vz_store *below, bool *is_it, vz_error *err)
{
    if (!(below->capabilities & VZ_STORE_CHEAP))
        return look_at_once(below, is_it, err);
    return has_repo(below, is_it, err) && (*is_it || vz_store_has(below, MAIN_FILE, is_it, err));
}

bool vz_icechunk_ref_find(vz_store *below, const char *which, vz_icechunk_ref *ref, vz_error *err)
{
    wanted w;
    vz_buffer content = {0};
    bool is_there = false;
    *ref = (vz_icechunk_ref){.text = strdup(*which ? which : MAIN)};
    if (!ref->text)
        return vz_fail_memory(err);
    if (!parse(ref->text, &w, err))
        return false;
    if (!w.kind && !vz_icechunk_id_parse(w.name, strlen(w.name), ref->id))
        return vz_fail(err, VZ_INVALID, "\"%.100s\" is no id of a snapshot, nor @branch.NAME or @tag.NAME", ref->text);
    if (!has_repo(below, &is_there, err))
        return false;
    const bool ok = !is_there ? find_in_refs(below, &w, ref->id, err)
                              : vz_icechunk_file_read(below, "repo", VZ_ICECHUNK_REPO, &content, err) &&
                                    find_in_repo(&content, &w, ref->id, err);
    vz_buffer_clear(&content);
    return ok;
}

void vz_icechunk_ref_clear(vz_icechunk_ref *ref)
{
    free(ref->text);
    *ref = (vz_icechunk_ref){0};
}
