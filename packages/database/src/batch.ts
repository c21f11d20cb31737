/** How items of one queue may share a batch. */
export interface BatchRules<I> {
  /** Items of one key keep their order over batches. */
  readonly keyOf?: ((item: I) => string | undefined) | undefined;
  /** Such an item shares a batch with no other item of its key. */
  readonly exclusive?: ((item: I) => boolean) | undefined;
}

/** Takes the next batch out of the queue: the oldest items first, passing over keys that have to wait for a following batch. */
export function takeBatch<E>(queue: E[], maxBatch: number, rules: BatchRules<E>): E[] {
  const { keyOf, exclusive } = rules;
  if (!keyOf || !exclusive) return queue.splice(0, maxBatch);
  const batch: E[] = [];
  const waiting: E[] = [];
  const present = new Set<string>();
  const closed = new Set<string>();
  let seen = 0;
  for (; seen < queue.length && batch.length < maxBatch; seen++) {
    const entry = queue[seen] as E;
    const key = keyOf(entry);
    if (key === undefined) {
      batch.push(entry);
      continue;
    }
    const alone = exclusive(entry);
    if (closed.has(key) || (alone && present.has(key))) {
      // What follows of this key waits too, else it would overtake.
      closed.add(key);
      waiting.push(entry);
      continue;
    }
    present.add(key);
    if (alone) closed.add(key);
    batch.push(entry);
  }
  queue.splice(0, seen, ...waiting);
  return batch;
}
