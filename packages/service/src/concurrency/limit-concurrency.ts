/** Runs at most `max` calls at a time. Others wait in the order in which they were made. */
export const limitConcurrency = <A extends readonly unknown[], T>(
  max: number,
  work: (...args: A) => Promise<T>,
): ((...args: A) => Promise<T>) => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (...args) => {
    if (running < max) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work(...args);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
};
