/** Resolves after a time if the runtime has timers; without them never, and the time is checked between requests only. */
const after = (milliseconds: number): { readonly over: Promise<"over">; readonly clear: () => void } => {
  if (typeof setTimeout !== "function") return { over: new Promise(() => undefined), clear: () => undefined };
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<"over">((resolve) => (timer = setTimeout(resolve, milliseconds, "over")));
  return { over, clear: () => clearTimeout(timer) };
};

/** Time limit for all requests of one event together, starting with the first one. @units milliseconds */
export const timeBudget = (milliseconds = Infinity) => {
  let begun: number | undefined;
  return {
    milliseconds,
    /** -> the remaining time; the first call starts it */
    left(): number {
      begun ??= performance.now();
      return begun + milliseconds - performance.now();
    },
    /** -> "over" if it takes longer than the remaining time */
    async within<T>(asked: Promise<T>): Promise<T | "over"> {
      const left = this.left();
      if (!Number.isFinite(left)) return asked;
      const timer = after(left);
      const answer = await Promise.race([asked, timer.over]);
      timer.clear();
      return answer;
    },
  };
};
export type TimeBudget = ReturnType<typeof timeBudget>;
