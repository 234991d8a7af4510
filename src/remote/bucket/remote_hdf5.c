/* remote_hdf5.c - an HDF5 file that is one remote value, as a byte source. All bytes are of the
 * version that was met first. Bytes that were read stay in memory, up to a bound. */
#include "base/os/process.h"
#include "base/os/thread.h"
#include "remote/bucket/bucket.h"
#include "remote/filecache/file_cache.h"
#include "remote/bucket/tree_internal.h"
#include <stdlib.h>

#define CACHE_MAX ((size_t)64 << 20) /* bytes of one file that stay in memory */
/* bytes of a read that goes past the cache: of elements, of metadata */
#define ALONE_MIN          ((uint64_t)512 << 10)
#define ALONE_METADATA_MIN ((uint64_t)16 << 20)
/* of reads that were announced: bytes, and how many, of one round trip */
#define EXPECTED_MAX   ((uint64_t)32 << 20)
#define EXPECTED_COUNT 4096

typedef struct hdf5_file {
    vz_byte_source base;
    vz_bucket *remote; /* ours */
    uint64_t size;
    vz_version version;
    char etag[VZ_VERSION_SIZE];
    int64_t since_ns; /* when it was met */
    vz_os_mutex lock; /* of the rest */
    vz_filecache *cache;
    vz_filecache_ahead metadata, elements;
    struct expectation {
        vz_bucket_piece *pieces; /* that are read next, in that order; without places */
        size_t count, at;
    } expected[2]; /* of elements, of metadata */
} hdf5_file;

static hdf5_file *file_of(vz_byte_source *source)
{
    return (hdf5_file *)source;
}

/* ---- what is in memory ---- */

static bool read_window(hdf5_file *f, uint64_t first, uint64_t end, vz_error *err)
{
    vz_bucket_pieces list = {0};
    vz_buffer bytes = {0};
    bool ok = vz_buffer_reserve(&bytes, (size_t)(end - first), err) &&
              vz_bucket_pieces_add(&list, first, (size_t)(end - first), bytes.data, err) &&
              vz_bucket_pieces_get(f->remote, &f->version, &list, err);
    free(list.items);
    if (!ok) {
        vz_buffer_clear(&bytes);
        return false;
    }
    bytes.size = (size_t)(end - first);
    return vz_filecache_add(f->cache, first, &bytes, err);
}

/* The rest of a read, from its first byte on that is not there. */
static bool read_near(hdf5_file *f, vz_filecache_ahead *ahead, const vz_byte_read *read, size_t done, vz_error *err)
{
    uint64_t low, high, gap_low, gap_high;
    vz_filecache_ahead_plan(ahead, read->is_metadata, read->offset + done, read->size - done, f->size, &low, &high);
    while (done < read->size) {
        const uint64_t at = read->offset + done;
        vz_filecache_gap(f->cache, at, &gap_low, &gap_high);
        if (!read_window(f, low > gap_low ? low : gap_low, high < gap_high ? high : gap_high, err))
            return false;
        const size_t more = vz_filecache_copy(f->cache, at, read->size - done, (uint8_t *)read->data + done);
        if (more == 0)
            return vz_fail(err, VZ_IO, "bytes that were read are not there");
        done += more;
    }
    return true;
}

/* ---- reads that were announced ---- */

static bool expect(hdf5_file *f, const vz_byte_read *reads, size_t count, vz_error *err)
{
    struct expectation *e = &f->expected[reads[0].is_metadata];
    free(e->pieces);
    *e = (struct expectation){0};
    if (f->size <= VZ_FILECACHE_WHOLE)
        return true;
    if (!(e->pieces = malloc(count * sizeof *e->pieces)))
        return vz_fail_memory(err);
    e->count = count;
    for (size_t i = 0; i < count; i++)
        e->pieces[i] = (vz_bucket_piece){.first = reads[i].offset, .size = reads[i].size};
    return true;
}

static bool is_expected(struct expectation *e, uint64_t first)
{
    for (size_t n = 0; n < e->count; n++, e->at = (e->at + 1) % e->count)
        if (e->pieces[e->at].first == first)
            return true;
    return false;
}

/* Cut to what is not there, up to what is; false: all of it is there, or it is none of the file. */
static bool is_wanted(const hdf5_file *f, vz_bucket_piece *p)
{
    uint64_t low, high;
    vz_filecache_gap(f->cache, p->first, &low, &high);
    const uint64_t there = low > p->first ? low - p->first : 0;
    if (there >= p->size || p->first >= f->size || p->size > f->size - p->first)
        return false;
    p->first += there;
    p->size -= (size_t)there;
    if (p->size > high - p->first)
        p->size = (size_t)(high - p->first);
    return p->size > 0;
}

