/** How long a line that says the same is not said again. @units milliseconds */
const QUIET = 5_000;

/** Says a line, and in a flood of the same only how often it came: what fails for one fails for thousands. */
export const sayOnce = (log: (line: string) => void): ((key: string, line: string) => void) => {
  const said = new Map<string, { readonly at: number; count: number }>();
  return (key, line) => {
    const now = performance.now();
    const present = said.get(key);
    if (present && now - present.at < QUIET) {
      present.count++;
      return;
    }
    said.set(key, { at: now, count: 0 });
    log(present?.count ? `${line}\n(and ${present.count} times more since it was said last)` : line);
  };
};
