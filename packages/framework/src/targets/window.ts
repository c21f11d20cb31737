/** @units milliseconds */
const MINUTE = 60_000;

/** Counts calls in windows of a minute, by key. @units `now` in milliseconds */
export const minuteWindows = (most: number, now: () => number) => {
  const windows = new Map<string, { readonly begun: number; used: number }>();
  /** -> 0 when one more is allowed, else how long until it is. @units seconds */
  return (key: string): number => {
    const present = now();
    const before = windows.get(key);
    const isOver = !before || present - before.begun >= MINUTE || present < before.begun;
    const window = isOver ? { begun: present, used: 0 } : before;
    windows.set(key, window);
    window.used += 1;
    return window.used <= most ? 0 : Math.max(1, Math.ceil((window.begun + MINUTE - present) / 1000));
  };
};
