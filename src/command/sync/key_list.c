/* key_list.c - keys that wait for their turn: in a file without a name, since a store may have
 * millions of them. */
#include "base/os/file.h"
#include "base/os/process.h"
#include "command/sync/sync_internal.h"
#include <errno.h>

#define BUFFER  ((size_t)256 << 10) /* bytes that are written and read at once */
#define KEY_MAX 65536               /* bytes of a key, with its NUL */

int vz_sync_temp_file(vz_error *err)
{
    const char *directory = vz_os_environment_trusted("TMPDIR");
    const int file = vz_os_temp_file(directory && *directory ? directory : "/tmp");
    if (file < 0)
        vz_fail_errno(err, errno, "no temporary file can be made in %.200s (the variable TMPDIR names another place)",
                      directory && *directory ? directory : "/tmp");
    return file;
}

static bool write_out(vz_sync_list *list, vz_error *err)
{
    if (list->file < 0 && (list->file = vz_sync_temp_file(err)) < 0)
        return false;
    if (!vz_os_file_write(list->file, list->size, list->buffer.data, list->buffer.size, err))
        return false;
    list->size += list->buffer.size;
    list->buffer.size = 0;
    return true;
}

/* It stands before each key. */
typedef struct record {
    vz_sync_item item;
    size_t length;
} record;

bool vz_sync_list_add(vz_sync_list *list, const vz_sync_item *item, vz_error *err)
{
    record head = {.item = *item, .length = strlen(item->key) + 1};
    if (head.length > KEY_MAX)
        return vz_fail(err, VZ_LIMIT, "a key of %zu bytes", head.length);
    return vz_buffer_append(&list->buffer, &head, sizeof head, err) &&
           vz_buffer_append(&list->buffer, item->key, head.length, err) &&
           (list->buffer.size < BUFFER || write_out(list, err));
}

bool vz_sync_list_rewind(vz_sync_list *list, vz_error *err)
{
    if (list->file >= 0 && list->buffer.size && !write_out(list, err))
        return false;
    list->at = 0;
    if (list->file < 0) /* all of it is in memory */
        list->size = list->buffer.size;
    return true;
}

static bool read_at(vz_sync_list *list, uint64_t at, void *data, size_t size, vz_error *err)
{
    if (list->file >= 0)
        return vz_os_file_read(list->file, at, data, size, err);
    memcpy(data, list->buffer.data + at, size);
    return true;
}

bool vz_sync_list_next(vz_sync_list *list, vz_sync_item *item, vz_error *err)
{
    static char text[KEY_MAX];
    record head;
    *item = (vz_sync_item){0};
    if (list->at >= list->size)
        return true;
    if (!read_at(list, list->at, &head, sizeof head, err) ||
        !read_at(list, list->at + sizeof head, text, head.length, err))
        return false;
    list->at += sizeof head + head.length;
    *item = head.item;
    item->key = text;
    return true;
}

void vz_sync_list_clear(vz_sync_list *list)
{
    vz_buffer_clear(&list->buffer);
    if (list->file >= 0)
        vz_os_close(list->file);
    *list = VZ_SYNC_LIST;
}
