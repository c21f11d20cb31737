/** Notifies the readers of the event log in this process that events were committed. Readers of other processes poll, or are notified by PostgreSQL. */
interface CommitSignal {
  notify(): void;
  /** Calls the reader after each commit. A reader must not throw and must not wait. */
  subscribe(reader: () => void): void;
}

export const createCommitSignal = (): CommitSignal => {
  const readers: (() => void)[] = [];
  return {
    notify: () => {
      for (const reader of readers) reader();
    },
    subscribe: (reader) => void readers.push(reader),
  };
};
