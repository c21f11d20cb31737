/** Ends what was begun, the newest first; a failing end doesn't keep the others running. */
export const createCloseStack = () => {
  const ends: (() => Promise<void>)[] = [];
  return {
    add: (end: () => Promise<void>) => void ends.push(end),
    async close() {
      for (let end = ends.pop(); end; end = ends.pop()) await end().catch(() => undefined);
    },
  };
};
export type CloseStack = ReturnType<typeof createCloseStack>;
