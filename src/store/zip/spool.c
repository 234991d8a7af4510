/* spool.c - room in the spool, the file without a name where puts wait for the zip file to be
 * written. Replaced or removed values, and residue of failed writes, give their blocks back. Else
 * writing a part again and again, or one large write that failed, would fill the disk. */
#include "store/zip/state_internal.h"
#include "base/os/file.h"
#include "store/zip/replace_internal.h"

#define WORTH_A_CALL 16384 /* bytes: less is a few blocks at most */

static vz_os_once once = VZ_OS_ONCE_INIT;
static unsigned forks;

static void count_fork(void)
{
    forks++;
}

static void watch_forks(void)
{
    vz_os_at_fork(NULL, count_fork, count_fork);
}

unsigned vz_zip_forks(void)
{
    vz_os_run_once(&once, watch_forks);
    return forks;
}

void vz_zip_spool_begin(vz_zip *zip, int spool, uint64_t used)
{
    zip->spool = spool;
    zip->spooled = used;
    zip->spool_forks = vz_zip_forks();
}

/* Beside the zip file, where there must be room in any case. The spool of a zip file without a
 * place in the file system lies in memory or among temporary files. */
int vz_zip_spool_new(const vz_zip *zip, vz_error *err)
{
    return zip->source ? vz_byte_source_open_scratch(zip->source, err) : vz_zip_open_spool(zip->base.path, err);
}

bool vz_zip_spool_take(vz_zip *zip, vz_keytree_value *value, vz_error *err)
{
    if (zip->spool < 0)
        vz_zip_spool_begin(zip, vz_zip_spool_new(zip, err), 0);
    if (zip->spool < 0)
        return false;
    value->place = VZ_KEYTREE_SPOOLED;
    value->offset = zip->spooled;
    zip->spooled += value->stored;
    return true;
}

/* A forked process has the same spool, and may still read what this one has replaced. */
static bool is_shared(const vz_zip *zip)
{
    return zip->spool_forks != forks;
}

/* Nobody needs these bytes any more; their blocks go back to the file system where it can take
 * them. */
static void give_back(vz_zip *zip, uint64_t offset, uint64_t size)
{
    if (is_shared(zip))
        return;
    if (offset + size == zip->spooled && vz_os_ftruncate(zip->spool, (off_t)offset) == 0)
        zip->spooled = offset;
    else if (size >= WORTH_A_CALL) /* where the file system makes no holes the room comes back at
                                    * the commit */
        vz_os_punch_hole(zip->spool, offset, size);
}

void vz_zip_spool_drop(const vz_keytree_value *value, void *zip)
{
    if (value->place == VZ_KEYTREE_SPOOLED)
        give_back(zip, value->offset, value->stored);
}
