/* lindi_archive.c - LINDI's tar file of a reference file and chunks. Its first member says where
 * its index is. */
#include "base/util/json.h"
#include "store/kerchunk/kerchunk_internal.h"
#include <stdio.h>
#include <stdlib.h>

#define ENTRY      ".tar_entry.json"
#define REFERENCES "lindi.json"
#define HEAD_SIZE  512 /* of a member of a tar file */
#define ENTRY_SIZE 1024
#define INDEX_MAX  ((uint64_t)64 << 20)

bool vz_kerchunk_tar_is(vz_bytes start)
{
    return start.size >= sizeof ENTRY && memcmp(start.data, ENTRY, sizeof ENTRY) == 0;
}

/* The place of a member as the index has it: {"n": name, "d": offset, "s": size}. */
static bool read_place(const vz_json *member, uint64_t file_size, vz_kerchunk_member *place, vz_error *err)
{
    uint64_t end;
    if (!vz_json_get_uint64(vz_json_get(member, "d"), &place->offset) ||
        !vz_json_get_uint64(vz_json_get(member, "s"), &place->size) || !vz_add(place->offset, place->size, &end) ||
        end > file_size)
        return vz_fail(err, VZ_CORRUPT, "a member of the tar file that does not lie in it");
    return true;
}

static vz_json *read_json(const vz_kerchunk_reader *reader, uint64_t offset, uint64_t size, vz_error *err)
{
    vz_buffer text = {0};
    vz_json *json = NULL;
    if (size > INDEX_MAX)
        vz_fail(err, VZ_LIMIT, "an index of %llu bytes", (unsigned long long)size);
    else if (reader->read(reader->context, offset, (size_t)size, &text, err))
        json = vz_json_parse((const char *)text.data, text.size, err);
    vz_buffer_clear(&text);
    return json;
}

static bool find_index(const vz_kerchunk_reader *reader, vz_kerchunk_member *place, vz_error *err)
{
    if (reader->size < HEAD_SIZE + ENTRY_SIZE)
        return vz_fail(err, VZ_CORRUPT, "the tar file ends before " ENTRY " does");
    vz_json *entry = read_json(reader, HEAD_SIZE, ENTRY_SIZE, err);
    const bool ok = entry && read_place(vz_json_get(entry, "index"), reader->size, place, err);
    vz_json_free(entry);
    return ok;
}

static bool add_member(vz_kerchunk_archive *archive, const vz_json *member, uint64_t file_size, vz_error *err)
{
    const char *name = vz_json_get_text(member, "n");
    vz_kerchunk_member *place = vz_arena_alloc(&archive->arena, sizeof *place, err);
    if (!place)
        return false;
    if (!name)
        return vz_fail(err, VZ_CORRUPT, "a member of the tar file without a name");
    return read_place(member, file_size, place, err) && vz_strmap_put(archive->members, name, place, err);
}

static bool read_index(vz_kerchunk_archive *archive, const vz_kerchunk_reader *reader, vz_error *err)
{
    vz_kerchunk_member place;
    if (!find_index(reader, &place, err))
        return false;
    vz_json *index = read_json(reader, place.offset, place.size, err);
    const vz_json *files = vz_json_get(index, "files");
    bool ok = index && (archive->members = vz_strmap_new());
    if (index && !ok)
        vz_fail_memory(err);
    for (size_t i = 0; ok && i < vz_json_length(files); i++)
        ok = add_member(archive, vz_json_at(files, i), reader->size, err);
    vz_json_free(index);
    return ok;
}

bool vz_kerchunk_archive_read(vz_kerchunk_archive *archive, const vz_kerchunk_reader *reader, const char *path,
                              size_t most, vz_buffer *text, vz_error *err)
{
    const char *slash = strrchr(path, '/');
    *archive = (vz_kerchunk_archive){0};
    if (!read_index(archive, reader, err))
        return false;
    const vz_kerchunk_member *place = vz_strmap_get(archive->members, REFERENCES);
    if (!place)
        return vz_fail(err, VZ_CORRUPT, "the tar file has no " REFERENCES);
    if (place->size > most)
        return vz_fail(err, VZ_LIMIT, REFERENCES " has %llu bytes", (unsigned long long)place->size);
    archive->name = strdup(slash ? slash + 1 : path);
    return archive->name ? reader->read(reader->context, place->offset, (size_t)place->size, text, err)
                         : vz_fail_memory(err);
}

void vz_kerchunk_archive_clear(vz_kerchunk_archive *archive)
{
    vz_strmap_free(archive->members, NULL);
    vz_arena_clear(&archive->arena);
    free(archive->name);
    *archive = (vz_kerchunk_archive){0};
}

/* "./blobs/x/0" is a member, and so a range of the tar file itself. */
bool vz_kerchunk_archive_place(const vz_kerchunk_archive *archive, vz_kerchunk_value *value, vz_error *err)
{
    if (!archive->members || strncmp(value->name, "./", 2) != 0)
        return true;
    const vz_kerchunk_member *place = vz_strmap_get(archive->members, value->name + 2);
    if (!place)
        return vz_fail(err, VZ_CORRUPT, "\"%.100s\", which the tar file does not have", value->name);
    if (value->is_whole)
        value->size = place->size;
    if (value->offset > place->size || value->size > place->size - value->offset)
        return vz_fail(err, VZ_CORRUPT, "a range beyond the end of \"%.100s\"", value->name);
    char *name = strdup(archive->name);
    if (!name)
        return vz_fail_memory(err);
    free(value->name);
    value->name = name;
    value->is_whole = false;
    value->offset += place->offset;
    return true;
}
