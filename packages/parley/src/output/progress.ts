import cliProgress from "cli-progress";
import type { LoadResult } from "@parley/service";

/** Interval between lines when standard error is not a terminal. @units milliseconds */
const LINE_INTERVAL_MS = 5_000;

const number = (value: number): string => value.toLocaleString("en");

/** Progress display of an import, an export or a backup. */
interface RecordProgress {
  /** @shape part: amount done, in the unit of `total` */
  readonly show: (part: number, records: number) => void;
  readonly end: () => void;
}

/** Shows a bar on a terminal, otherwise a line at intervals; always on standard error. @shape total: 0 when the total is unknown */
export const createRecordProgress = (total: number): RecordProgress => {
  const startTime = performance.now();
  const rate = (records: number) => number(Math.round((records * 1_000) / Math.max(1, performance.now() - startTime)));
  if (process.stderr.isTTY && total > 0) {
    const format = "  {bar} {percentage} %  {records} records, {rate} a second";
    const bar = new cliProgress.SingleBar(
      { format, hideCursor: true, barsize: 24 },
      cliProgress.Presets.shades_classic,
    );
    bar.start(total, 0, { records: "0", rate: "0" });
    return {
      show: (part, records) => bar.update(part, { records: number(records), rate: rate(records) }),
      end: () => bar.stop(),
    };
  }
  let last = performance.now();
  return {
    show: (part, records) => {
      if (performance.now() - last < LINE_INTERVAL_MS) return;
      last = performance.now();
      const share = total > 0 ? `${Math.floor((100 * part) / total)} %: ` : "";
      process.stderr.write(`${share}${number(records)} records, ${rate(records)} a second\n`);
    },
    end: () => undefined,
  };
};

/** Progress display of a load. */
interface LoadProgress {
  readonly show: (done: LoadResult) => void;
  readonly end: () => void;
}

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
      if (performance.now() - last < LINE_INTERVAL_MS) return;
      last = performance.now();
      const part = Math.floor((100 * (users + messages)) / total);
      process.stderr.write(`${part} %: ${number(users)} users, ${number(messages)} messages\n`);
    },
    end: () => undefined,
  };
};
