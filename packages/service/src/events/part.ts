import type { Tenure } from "./leases.ts";
import { progress } from "./progress.ts";

/** One partition as one lane serves it. */
export interface Part {
  readonly tenure: Tenure;
  /** Up to where its events were taken in, at least. */
  position(): number;
  reach(position: number): void;
  /** -> false for an event that was taken in before */
  begin(seq: number): boolean;
  started(): void;
  /** A delivery ended; the event is done with, or left for whoever serves the partition next. */
  ended(seq: number, isDone: boolean): void;
  /** Resolves when no delivery is under way. */
  emptied(): Promise<void>;
  /** Everything up to it is done with; `taken`: the lane took in all up to there. */
  cursor(taken: number): number;
  /** -> the cursor if it is worth saving: something was done, or it passed `lag` positions of others; then it counts as saved */
  moved(taken: number, lag: number): number | undefined;
}

export const part = (tenure: Tenure, from: number): Part => {
  const events = progress();
  let position = from;
  let saved = from;
  let touched = false;
  let underWay = 0;
  let tellEmpty: (() => void) | undefined;

  const cursorAt = (taken: number) => events.cursor(Math.max(taken, position));
  return {
    tenure,
    position: () => position,
    reach: (reached) => {
      position = Math.max(position, reached);
    },
    begin: (seq) => {
      if (seq <= position) return false;
      position = seq;
      events.begin(seq);
      return true;
    },
    started: () => {
      underWay += 1;
    },
    ended: (seq, isDone) => {
      underWay -= 1;
      if (isDone) {
        events.end(seq);
        touched = true;
      }
      if (underWay === 0) tellEmpty?.();
    },
    emptied: () =>
      new Promise((resolve) => {
        if (underWay === 0) resolve();
        else tellEmpty = resolve;
      }),
    cursor: cursorAt,
    moved: (taken, lag) => {
      const reached = cursorAt(taken);
      if (reached <= saved || (!touched && reached - saved < lag)) return undefined;
      saved = reached;
      touched = false;
      return reached;
    },
  };
};
