const watchers = new Set<Set<string>>();

/** An event has changed a conversation. */
export const noteTouched = (id: string): void => {
  for (const ids of watchers) ids.add(id);
};

/** -> a function that ends the watch and returns the conversations that events have changed since: a response about them may be older */
export const watchTouched = (): (() => ReadonlySet<string>) => {
  const ids = new Set<string>();
  watchers.add(ids);
  return () => {
    watchers.delete(ids);
    return ids;
  };
};
