/* cpu_count.c - affinity and control group quotas. A container with two processors' worth of
 * quota on a machine of 64 must not start 64 threads: they would be throttled together. */
#include "base/os/thread_internal.h"
#include "base/util/bytes.h"
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One hierarchy that may hold a quota: v2, or v1 with the cpu controller. */
struct hierarchy {
    bool v2;
    char path[PATH_MAX];  /* of this process within the hierarchy */
    char root[PATH_MAX];  /* which part of the hierarchy is mounted */
    char mount[PATH_MAX]; /* where */
};

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *p = list; (p = strstr(p, word)); p += length) {
        const bool begins = p == list || p[-1] == ',';
        if (begins && (p[length] == '\0' || p[length] == ','))
            return true;
    }
    return false;
}

/* A line of /proc/self/cgroup: "id:controllers:path", without controllers for v2. */
static bool parse_group_line(char *line, struct hierarchy *h)
{
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return false;
    controllers++;
    *path++ = '\0';
    if (h->v2 ? *controllers != '\0' : !has_word(controllers, "cpu"))
        return false;
    snprintf(h->path, sizeof h->path, "%s", path);
    return true;
}

/* A line of mountinfo: "id parent device root mount options [tags] - type source options". */
static bool parse_mount_line(char *line, struct hierarchy *h)
{
    char *rest = strstr(line, " - ");
    if (!rest)
        return false;
    *rest = '\0';
    char type[64], options[1024];
    if (sscanf(rest + 3, "%63s %*s %1023s", type, options) != 2)
        return false;
    if (strcmp(type, h->v2 ? "cgroup2" : "cgroup") != 0 || (!h->v2 && !has_word(options, "cpu")))
        return false;
    char *field[5];
    char *save = NULL;
    for (size_t i = 0; i < 5; i++)
        if (!(field[i] = strtok_r(i ? NULL : line, " ", &save)))
            return false;
    snprintf(h->root, sizeof h->root, "%s", field[3]);
    snprintf(h->mount, sizeof h->mount, "%s", field[4]);
    return true;
}

static bool scan_lines(const char *root, const char *name, bool (*parse)(char *, struct hierarchy *),
                       struct hierarchy *h)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", root, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;
    while (!found && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        found = parse(line, h);
    }
    free(line);
    fclose(file);
    return found;
}

static bool read_text(const char *directory, const char *name, char *text, size_t size)
{
    char path[2 * PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return false;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const ssize_t length = read(file, text, size - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* The processors one group's quota amounts to, or 0. */
static unsigned group_quota(const char *directory, bool v2)
{
    char text[128], period_text[64];
    long long quota = -1, period = 0;
    if (v2) {
        if (!read_text(directory, "cpu.max", text, sizeof text) || sscanf(text, "%lld %lld", &quota, &period) != 2)
            return 0; /* "max 100000" included */
    } else {
        if (!read_text(directory, "cpu.cfs_quota_us", text, sizeof text) ||
            !read_text(directory, "cpu.cfs_period_us", period_text, sizeof period_text))
            return 0;
        quota = atoll(text);
        period = atoll(period_text);
    }
    if (quota <= 0 || period <= 0)
        return 0;
    const long long processors = quota / period + (quota % period != 0);
    return processors < VZ_OS_PROCESSORS_MAX ? (unsigned)processors : VZ_OS_PROCESSORS_MAX;
}

/* The part of the process's path below the mount. In a container the mount may show only a part of
 * the hierarchy, or the path may lie outside of it. Then the mount point itself is the nearest
 * group. */
static const char *visible_path(const struct hierarchy *h)
{
    const char *below = vz_key_below(h->path, strcmp(h->root, "/") == 0 ? "" : h->root);
    return below && !strstr(h->path, "/..") && strcmp(below, "/") != 0 ? below : "";
}

/* The smallest quota from the process's group up to the mount point. */
static unsigned hierarchy_quota(const char *root, struct hierarchy *h)
{
    char directory[3 * PATH_MAX];
    const int top = snprintf(directory, sizeof directory, "%s%s", root, h->mount);
    snprintf(directory + top, sizeof directory - (size_t)top, "%s", visible_path(h));
    unsigned smallest = 0;
    for (;;) {
        const unsigned quota = group_quota(directory, h->v2);
        if (quota && (!smallest || quota < smallest))
            smallest = quota;
        char *end = strrchr(directory + top, '/');
        if (!end)
            return smallest;
        *end = '\0';
    }
}

unsigned vz_machine_quota(const char *root)
{
    struct hierarchy *h = calloc(1, sizeof *h);
    if (!h)
        return 0;
    unsigned smallest = 0;
    for (int v2 = 0; v2 <= 1; v2++) {
        h->v2 = v2;
        if (!scan_lines(root, "/proc/self/cgroup", parse_group_line, h) ||
            !scan_lines(root, "/proc/self/mountinfo", parse_mount_line, h))
            continue;
        const unsigned quota = hierarchy_quota(root, h);
        if (quota && (!smallest || quota < smallest))
            smallest = quota;
    }
    free(h);
    return smallest;
}

unsigned vz_machine_threads(void)
{
    const unsigned processors = vz_os_affinity_count();
    const unsigned quota = vz_machine_quota("");
    return quota && quota < processors ? quota : processors;
}
