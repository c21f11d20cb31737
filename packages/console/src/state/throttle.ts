/**
 * Gathers values, and handles them at most once in a time: at once after a quiet time, else when the time is over.
 * @units intervalMs: milliseconds
 */
export const createThrottle = <T>(
  intervalMs: number,
  handle: (values: ReadonlySet<T>) => void,
): ((values: Iterable<T>) => void) => {
  let waiting = new Set<T>();
  let lastMs = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const flush = (): void => {
    timer = undefined;
    lastMs = Date.now();
    const values = waiting;
    waiting = new Set();
    handle(values);
  };
  return (values) => {
    for (const value of values) waiting.add(value);
    if (waiting.size === 0 || timer !== undefined) return;
    // Not within the same call: the changes of a batch of events are handled together.
    timer = setTimeout(flush, Math.max(0, lastMs + intervalMs - Date.now()));
  };
};
