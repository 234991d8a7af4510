/* hook_record.c - writes down what changed: one line for each change, after a write its bytes. Files are named by
 * device and inode, names by absolute paths, percent-encoded where they hold blanks. */
#include "hook_inside.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *record;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool hook_record_to(const char *path)
{
    if (record)
        fclose(record);
    record = fopen(path, "we");
    return record != NULL;
}

void hook_mark(const char *text)
{
    pthread_mutex_lock(&lock);
    if (record) {
        fprintf(record, "mark %s\n", text);
        fflush(record);
    }
    pthread_mutex_unlock(&lock);
}

static void print_encoded(const char *text)
{
    for (; *text; text++)
        if (*text == ' ' || *text == '\n' || *text == '%')
            fprintf(record, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, record);
}

static void print_path(int directory, const char *path)
{
    char link[64], above[PATH_MAX];
    fputc(' ', record);
    if (path[0] != '/') {
        snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", directory);
        const ssize_t length = readlink(link, above, sizeof above - 1);
        above[length < 0 ? 0 : length] = '\0';
        print_encoded(above);
        fputc('/', record);
    }
    print_encoded(path);
}

static void print_file(int file)
{
    struct stat status = {0};
    fstat(file, &status);
    fprintf(record, " %llu:%llu", (unsigned long long)status.st_dev, (unsigned long long)status.st_ino);
}

static bool begin(const char *what)
{
    if (!hook_is_recording() || !record)
        return false;
    pthread_mutex_lock(&lock);
    fputs(what, record);
    return true;
}

static void end(void)
{
    fputc('\n', record);
    fflush(record);
    pthread_mutex_unlock(&lock);
}

void hook_record_path(const char *what, int directory, const char *path)
{
    const int sys_errno = errno;
    if (begin(what)) {
        print_path(directory, path);
        end();
    }
    errno = sys_errno;
}

void hook_record_paths(const char *what, int from_directory, const char *from, int to_directory, const char *to)
{
    const int sys_errno = errno;
    if (begin(what)) {
        print_path(from_directory, from);
        print_path(to_directory, to);
        end();
    }
    errno = sys_errno;
}

void hook_record_made(int file, int directory, const char *path, int flags)
{
    const int sys_errno = errno;
    const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
    if (begin(nameless ? "nameless" : "create")) {
        print_file(file);
        print_path(directory, path);
        end();
    }
    errno = sys_errno;
}

void hook_record_named(int file, int directory, const char *path)
{
    const int sys_errno = errno;
    if (begin("name")) {
        print_file(file);
        print_path(directory, path);
        end();
    }
    errno = sys_errno;
}

void hook_record_write(int file, off_t offset, const void *data, size_t size)
{
    const int sys_errno = errno;
    if (begin("write")) {
        print_file(file);
        fprintf(record, " %lld %zu\n", (long long)offset, size);
        fwrite(data, 1, size, record);
        end();
    }
    errno = sys_errno;
}

void hook_record_file(const char *what, int file, long long value)
{
    const int sys_errno = errno;
    if (begin(what)) {
        print_file(file);
        fprintf(record, " %lld", value);
        end();
    }
    errno = sys_errno;
}
