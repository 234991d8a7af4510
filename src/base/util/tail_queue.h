/* tail_queue.h - lists that are linked both ways, with the names of queue(3): musl has no
 * <sys/queue.h>. An element has a member of type TAILQ_ENTRY for each list that it may be in. */
#ifndef VZ_UTIL_TAIL_QUEUE_H
#define VZ_UTIL_TAIL_QUEUE_H

#include <stddef.h>

/* `last` is where the pointer to a further element goes: the member `next` of the last one, or
 * `first`. */
#define TAILQ_HEAD(name, type)                                                                                         \
    struct name {                                                                                                      \
        struct type *first;                                                                                            \
        struct type **last;                                                                                            \
    }
#define TAILQ_HEAD_INITIALIZER(head)                                                                                   \
    {                                                                                                                  \
        NULL, &(head).first                                                                                            \
    }
/* `link` is the pointer that leads to the element. */
#define TAILQ_ENTRY(type)                                                                                              \
    struct {                                                                                                           \
        struct type *next;                                                                                             \
        struct type **link;                                                                                            \
    }

#define TAILQ_INIT(head) ((head)->first = NULL, (head)->last = &(head)->first)

#define TAILQ_EMPTY(head)          ((head)->first == NULL)
#define TAILQ_FIRST(head)          ((head)->first)
#define TAILQ_NEXT(element, entry) ((element)->entry.next)
#define TAILQ_FOREACH(element, head, entry)                                                                            \
    for ((element) = TAILQ_FIRST(head); (element); (element) = TAILQ_NEXT(element, entry))

#define TAILQ_INSERT_HEAD(head, element, entry)                                                                        \
    do {                                                                                                               \
        (element)->entry.next = (head)->first;                                                                         \
        (element)->entry.link = &(head)->first;                                                                        \
        if ((head)->first)                                                                                             \
            (head)->first->entry.link = &(element)->entry.next;                                                        \
        else                                                                                                           \
            (head)->last = &(element)->entry.next;                                                                     \
        (head)->first = (element);                                                                                     \
    } while (0)

#define TAILQ_INSERT_TAIL(head, element, entry)                                                                        \
    do {                                                                                                               \
        (element)->entry.next = NULL;                                                                                  \
        (element)->entry.link = (head)->last;                                                                          \
        *(head)->last = (element);                                                                                     \
        (head)->last = &(element)->entry.next;                                                                         \
    } while (0)

#define TAILQ_REMOVE(head, element, entry)                                                                             \
    do {                                                                                                               \
        if ((element)->entry.next)                                                                                     \
            (element)->entry.next->entry.link = (element)->entry.link;                                                 \
        else                                                                                                           \
            (head)->last = (element)->entry.link;                                                                      \
        *(element)->entry.link = (element)->entry.next;                                                                \
    } while (0)

#endif
