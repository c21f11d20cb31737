/**
 * Told to stop: Ctrl-C, SIGTERM, a closed terminal, or the death of the shell that started us.
 * @shape isDaemon: terminal and shell may go
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
    // A parent that ends without passing a signal on (npm killed by its id, a shell in between) leaves us to another parent.
    const watch = setInterval(() => !isDaemon && process.ppid !== parent && parent !== 1 && stop(), 500);
    watch.unref();
    if (isDaemon) process.on("SIGHUP", () => undefined);
    for (const name of ["SIGINT", "SIGTERM", ...(isDaemon ? [] : (["SIGHUP"] as const))] as const) {
      let seen = 0;
      process.on(name, () => {
        // npm passes on a Ctrl-C that the terminal has sent to us already: only a third one means "now".
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
