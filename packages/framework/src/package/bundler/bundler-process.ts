import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { Compile } from "typebox/compile";
import { readLines } from "../../sandbox/message-lines.ts";
import { BundlerReply, type BundlerAnswer, type BundlerJob } from "./job.ts";

/** A job failed. The message is a reason for use in a finding. */
export class BundlingFailed extends Error {
  override readonly name = "BundlingFailed";
}

/** Time limit of one job. @units milliseconds */
const JOB_TIMEOUT_MS = 30_000;
/** Maximum size of a reply. */
const REPLY_BYTES_MAX = 128 * 1024 * 1024;
const STDERR_LINE_BYTES_MAX = 64 * 1024;

const isReply = Compile(BundlerReply);
const replyIn = (line: string): BundlerReply | undefined => {
  try {
    const reply: unknown = JSON.parse(line);
    return isReply.Check(reply) ? reply : undefined;
  } catch {
    return undefined;
  }
};

export interface BundlerProcess {
  /** @errors BundlingFailed */
  run(job: BundlerJob): Promise<BundlerAnswer>;
  readonly isAlive: () => boolean;
  /** Number of running jobs. */
  readonly runningJobs: () => number;
  end(): void;
}

interface PendingJob {
  readonly resolve: (answer: BundlerAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Client of a running bundler program. A line that is not a valid reply ends the program. @shape endChild: ends the program */
export function bundlerProcess(child: ChildProcess, endChild: (child: ChildProcess) => void): BundlerProcess {
  const [stdin, stdout, stderr] = child.stdio as unknown as [Writable, Readable, Readable];
  const pending = new Map<number, PendingJob>();
  let lastId = 0;
  let reason: string | undefined;

  /** Keeps the host's event loop alive only while jobs are running. */
  const keepAliveWhileBusy = (isBusy: boolean) => {
    for (const part of [child, stdout as Socket])
      if (isBusy) part.ref();
      else part.unref();
  };
  const settle = (id: number, end: (job: PendingJob) => void) => {
    const job = pending.get(id);
    if (!job) return;
    pending.delete(id);
    clearTimeout(job.timer);
    if (pending.size === 0) keepAliveWhileBusy(false);
    end(job);
  };
  const end = (why: string) => {
    if (reason !== undefined) return;
    reason = why;
    endChild(child);
    for (const id of [...pending.keys()]) settle(id, ({ reject }) => reject(new BundlingFailed(why)));
  };

  for (const stream of child.stdio) stream?.on("error", () => undefined);
  child.once("error", () => end("the bundler can't be started"));
  child.once("exit", () => end("the bundler ended: the app's files need more memory or time than it may use"));
  readLines(
    stdout,
    REPLY_BYTES_MAX,
    (line) => {
      const reply = replyIn(line);
      if (!reply) return end("the bundler ended: its reply was not understood");
      if ("answer" in reply) settle(reply.id, ({ resolve }) => resolve(reply.answer));
      else settle(reply.id, ({ reject }) => reject(new BundlingFailed(`the bundler failed: ${reply.failure}`)));
    },
    () => end(`the result is larger than ${REPLY_BYTES_MAX} bytes`),
  );
  readLines(
    stderr,
    STDERR_LINE_BYTES_MAX,
    () => undefined,
    () => undefined,
  );
  for (const stream of child.stdio) (stream as Socket | null)?.unref();
  keepAliveWhileBusy(false);

  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        if (reason !== undefined) return reject(new BundlingFailed(reason));
        const id = (lastId += 1);
        const timer = setTimeout(() => end(`it takes longer than ${JOB_TIMEOUT_MS / 1000} seconds`), JOB_TIMEOUT_MS);
        pending.set(id, { resolve, reject, timer });
        keepAliveWhileBusy(true);
        stdin.write(`${JSON.stringify({ id, job })}\n`);
      }),
    isAlive: () => reason === undefined,
    runningJobs: () => pending.size,
    end: () => end("the bundler was closed"),
  };
}
