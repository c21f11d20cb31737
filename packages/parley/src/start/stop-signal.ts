/**
 * Resolves `reached` on a request to stop: Ctrl-C, SIGTERM, SIGHUP, or the exit of the parent process.
 * @shape isDaemon: ignores SIGHUP and the exit of the parent
 */
export function stopSignal({ isDaemon = false } = {}) {
  let aborted = false;
  const reached = new Promise<void>((resolve) => {
    const parent = process.ppid;
    const stop = () => {
      aborted = true;
      clearInterval(watch);
      resolve();
    };
    // A parent can exit without forwarding a signal (npm killed by its id, a shell in between): this process is then adopted by another one.
    const watch = setInterval(() => !isDaemon && process.ppid !== parent && parent !== 1 && stop(), 500);
    watch.unref();
    if (isDaemon) process.on("SIGHUP", () => undefined);
    for (const name of ["SIGINT", "SIGTERM", ...(isDaemon ? [] : (["SIGHUP"] as const))] as const) {
      let seen = 0;
      process.on(name, () => {
        // npm forwards a Ctrl-C that the terminal has also sent to this process, so only the third signal forces an exit.
        if (++seen > 2) process.exit(130);
        stop();
      });
    }
  });
  return {
    get aborted() {
      return aborted;
    },
    reached,
  };
}
