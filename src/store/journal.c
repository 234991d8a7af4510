/* journal.c - a file in the stage of a writing store, to which a line is added before names change. Documents tell of
 * such changes later, at a flush; until then whoever opens the store reads them here. It goes with the stage, and what
 * a dead writer left stays until the next one has it in the documents. */
#include "store/directory.h"
#include "store/file.h"
#include "store/stage_inside.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define JOURNAL_MAX ((uint64_t)256 << 20) /* bytes that are read */

/* ---- writing ---- */

static bool open_journal(vz_stage *stage, vz_store *inner, vz_error *err)
{
    if (stage->journal >= 0)
        return true;
    stage->journal =
        openat(vz_directory_of(inner)->root, VZ_JOURNAL_NAME, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return stage->journal >= 0 || vz_fail_errno(err, errno, "cannot make the store's journal");
}

bool vz_store_journal_add(vz_store *store, const char *line, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_stage *stage = store->stage;
    if (!stage)
        return true;
    vz_store *inner = vz_stage_store(stage, &failed);
    if (!inner && failed.class == VZ_PERMISSION) /* who may not write in the root may be allowed to below */
        return true;
    vz_buffer text = {0};
    bool ok = inner ? open_journal(stage, inner, err) : vz_fail(err, failed.class, "%s", failed.text);
    ok = ok && vz_buffer_printf(&text, err, "%s\n", line) &&
         vz_file_write(stage->journal, stage->journal_size, text.data, text.size, err);
    if (ok && store->durable && fsync(stage->journal) != 0)
        ok = vz_fail_errno(err, errno, "cannot write the store's journal");
    if (ok)
        stage->journal_size += text.size; /* half a line is written over */
    else
        vz_error_where(err, store->path, VZ_JOURNAL_NAME);
    vz_buffer_clear(&text);
    return ok;
}

void vz_store_journal_keep(vz_store *store)
{
    if (store->stage)
        store->stage->keeps_journal = true;
}

/* ---- reading ---- */

typedef struct reading {
    int root;
    vz_journal_visit visit;
    void *context;
    bool ok;
    vz_error *err;
} reading;

/* A line without its end was never finished, and what it tells of never begun. */
static bool read_lines(reading *r, char *text)
{
    char *line = text, *end;
    while (r->ok && (end = strchr(line, '\n'))) {
        *end = '\0';
        r->ok = r->visit(r->context, line, !strchr(end + 1, '\n'), r->err);
        line = end + 1;
    }
    return r->ok;
}

static void read_journal(reading *r, int file)
{
    struct stat status;
    vz_buffer text = {0};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || (uint64_t)status.st_size > JOURNAL_MAX)
        return;
    const size_t size = (size_t)status.st_size;
    uint8_t *place = vz_range_room(&text, size + 1, NULL);
    if (!place)
        r->ok = vz_fail_memory(r->err);
    else if (size > 0 && vz_file_read(file, 0, place, size, NULL)) {
        place[size] = '\0';
        read_lines(r, (char *)place);
    }
    vz_buffer_clear(&text);
}

static bool read_stage(void *context, int parent, const char *name)
{
    reading *r = context;
    const int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return errno != ENOENT;
    const int file = r->ok && vz_stage_is_trusted(r->root, directory)
                         ? openat(directory, VZ_JOURNAL_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                         : -1;
    if (file >= 0)
        read_journal(r, file);
    if (file >= 0)
        close(file);
    close(directory);
    return true;
}

static bool read_all(vz_store *store, reading *r)
{
    if (strcmp(store->class->kind, "directory") != 0)
        return true;
    r->root = vz_directory_of(store)->root;
    r->ok = true;
    vz_stage_each(store, read_stage, r);
    return r->ok;
}

bool vz_store_journals(vz_store *store, vz_journal_visit visit, void *context, vz_error *err)
{
    reading r = {.visit = visit, .context = context, .err = err};
    return read_all(store, &r);
}

/* ---- what dead writers left ---- */

bool vz_store_has_journals(vz_store *store)
{
    return store->stage && store->stage->found_journals && !store->stage->journals_done;
}

void vz_store_journals_done(vz_store *store)
{
    if (!vz_store_has_journals(store))
        return;
    store->stage->journals_done = true;
    vz_stage_sweep(store->stage);
}
