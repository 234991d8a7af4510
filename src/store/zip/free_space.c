/* free_space.c - which bytes of a zip file that is changed in place may be written. A value that
 * is put again and again alternates between two places, and the file does not grow. */
#include "store/zip/write_internal.h"
#include "base/os/file.h"

#define WORTH_A_CALL 16384 /* bytes: less is a few blocks at most */

size_t vz_zip_padding(uint64_t first, size_t header, uint64_t size, size_t least)
{
    if (size < VZ_ZIP_ALIGNED_FROM)
        return least;
    size_t padding = (size_t)(-(first + header) % VZ_ZIP_ALIGNMENT);
    while (padding < least || (padding && padding < VZ_ZIP_PADDING_MIN))
        padding += VZ_ZIP_ALIGNMENT;
    return padding;
}

static vz_zip_entry_place place_at(uint64_t first, size_t header, uint64_t size, size_t least)
{
    const size_t padding = vz_zip_padding(first, header, size, least);
    return (vz_zip_entry_place){.first = first, .after = first + header + padding + size, .padding = padding};
}

vz_zip_entry_place vz_zip_room_find(const vz_zip_room *room, size_t header, uint64_t size, size_t padding)
{
    for (size_t i = 0; i < room->count; i++) {
        const vz_zip_entry_place place = place_at(room->free[i].first, header, size, padding);
        if (place.after - place.first <= room->free[i].size)
            return place;
    }
    return place_at(room->frontier, header, size, padding);
}

static void forget(vz_zip_room *room, size_t at)
{
    room->count--;
    memmove(room->free + at, room->free + at + 1, (room->count - at) * sizeof *room->free);
}

void vz_zip_room_take(vz_zip_room *room, const vz_zip_entry_place *place)
{
    if (place->first == room->frontier) {
        room->frontier = place->after;
        return;
    }
    for (size_t i = 0; i < room->count; i++) {
        vz_zip_extent *piece = &room->free[i];
        if (piece->first != place->first)
            continue;
        piece->size -= place->after - place->first;
        piece->first = place->after;
        if (piece->size == 0)
            forget(room, i);
        return;
    }
}

/* Makes room for one more. */
static void forget_smallest(vz_zip_room *room)
{
    size_t smallest = 0;
    for (size_t i = 1; i < room->count; i++)
        if (room->free[i].size < room->free[smallest].size)
            smallest = i;
    forget(room, smallest);
}

void vz_zip_room_give(vz_zip_room *room, uint64_t first, uint64_t size)
{
    vz_zip_extent piece = {.first = first, .size = size};
    for (size_t i = room->count; i-- > 0;) { /* what it touches becomes a part of it */
        const vz_zip_extent other = room->free[i];
        if (other.first + other.size == piece.first)
            piece.first = other.first;
        else if (piece.first + piece.size != other.first)
            continue;
        piece.size += other.size;
        forget(room, i);
    }
    if (piece.first + piece.size == room->frontier) {
        room->frontier = piece.first;
        return;
    }
    if (room->count == VZ_ZIP_FREE_MAX)
        forget_smallest(room);
    room->free[room->count++] = piece;
}

void vz_zip_room_punch(const vz_zip_room *room, int file)
{
    for (size_t i = 0; i < room->count; i++)
        if (room->free[i].size >= WORTH_A_CALL)
            vz_os_punch_hole(file, room->free[i].first, room->free[i].size);
}
