/* journal.c - a file in the staging area of a writing store, to which a line is added before
 * names change. Documents tell of such changes later, at a flush; until then whoever opens the
 * store reads them here. It goes with the staging area, and what a dead writer left stays until
 * the next one has it in the documents. */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "store/directory/staging_internal.h"
#include <errno.h>
#include <stdio.h>

#define JOURNAL_MAX  ((uint64_t)256 << 20) /* bytes */
#define JOURNAL_LONG ((uint64_t)64 << 20)  /* the same of one that begins anew when it can */

/* ---- writing ---- */

static bool open_journal(vz_staging *staging, vz_store *inner, vz_error *err)
{
    if (staging->journal >= 0)
        return true;
    staging->journal = vz_os_create_at(vz_directory_of(inner)->root, VZ_JOURNAL_NAME, O_WRONLY | O_NOFOLLOW, 0666);
    return staging->journal >= 0 || vz_fail_errno(err, errno, "cannot make the store's journal");
}

/* A longer one would keep everybody out. */
static bool has_room(const vz_staging *staging, size_t size, vz_error *err)
{
    return staging->journal_size + size <= JOURNAL_MAX ||
           vz_fail(err, VZ_LIMIT, "more moves and deletions since the last flush than %llu bytes tell: flush the file",
                   (unsigned long long)JOURNAL_MAX);
}

bool vz_store_journal_add(vz_store *store, const char *line, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_staging *staging = store->staging;
    if (!staging || store->repeats)
        return true;
    vz_store *inner = vz_staging_store(staging, &failed);
    if (!inner && failed.class == VZ_PERMISSION) /* who may not write in the root may be allowed to
                                                  * below */
        return true;
    vz_buffer text = {0};
    bool ok = inner ? open_journal(staging, inner, err) : vz_fail(err, failed.class, "%s", failed.text);
    ok = ok && vz_buffer_printf(&text, err, "%s\n", line) && has_room(staging, text.size, err) &&
         vz_os_file_write(staging->journal, staging->journal_size, text.data, text.size, err);
    if (ok && store->durable && vz_os_fsync(staging->journal) != 0)
        ok = vz_fail_errno(err, errno, "cannot write the store's journal");
    if (ok)
        staging->journal_size += text.size; /* half a line is written over */
    else
        vz_error_where(err, store->path, VZ_JOURNAL_NAME);
    vz_buffer_clear(&text);
    return ok;
}

void vz_store_journal_renew(vz_store *store)
{
    vz_staging *staging = store->staging;
    if (!staging || staging->journal < 0 || staging->journal_size < JOURNAL_LONG ||
        (store->durable && !vz_store_sync(store, NULL)))
        return;
    if (vz_os_ftruncate(staging->journal, 0) == 0)
        staging->journal_size = 0;
}

void vz_store_journal_keep(vz_store *store)
{
    if (store->staging)
        store->staging->keeps_journal = true;
}

/* ---- reading ---- */

typedef struct reading {
    vz_store *store;
    struct stat root;
    vz_journal_visit visit;
    void *context;
    bool ok;
    vz_error *err;
} reading;

/* A line without its end was never finished, and what it tells of never begun. */
static bool read_lines(const reading *r, char *text)
{
    char *line = text, *end;
    bool ok = true;
    while (ok && (end = strchr(line, '\n'))) {
        *end = '\0';
        ok = r->visit(r->context, line, !strchr(end + 1, '\n'), r->err);
        line = end + 1;
    }
    return ok;
}

/* Its writer closed the store meanwhile: documents have what it reported. */
static bool is_gone(int sys_errno)
{
    return sys_errno == ENOENT || sys_errno == ESTALE;
}

static bool read_journal(const reading *r, int file)
{
    vz_buffer text = {0};
    vz_error failed = VZ_ERROR_NONE;
    bool ok = vz_os_file_read_text(file, JOURNAL_MAX, &text, &failed);
    if (ok)
        ok = read_lines(r, (char *)text.data);
    else if (is_gone(failed.sys_errno))
        ok = true;
    else if (r->err && r->err->class == VZ_OK)
        *r->err = failed;
    vz_buffer_clear(&text);
    return ok;
}

static bool read_in(const reading *r, int directory)
{
    const int file = vz_os_open_at(directory, VZ_JOURNAL_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return is_gone(errno) || vz_fail_errno(r->err, errno, "cannot open the journal of what moved");
    const bool ok = read_journal(r, file);
    vz_os_close(file);
    return ok;
}

/* A directory that cannot be opened may be another user's, or no staging area at all. */
static bool pass_over(const reading *r, int parent, const char *name, int sys_errno)
{
    struct stat status;
    if (is_gone(sys_errno) || sys_errno == ENOTDIR || sys_errno == ELOOP)
        return true;
    if (sys_errno == EACCES && (vz_os_lstat_at(parent, name, &status) != 0 || !vz_staging_is_owned(&r->root, &status)))
        return true;
    return vz_fail_errno(r->err, sys_errno, "cannot look for the journal of what moved");
}

static bool read_if_trusted(const reading *r, int directory)
{
    struct stat status;
    if (vz_os_fstat(directory, &status) != 0)
        return vz_fail_errno(r->err, errno, "cannot look for the journal of what moved");
    return !vz_staging_is_owned(&r->root, &status) || read_in(r, directory);
}

static bool read_staging(void *context, int parent, const char *name)
{
    char path[NAME_MAX + sizeof VZ_JOURNAL_NAME + 2];
    reading *r = context;
    if (!r->ok)
        return false;
    const int directory = vz_os_open_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const int sys_errno = directory < 0 ? errno : 0;
    r->ok = directory < 0 ? pass_over(r, parent, name, sys_errno) : read_if_trusted(r, directory);
    if (directory >= 0)
        vz_os_close(directory);
    if (!r->ok) {
        snprintf(path, sizeof path, "%s/" VZ_JOURNAL_NAME, name);
        vz_error_where(r->err, r->store->path, path);
    }
    return sys_errno != ENOENT;
}

bool vz_store_journals(vz_store *store, vz_journal_visit visit, void *context, vz_error *err)
{
    if (strcmp(store->class->kind, "directory") != 0)
        return true;
    reading r = {.store = store, .visit = visit, .context = context, .ok = true, .err = err};
    const bool all =
        vz_os_fstat(vz_directory_of(store)->root, &r.root) == 0 && vz_staging_each(store, read_staging, &r);
    if (all || !r.ok)
        return r.ok;
    vz_fail_errno(err, errno, "cannot look for the journals of what moved");
    vz_error_where(err, store->path, NULL);
    return false;
}

/* ---- what dead writers left ---- */

bool vz_store_has_journals(vz_store *store)
{
    return store->staging && vz_strmap_count(store->staging->journals) && !store->staging->journals_done;
}

void vz_store_journals_done(vz_store *store)
{
    if (!vz_store_has_journals(store))
        return;
    store->staging->journals_done = true;
    vz_staging_sweep(store->staging);
}
