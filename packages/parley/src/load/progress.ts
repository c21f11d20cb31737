import cliProgress from "cli-progress";
import type { LoadResult } from "@parley/service";

/** Progress display of a load. */
interface LoadProgress {
  readonly show: (done: LoadResult) => void;
  readonly end: () => void;
}

/** Interval between lines when standard error is not a terminal. @units milliseconds */
const lineIntervalMs = 5_000;

const number = (value: number): string => value.toLocaleString("en");

/** Shows a bar on a terminal, otherwise a line at intervals; always on standard error. */
export const createLoadProgress = (target: Pick<LoadResult, "users" | "messages">): LoadProgress => {
  const total = target.users + target.messages;
  if (process.stderr.isTTY) {
    const bar = new cliProgress.SingleBar(
      { format: "  {bar} {percentage} %  {users} users, {messages} messages  {eta_formatted} left", hideCursor: true },
      cliProgress.Presets.shades_classic,
    );
    bar.start(total, 0, { users: "0", messages: "0" });
    return {
      show: ({ users, messages }) => bar.update(users + messages, { users: number(users), messages: number(messages) }),
      end: () => bar.stop(),
    };
  }
  let last = performance.now();
  return {
    show: ({ users, messages }) => {
      if (performance.now() - last < lineIntervalMs) return;
      last = performance.now();
      const part = Math.floor((100 * (users + messages)) / total);
      process.stderr.write(`${part} %: ${number(users)} users, ${number(messages)} messages\n`);
    },
    end: () => undefined,
  };
};
