/** Resolves after so long, where the runtime has timers; elsewhere never, and the time is looked at between requests only. */
const after = (milliseconds: number): { readonly over: Promise<"over">; readonly clear: () => void } => {
  if (typeof setTimeout !== "function") return { over: new Promise(() => undefined), clear: () => undefined };
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<"over">((resolve) => (timer = setTimeout(resolve, milliseconds, "over")));
  return { over, clear: () => clearTimeout(timer) };
};

/** What the requests of one event may take of time together, from the first one on. @units milliseconds */
export const timeBudget = (milliseconds = Infinity) => {
  let begun: number | undefined;
  return {
    milliseconds,
    /** -> what is left; who asks first begins it */
    left(): number {
      begun ??= performance.now();
      return begun + milliseconds - performance.now();
    },
    /** -> "over" when it takes longer than is left */
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
