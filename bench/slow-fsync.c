/*
 * Simulates a slow disk: every fsync and fdatasync first waits SLOW_FSYNC_US microseconds.
 * cc -shared -fPIC -O2 -o slow-fsync.so slow-fsync.c -ldl; LD_PRELOAD=./slow-fsync.so SLOW_FSYNC_US=3000 postgres …
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_first(void) {
  static long microseconds = -1;
  if (microseconds < 0) {
    const char *text = getenv("SLOW_FSYNC_US");
    microseconds = text ? atol(text) : 0;
  }
  struct timespec time = {microseconds / 1000000, (microseconds % 1000000) * 1000};
  if (microseconds > 0) nanosleep(&time, NULL);
}

int fsync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_first();
  return real(file);
}

int fdatasync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_first();
  return real(file);
}
