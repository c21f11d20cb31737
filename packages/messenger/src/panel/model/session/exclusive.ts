/** Runs work one after another in this page. -> result of the work */
export const createQueue = (): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
};

/**
 * Runs the work while no other tab of this browser does, as far as the browser has locks for this page. They are missing without https, and
 * refused where storage is blocked.
 */
export const withLock = async <T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
  if (!("locks" in navigator)) return work();
  let isStarted = false;
  try {
    return await navigator.locks.request(name, { ...(signal && { signal }) }, () => {
      isStarted = true;
      return work();
    });
  } catch (error) {
    if (isStarted || signal?.aborted) throw error;
    return work();
  }
};
