/* chunk_places.c - the file between the two processes of h5zarr virtual: where chunks of the source
 * lie, dataset by dataset. It is as long as it must be; memory holds a part of it. */
#include "base/os/file.h"
#include "command/convert/convert_internal.h"
#include <errno.h>
#include <stdlib.h>

#define PART_SIZE     ((size_t)1 << 18) /* bytes that are written and read together */
#define PATH_SIZE_MAX ((size_t)1 << 24)

/* The start of a record. Numbers are this machine's: no other one reads the file. */
typedef struct head {
    uint32_t kind, rank, is_contiguous, path_size, codecs_size;
} head;

/* ---- writing ---- */

struct vz_convert_places_writer {
    int file;
    uint64_t written;
    vz_buffer waiting;
};

vz_convert_places_writer *vz_convert_places_create(const char *path, vz_error *err)
{
    vz_convert_places_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        vz_fail_memory(err);
        return NULL;
    }
    writer->file = vz_os_create(path, O_WRONLY | O_EXCL | O_NOFOLLOW, 0600);
    if (writer->file >= 0)
        return writer;
    vz_fail_errno(err, errno, "%.300s cannot be made", path);
    free(writer);
    return NULL;
}

static bool write_waiting(vz_convert_places_writer *writer, vz_error *err)
{
    if (!vz_os_file_write(writer->file, writer->written, writer->waiting.data, writer->waiting.size, err))
        return false;
    writer->written += writer->waiting.size;
    writer->waiting.size = 0;
    return true;
}

bool vz_convert_places_write(vz_convert_places_writer *writer, const vz_convert_place *place, vz_error *err)
{
    const bool is_dataset = place->kind == VZ_CONVERT_PLACE_DATASET;
    const head begin = {.kind = place->kind,
                        .rank = place->rank,
                        .is_contiguous = place->is_contiguous,
                        .path_size = is_dataset ? (uint32_t)strlen(place->path) : 0,
                        .codecs_size = is_dataset ? (uint32_t)strlen(place->codecs) : 0};
    const size_t size = place->rank * sizeof *place->start;
    const uint64_t bytes[] = {place->address, place->size};
    vz_buffer *out = &writer->waiting;
    return vz_buffer_append(out, &begin, sizeof begin, err) &&
           vz_buffer_append(out, is_dataset ? place->path : "", begin.path_size, err) &&
           vz_buffer_append(out, is_dataset ? place->codecs : "", begin.codecs_size, err) &&
           vz_buffer_append(out, place->start, size, err) && vz_buffer_append(out, place->extent, size, err) &&
           vz_buffer_append(out, bytes, sizeof bytes, err) && (out->size < PART_SIZE || write_waiting(writer, err));
}

bool vz_convert_places_finish(vz_convert_places_writer *writer, vz_error *err)
{
    if (!writer)
        return true;
    const bool ok = write_waiting(writer, err);
    vz_os_close(writer->file);
    vz_buffer_clear(&writer->waiting);
    free(writer);
    return ok;
}

/* ---- reading ---- */

struct vz_convert_places {
    int file;
    uint64_t at, all; /* read so far; the file's size */
    vz_buffer part;
    size_t used; /* of the part */
    char *path, *codecs;
    bool is_contiguous;
};

vz_convert_places *vz_convert_places_open(const char *path, vz_error *err)
{
    struct stat status;
    vz_convert_places *places = calloc(1, sizeof *places);
    if (!places) {
        vz_fail_memory(err);
        return NULL;
    }
    places->file = vz_os_open(path, O_RDONLY | O_NOFOLLOW);
    if (places->file >= 0 && vz_os_fstat(places->file, &status) == 0) {
        places->all = (uint64_t)status.st_size;
        return places;
    }
    vz_fail_errno(err, errno, "%.300s cannot be read", path);
    vz_convert_places_close(places);
    return NULL;
}

void vz_convert_places_close(vz_convert_places *places)
{
    if (!places)
        return;
    if (places->file >= 0)
        vz_os_close(places->file);
    vz_buffer_clear(&places->part);
    free(places->path);
    free(places->codecs);
    free(places);
}

/* At least `size` bytes behind `used`, or all that there are. */
static bool fill(vz_convert_places *places, size_t size, vz_error *err)
{
    vz_buffer *part = &places->part;
    const size_t left = part->size - places->used;
    if (left >= size || places->at == places->all)
        return true;
    const uint64_t more = places->all - places->at;
    const size_t wanted = size > PART_SIZE ? size : PART_SIZE, take = more < wanted ? (size_t)more : wanted;
    if (left > 0)
        memmove(part->data, part->data + places->used, left);
    part->size = left;
    places->used = 0;
    if (!vz_buffer_reserve(part, left + take, err) ||
        !vz_os_file_read(places->file, places->at, part->data + left, take, err))
        return false;
    part->size += take;
    places->at += take;
    return true;
}

static bool take(vz_convert_places *places, void *bytes, size_t size, vz_error *err)
{
    if (!fill(places, size, err))
        return false;
    if (places->part.size - places->used < size)
        return vz_fail(err, VZ_CORRUPT, "the list of chunks ends early");
    if (size > 0)
        memcpy(bytes, places->part.data + places->used, size);
    places->used += size;
    return true;
}

static bool take_text(vz_convert_places *places, char **text, size_t size, vz_error *err)
{
    char *room = size <= PATH_SIZE_MAX ? realloc(*text, size + 1) : NULL;
    if (!room)
        return vz_fail_memory(err);
    *text = room;
    room[size] = '\0';
    return take(places, room, size, err);
}

bool vz_convert_places_next(vz_convert_places *places, vz_convert_place *place, vz_error *err)
{
    head begin;
    uint64_t bytes[2];
    if (!fill(places, 1, err))
        return false;
    if (places->used == places->part.size) {
        place->kind = VZ_CONVERT_PLACE_END;
        return true;
    }
    if (!take(places, &begin, sizeof begin, err))
        return false;
    if (begin.kind >= VZ_CONVERT_PLACE_END || begin.rank > VZ_CONVERT_RANK_MAX)
        return vz_fail(err, VZ_CORRUPT, "the list of chunks is damaged");
    const size_t size = begin.rank * sizeof *place->start;
    if (begin.kind == VZ_CONVERT_PLACE_DATASET) {
        places->is_contiguous = begin.is_contiguous;
        if (!take_text(places, &places->path, begin.path_size, err) ||
            !take_text(places, &places->codecs, begin.codecs_size, err))
            return false;
    }
    place->kind = (vz_convert_place_kind)begin.kind;
    place->path = places->path;
    place->codecs = places->codecs;
    place->rank = begin.rank;
    place->is_contiguous = places->is_contiguous;
    if (!take(places, place->start, size, err) || !take(places, place->extent, size, err) ||
        !take(places, bytes, sizeof bytes, err))
        return false;
    place->address = bytes[0];
    place->size = bytes[1];
    return true;
}
