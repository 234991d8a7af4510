/* watch.h - waiting for a child that must neither take too much nor wait for something that never comes. */
#pragma once
#include <sys/resource.h>
#include <sys/types.h>

#define WATCH_WAIT_FACTOR 3

struct limits {
    long seconds, megabytes, listing_megabytes;
    long idle_kilobytes; /* what a child takes that does nothing */
};

/* Waits for the child. The word for what became of it ("waits", "memory": it was killed), or NULL when its status
 * tells. */
const char *watch(pid_t pid, const struct limits *limits, int *status, struct rusage *usage);
