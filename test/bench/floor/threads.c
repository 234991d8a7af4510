/* threads.c - the threads of a floor. */
#include "floor.h"
#include <pthread.h>
#include <unistd.h>

#define THREADS_MAX 64

void floor_run_threads(void *(*work)(void *), void *context)
{
    pthread_t threads[THREADS_MAX];
    long count = bench_number("threads", sysconf(_SC_NPROCESSORS_ONLN));
    count = count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : count;
    for (long i = 1; i < count; i++)
        bench_need(pthread_create(&threads[i], NULL, work, context) == 0, "pthread_create");
    work(context);
    for (long i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
}
