/** How far a subscription has come in one partition. */
export interface Progress {
  /** An event is taken in, in the log's order. */
  readonly begin: (seq: number) => void;
  /** An event is done with, in any order. */
  readonly end: (seq: number) => void;
  /** -> the position up to which everything is done; `taken` is the position up to which events were taken in. */
  readonly cursor: (taken: number) => number;
}

export const progress = (): Progress => {
  // A Set keeps the order of insertion: its first is the oldest.
  const outstanding = new Set<number>();
  return {
    begin: (seq) => void outstanding.add(seq),
    end: (seq) => void outstanding.delete(seq),
    cursor: (taken) => {
      const [oldest] = outstanding;
      return oldest === undefined ? taken : oldest - 1;
    },
  };
};
