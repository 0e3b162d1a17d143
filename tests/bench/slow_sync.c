/* Preloaded: makes every sync to disk SLOW_SYNC_MS milliseconds longer, as flash memory would. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef int (*sync_call)(int);

static void wait_a_little(void) {
    const char *given = getenv("SLOW_SYNC_MS");
    double ms = given ? atof(given) : 0.0;
    struct timespec pause = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000L};
    nanosleep(&pause, NULL);
}

int fsync(int fd) {
    wait_a_little();
    return ((sync_call)dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
    wait_a_little();
    return ((sync_call)dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
