const queues = new Map<string, Promise<unknown>>();

/**
 * Runs work of one key after all earlier work of this key, whatever became of it.
 * -> the value of the work, and whether no later work of the key waits
 */
export const inOrder = async <T>(
  key: string,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly isLast: boolean }> => {
  const done = (queues.get(key) ?? Promise.resolve()).then(work, work);
  queues.set(key, done);
  try {
    const value = await done;
    return { value, isLast: queues.get(key) === done };
  } finally {
    if (queues.get(key) === done) queues.delete(key);
  }
};
