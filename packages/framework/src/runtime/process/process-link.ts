import type { Duplex, Readable } from "node:stream";
import type { ChildMessage, HostMessage } from "@parley/contract";
import type { HostPorts } from "../../environment/ports.ts";
import type { HostSettings } from "../../environment/settings.ts";
import { endProgram, KILLED_STATUS } from "../../sandbox/confined-program.ts";
import type { AppLog } from "./log.ts";
import { createMessageWriter } from "./message-writer.ts";
import { readLines, parseMessageLine } from "../../sandbox/message-lines.ts";
import type { ChildProcess } from "node:child_process";
import { messageBudgetOf, type MessageBudget } from "./installation-budget.ts";
import type { Boundary } from "../../sandbox/boundary.ts";

interface MemoryLimits {
  readonly heapMb: number;
  readonly dataMb: number;
}

/** Starts a process for an app's code. Descriptor 3 of the process is its lifeline, 4 the channel. */
export interface LaunchProgram {
  (script: string, limits: MemoryLimits): ChildProcess;
}

/** Node 22 renamed the option. With either name a process has no access to files, processes, workers or addons unless permitted. */
const permission = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

/** @units files; seconds of processor time, after which the next call begins a new process; mebibytes */
const LIMITS = { openFiles: 128, processorSeconds: 3_600, fileMb: 0 };

/**
 * Size of a half of the space for new objects. A busy process takes a third less memory than with the default of 16, for a tenth more
 * processor time. @units mebibytes
 */
const SEMI_SPACE_MB = 2;

/**
 * Under Node's permission model a process can use its own inspector only with this option. Earlier versions lack the option: there, a process
 * whose coverage is measured is confined by the operating system's boundary alone.
 */
const ALLOW_INSPECTOR = "--allow-inspector";
const countingOptions = process.allowedNodeEnvironmentFlags.has(ALLOW_INSPECTOR) ? [permission, ALLOW_INSPECTOR] : [];

/**
 * Runs apps' code inside a boundary and under Node's permission model.
 * @shape isCounted: whether the processes measure coverage; only inside a strong boundary
 */
export const createLauncher =
  ({ start }: Boundary, isCounted = false): LaunchProgram =>
  (script, { heapMb, dataMb }) => {
    const child = start({
      args: [
        ...(isCounted ? countingOptions : [permission]),
        ...[`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${SEMI_SPACE_MB}`, "--no-warnings", "-"],
      ],
      limits: { ...LIMITS, dataMb },
      environment: { TZ: "UTC" },
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    child.stdin?.on("error", () => undefined);
    // In a function, because names at the top level of a script are global; by standard input, because the process may not be able to read a file.
    child.stdin?.end(`(() => {"use strict";${script}\n})()`);
    return child;
  };

/** Connection to a process that speaks the child's message protocol. */
interface ProcessLink {
  /** Resolves when the message is written, or never will be. */
  send(message: HostMessage): Promise<void>;
  /** Ends the process at once. The first reason is kept. */
  end(reason: string): void;
  readonly isAlive: () => boolean;
  /** Process id of the launcher; undefined if nothing could be started. */
  readonly pid: number | undefined;
  /** Resolves with the reason when no process of it is left. */
  readonly ended: Promise<string>;
}

export interface ProcessLinkOptions {
  readonly launch: LaunchProgram;
  /** Source text of the child's program. */
  readonly program: string;
  readonly receive: (message: ChildMessage) => void;
  readonly log: AppLog;
  readonly settings: HostSettings;
  /** Clock that the app's code sees in place of the machine's. */
  readonly handlerClock?: HostPorts["handlerClock"];
  /** Limits of the installation's messages. Default: a budget of this process. */
  readonly messages?: MessageBudget;
}

/** Maximum line of standard output and error, which carry no messages. @units bytes */
const OUTPUT_LINE_MAX = 65_536;
/** Maximum backlog for a child that does not read. @units bytes */
const UNREAD_BYTES_MAX = 32 * 1024 * 1024;
const LOG_MESSAGE_START = '{"t":"log"';
const OUT_OF_MEMORY = /heap out of memory|allocation failed|Cannot allocate memory|bad_alloc/i;
const V8_REPORT = /^\s*$|^<---|^\[\d+:0x|^ ?\d+: 0x|^#|^----- |^\s+at /;

/** Starts a process and reads its messages. A line that is not a valid message ends the process. */
export function openProcessLink({
  launch,
  program,
  receive,
  log,
  settings,
  handlerClock,
  ...limits
}: ProcessLinkOptions): ProcessLink {
  const messages = limits.messages ?? messageBudgetOf(settings);
  const child = launch(program, settings);
  const [, stdout, stderr, lifeline, channel] = child.stdio as unknown as [unknown, Readable, Readable, Duplex, Duplex];
  let reason: string | undefined;
  let alive = true;

  const end = (reasonOfEnd: string) => {
    reason ??= reasonOfEnd;
    alive = false;
    endProgram(child);
  };
  /** A line beyond the limit is not parsed. */
  const admitLine = (): boolean => {
    if (!messages.admitLine()) {
      if (messages.isFlooding()) end("it sent log lines or messages without an end");
      return false;
    }
    const dropped = messages.takeDropped();
    if (dropped > 0) log("warn", `${dropped} more lines were dropped`);
    return true;
  };
  const pauseMs = () => messages.pauseMs();
  const writeOutput = (line: string) => {
    if (OUT_OF_MEMORY.test(line)) reason ??= "it ran out of memory";
    if (!V8_REPORT.test(line) && admitLine()) log("info", line);
  };

  for (const stream of [stdout, stderr, lifeline, channel]) stream.on("error", () => undefined);
  for (const stream of [stdout, stderr])
    readLines(stream, OUTPUT_LINE_MAX, writeOutput, () => end("it wrote a line without an end"), pauseMs);
  readLines(
    channel,
    settings.maxMessageBytes,
    (line) => {
      // The child's own program writes the members in this order.
      const isLog = line.startsWith(LOG_MESSAGE_START);
      if (!alive || (isLog && !admitLine())) return;
      const message = parseMessageLine(line);
      if (!message) return end("it sent a line that is not a message of the protocol");
      if (message.t === "log" && !isLog && !admitLine()) return;
      receive(message);
      if (messages.isFlooding()) end("it sent log lines or messages without an end");
    },
    () => end(`it sent a message of more than ${settings.maxMessageBytes} bytes`),
    pauseMs,
  );
  // The process has ended, or has closed its channel and continues without it.
  channel.on("close", () => {
    alive = false;
    endProgram(child);
  });

  const outgoing = createMessageWriter(channel, UNREAD_BYTES_MAX, () => end("it does not read the host's replies"));
  const ended = new Promise<string>((resolve) => {
    const settle = (reasonOfEnd: string) => {
      alive = false;
      resolve((reason ??= reasonOfEnd));
    };
    child.once("error", (error) => settle(`it could not be started: ${error.message}`));
    child.once("close", (status) =>
      settle(
        status === null || status === KILLED_STATUS
          ? "it was killed, or closed its channel"
          : `it ended with status ${status}`,
      ),
    );
  });

  return {
    async send(message) {
      if (!alive) return;
      const clock = handlerClock?.();
      await outgoing.send(clock ? { ...message, clock } : message);
    },
    pid: child.pid,
    end,
    isAlive: () => alive,
    ended,
  };
}
