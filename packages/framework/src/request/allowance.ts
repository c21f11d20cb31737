const MINUTE = 60_000;

/** -> whether the account may have one more; it then counts. */
export type Allowance = (account: string) => boolean;

/** Counts requests of each account in windows of a minute. @units `now` in milliseconds */
export const allowance = (perMinute: number, now: () => number): Allowance => {
  const windows = new Map<string, { readonly begun: number; used: number }>();
  return (account) => {
    const time = now();
    const known = windows.get(account);
    // A clock that is set back begins a new one too.
    const isOpen = known && time >= known.begun && time - known.begun < MINUTE;
    const window = isOpen ? known : { begun: time, used: 0 };
    if (!isOpen) windows.set(account, window);
    window.used += 1;
    return window.used <= perMinute;
  };
};
