import cliProgress from "cli-progress";
import type { LoadResult } from "@parley/service";

/** Shows how far a load is. */
interface LoadProgress {
  readonly show: (done: LoadResult) => void;
  readonly end: () => void;
}

/** Between two lines where there is no terminal. @units milliseconds */
const PAUSE = 5_000;

const number = (value: number): string => value.toLocaleString("en");

/** On a terminal a bar, elsewhere a line now and then; always on the standard error. */
export const createLoadProgress = (whole: Pick<LoadResult, "users" | "messages">): LoadProgress => {
  const total = whole.users + whole.messages;
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
      if (performance.now() - last < PAUSE) return;
      last = performance.now();
      const part = Math.floor((100 * (users + messages)) / total);
      process.stderr.write(`${part} %: ${number(users)} users, ${number(messages)} messages\n`);
    },
    end: () => undefined,
  };
};
