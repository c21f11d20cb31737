/** Queue that lets one item of each entity run at a time, in order, and items of different entities side by side. */
export interface EntityQueue<T> {
  push(item: T): void;
  /** -> the item that has waited longest of those that may start; undefined when none may */
  take(): T | undefined;
  /** Marks an item as finished: the next item of its entity may start. */
  done(item: T): void;
  /** Removes the waiting items that match. */
  drop(matches: (item: T) => boolean): void;
  /** Items that wait or are under way. */
  size(): number;
}

export const createEntityQueue = <T>(entityOf: (item: T) => string, maxRunning: number): EntityQueue<T> => {
  let ready: T[] = [];
  /** An entry for each entity with an item that is ready or under way: the items that wait behind it. */
  const behind = new Map<string, T[]>();
  let running = 0;
  let size = 0;

  const advance = (entity: string): void => {
    const next = behind.get(entity)?.shift();
    if (next === undefined) behind.delete(entity);
    else ready.push(next);
  };

  return {
    push(item) {
      size += 1;
      const entity = entityOf(item);
      const waiting = behind.get(entity);
      if (waiting) waiting.push(item);
      else {
        behind.set(entity, []);
        ready.push(item);
      }
    },
    take() {
      if (running >= maxRunning) return undefined;
      const item = ready.shift();
      if (item !== undefined) running += 1;
      return item;
    },
    done(item) {
      running -= 1;
      size -= 1;
      advance(entityOf(item));
    },
    drop(matches) {
      for (const [entity, items] of behind) {
        const kept = items.filter((item) => !matches(item));
        size -= items.length - kept.length;
        behind.set(entity, kept);
      }
      const dropped = ready.filter(matches);
      ready = ready.filter((item) => !matches(item));
      size -= dropped.length;
      for (const item of dropped) advance(entityOf(item));
    },
    size: () => size,
  };
};
