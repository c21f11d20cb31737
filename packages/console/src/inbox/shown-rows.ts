let shown: ReadonlySet<string> = new Set();

/** Ids of the conversations that the list shows at present. */
export const shownIds = (): ReadonlySet<string> => shown;

export const noteShown = (ids: readonly string[]): void => {
  shown = new Set(ids);
};
