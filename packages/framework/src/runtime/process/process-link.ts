import type { Duplex, Readable } from "node:stream";
import type { ChildMessage, HostMessage } from "@parley/contract";
import type { HostSettings } from "../../environment/settings.ts";
import { endProgram, KILLED_STATUS } from "../../sandbox/confined-program.ts";
import type { LaunchProgram } from "./launch.ts";
import type { AppLog } from "./log.ts";
import { readLines, parseMessageLine } from "../../sandbox/message-lines.ts";

/** Connection to a process that speaks the child's message protocol. */
interface ProcessLink {
  send(message: HostMessage): void;
  /** Ends the process at once. The first reason is kept. */
  end(reason: string): void;
  readonly isAlive: () => boolean;
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
}

/** Maximum line of standard output and error, which carry no messages. @units bytes */
const OUTPUT_LINE_MAX = 65_536;
/** Maximum backlog for a child that does not read. @units bytes */
const UNREAD_BYTES_MAX = 32 * 1024 * 1024;
const OUT_OF_MEMORY = /heap out of memory|allocation failed|Cannot allocate memory|bad_alloc/i;
const V8_REPORT = /^\s*$|^<---|^\[\d+:0x|^ ?\d+: 0x|^#|^----- |^\s+at /;

/** Starts a process and reads its messages. A line that is not a valid message ends the process. */
export function openProcessLink({ launch, program, receive, log, settings }: ProcessLinkOptions): ProcessLink {
  const child = launch(program, settings);
  const [, stdout, stderr, lifeline, channel] = child.stdio as unknown as [unknown, Readable, Readable, Duplex, Duplex];
  let reason: string | undefined;
  let alive = true;

  const end = (reasonOfEnd: string) => {
    reason ??= reasonOfEnd;
    alive = false;
    endProgram(child);
  };
  const writeOutput = (line: string) => {
    if (OUT_OF_MEMORY.test(line)) reason ??= "it ran out of memory";
    if (!V8_REPORT.test(line)) log("info", line);
  };

  for (const stream of [stdout, stderr, lifeline, channel]) stream.on("error", () => undefined);
  for (const stream of [stdout, stderr])
    readLines(stream, OUTPUT_LINE_MAX, writeOutput, () => end("it wrote a line without an end"));
  readLines(
    channel,
    settings.maxMessageBytes,
    (line) => {
      if (!alive) return;
      const message = parseMessageLine(line);
      if (message) receive(message);
      else end("it sent a line that is not a message of the protocol");
    },
    () => end(`it sent a message of more than ${settings.maxMessageBytes} bytes`),
  );
  // The process has ended, or has closed its channel and continues without it.
  channel.on("close", () => {
    alive = false;
    endProgram(child);
  });

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
    send(message) {
      if (!alive) return;
      channel.write(`${JSON.stringify(message)}\n`);
      if (channel.writableLength > UNREAD_BYTES_MAX) end("it does not read the host's replies");
    },
    end,
    isAlive: () => alive,
    ended,
  };
}
