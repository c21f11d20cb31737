/** Items that wait for their turn: those of one entity one at a time and in order, those of others beside them. */
export interface EntityQueue<T> {
  push(item: T): void;
  /** -> the item that has waited longest of those that may start, if one may. */
  take(): T | undefined;
  /** Lets the next item of the same entity start. */
  done(item: T): void;
  /** Leaves out those that wait and fit. */
  drop(fits: (item: T) => boolean): void;
  /** Items that wait or are under way. */
  size(): number;
}

export const entityQueue = <T>(entityOf: (item: T) => string, slots: number): EntityQueue<T> => {
  let ready: T[] = [];
  // Has an entry for each entity with an item ready or under way: those behind it.
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
      const others = behind.get(entity);
      if (others) others.push(item);
      else {
        behind.set(entity, []);
        ready.push(item);
      }
    },
    take() {
      if (running >= slots) return undefined;
      const item = ready.shift();
      if (item !== undefined) running += 1;
      return item;
    },
    done(item) {
      running -= 1;
      size -= 1;
      advance(entityOf(item));
    },
    drop(fits) {
      for (const [entity, items] of behind) {
        const kept = items.filter((item) => !fits(item));
        size -= items.length - kept.length;
        behind.set(entity, kept);
      }
      const out = ready.filter(fits);
      ready = ready.filter((item) => !fits(item));
      size -= out.length;
      for (const item of out) advance(entityOf(item));
    },
    size: () => size,
  };
};
