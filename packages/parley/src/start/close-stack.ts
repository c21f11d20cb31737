/** Closes resources in reverse order of registration; an error does not prevent the remaining ones from closing. */
export const createCloseStack = () => {
  const closers: (() => Promise<void>)[] = [];
  return {
    add: (end: () => Promise<void>) => void closers.push(end),
    async close() {
      for (let end = closers.pop(); end; end = closers.pop()) await end().catch(() => undefined);
    },
  };
};
export type CloseStack = ReturnType<typeof createCloseStack>;