/* From e->at on, as many as may come together. */
static size_t choose(const hdf5_file *f, struct expectation *e, vz_bucket_piece *chosen)
{
    uint64_t bytes = 0;
    size_t count = 0;
    for (; e->at < e->count && count < EXPECTED_COUNT; e->at++) {
        vz_bucket_piece p = e->pieces[e->at];
        if (!is_wanted(f, &p))
            continue;
        if (count > 0 && bytes + p.size > EXPECTED_MAX)
            break;
        bytes += p.size;
        chosen[count++] = p;
    }
    e->at = e->at < e->count ? e->at : 0;
    return count;
}

/* The read and those that follow it, in one round trip. */
static bool read_expected(hdf5_file *f, struct expectation *e, vz_error *err)
{
    vz_bucket_piece *chosen = calloc(EXPECTED_COUNT, sizeof *chosen);
    vz_buffer *parts = calloc(EXPECTED_COUNT, sizeof *parts);
    vz_bucket_pieces list = {0};
    bool ok = (chosen && parts) || vz_fail_memory(err);
    const size_t count = ok ? choose(f, e, chosen) : 0;
    for (size_t i = 0; ok && i < count; i++) {
        const vz_bucket_piece *p = &chosen[i];
        ok = vz_buffer_reserve(&parts[i], p->size, err) &&
             vz_bucket_pieces_add(&list, p->first, p->size, parts[i].data, err);
    }
    ok = ok && vz_bucket_pieces_get(f->remote, &f->version, &list, err);
    for (size_t i = 0; i < count; i++) {
        parts[i].size = ok ? chosen[i].size : 0;
        ok = ok && vz_filecache_add(f->cache, chosen[i].first, &parts[i], err);
        vz_buffer_clear(&parts[i]);
    }
    free(list.items);
    free(parts);
    free(chosen);
    return ok;
}

/* A read among others, or a large one, goes to its place and not into memory of ours. */
static bool goes_past(const hdf5_file *f, const vz_byte_read *read, size_t count)
{
    return f->size > VZ_FILECACHE_WHOLE &&
           (count > 1 || read->size >= (read->is_metadata ? ALONE_METADATA_MIN : ALONE_MIN));
}

static bool read_one(hdf5_file *f, const vz_byte_read *read, size_t count, vz_bucket_pieces *past, vz_error *err)
{
    vz_filecache_ahead *ahead = read->is_metadata ? &f->metadata : &f->elements;
    size_t done = vz_filecache_copy(f->cache, read->offset, read->size, read->data);
    struct expectation *expected = &f->expected[read->is_metadata];
    if (done < read->size && read->size < EXPECTED_MAX && is_expected(expected, read->offset)) {
        if (!read_expected(f, expected, err))
            return false;
        done = vz_filecache_copy(f->cache, read->offset, read->size, read->data);
    }
    if (done == read->size) {
        vz_filecache_ahead_hit(ahead, read->offset, read->size);
        return true;
    }
    if (goes_past(f, read, count))
        return vz_bucket_pieces_add(past, read->offset + done, read->size - done, (uint8_t *)read->data + done, err);
    return read_near(f, ahead, read, done, err);
}

static bool check_end(const hdf5_file *f, const vz_byte_read *read, vz_error *err)
{
    if (read->offset <= f->size && read->size <= f->size - read->offset)
        return true;
    vz_fail(err, VZ_IO, "bytes from %llu on are wanted, and the file has %llu", (unsigned long long)read->offset,
            (unsigned long long)f->size);
    return vz_error_where(err, f->remote->site->label, NULL), false;
}

static bool read_many(vz_byte_source *source, const vz_byte_read *reads, size_t count, vz_error *err)
{
    hdf5_file *f = file_of(source);
    vz_bucket_pieces past = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count && reads[i].data; i++)
        ok = check_end(f, &reads[i], err);
    vz_os_mutex_lock(&f->lock);
    if (count > 0 && !reads[0].data) {
        ok = expect(f, reads, count, err);
        count = 0;
    }
    for (size_t i = 0; ok && i < count; i++)
        ok = reads[i].size == 0 || read_one(f, &reads[i], count, &past, err);
    vz_os_mutex_unlock(&f->lock);
    ok = ok && vz_bucket_pieces_get(f->remote, &f->version, &past, err);
    free(past.items);
    return ok;
}

