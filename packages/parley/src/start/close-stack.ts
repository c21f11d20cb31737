/** Closes resources in reverse order of registration; an error does not prevent the remaining ones from closing. */
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