static bool read_bytes(vz_byte_source *source, uint64_t offset, void *data, size_t size, vz_error *err)
{
    const vz_byte_read read = {.offset = offset, .size = size, .data = data};
    return read_many(source, &read, 1, err);
}

static bool tell_size(vz_byte_source *source, uint64_t *size, vz_error *err)
{
    (void)err;
    *size = file_of(source)->size;
    return true;
}

static bool close_file(vz_byte_source *source, vz_error *err)
{
    (void)err;
    hdf5_file *f = file_of(source);
    vz_filecache_free(f->cache);
    free(f->expected[0].pieces);
    free(f->expected[1].pieces);
    vz_os_mutex_destroy(&f->lock);
    vz_store_close(&f->remote->base);
    free(f);
    return true;
}

static const vz_byte_source_class class = {
    .read = read_bytes, .size = tell_size, .read_many = read_many, .close = close_file};

/* ---- opening ---- */

/* Of two versions of a file the identities differ. */
static vz_identity identity_of(const vz_bucket *remote, const vz_version *version, uint64_t size)
{
    vz_identity identity = remote->base.identity;
    identity.part[1] ^= vz_hash(version->bytes, version->size, size);
    return identity;
}

/* The first look has read these. */
static bool keep(hdf5_file *f, vz_bucket_file_bytes *bytes, vz_error *err)
{
    for (int i = 0; i < VZ_FILE_BLOCKS; i++) {
        vz_buffer part = bytes->blocks[i].bytes;
        bytes->blocks[i].bytes = (vz_buffer){0};
        uint64_t low, high;
        vz_filecache_gap(f->cache, bytes->blocks[i].first, &low, &high);
        const size_t there = low > bytes->blocks[i].first ? (size_t)(low - bytes->blocks[i].first) : 0;
        if (there >= part.size) {
            vz_buffer_clear(&part);
            continue;
        }
        memmove(part.data, part.data + there, part.size -= there);
        if (!vz_filecache_add(f->cache, bytes->blocks[i].first + there, &part, err))
            return false;
    }
    return true;
}

vz_byte_source *vz_bucket_hdf5(vz_bucket *remote, vz_bucket_file_bytes *bytes, vz_error *err)
{
    hdf5_file *f = calloc(1, sizeof *f);
    if (!f || !(f->cache = vz_filecache_new(CACHE_MAX, err)) || !keep(f, bytes, err)) {
        if (f)
            vz_filecache_free(f->cache);
        free(f);
        vz_fail_memory(err);
        return NULL;
    }
    f->base.class = &class;
    f->base.file = -1;
    f->base.identity = identity_of(remote, &bytes->version, bytes->size);
    f->remote = remote;
    f->size = bytes->size;
    f->version = bytes->version;
    if (vz_remote_etag_of_version(&f->version, f->etag))
        f->base.etag = f->etag;
    f->since_ns = vz_os_now_ns();
    vz_os_mutex_init(&f->lock);
    return &f->base;
}

/* ---- remembered ---- */

#define RECENT_MAX    4
#define RECENT_MAX_NS 3000000000 /* how long it is what is there */

/* Programs ask what a name is before they open it. NULL: none. */
static vz_byte_source *recent[RECENT_MAX];

static bool is_older(const vz_byte_source *a, const vz_byte_source *b)
{
    return ((const hdf5_file *)a)->since_ns < ((const hdf5_file *)b)->since_ns;
}

void vz_bucket_remember_hdf5(vz_byte_source *source)
{
    size_t oldest = 0;
    for (size_t i = 1; i < RECENT_MAX && recent[oldest]; i++)
        if (!recent[i] || is_older(recent[i], recent[oldest]))
            oldest = i;
    vz_byte_source_close(recent[oldest], NULL);
    recent[oldest] = source;
}

/* With what it has read; it is as old as it was. */
vz_byte_source *vz_bucket_hdf5_recent(const vz_site *site)
{
    const int64_t now = vz_os_now_ns();
    for (size_t i = 0; i < RECENT_MAX; i++) {
        vz_byte_source *source = recent[i];
        if (source && now - file_of(source)->since_ns > RECENT_MAX_NS) {
            vz_byte_source_close(source, NULL);
            recent[i] = NULL;
        } else if (source && vz_identity_equal(&file_of(source)->remote->base.identity, &site->identity)) {
            recent[i] = NULL;
            return source;
        }
    }
    return NULL;
}
