import type { Db } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import { sleep } from "../../base/concurrency/wake-signal.ts";
import { notifyPayloads } from "../../base/log/notifications.sql.ts";
import { encodedMessage, isSendable, type ProcessMessage } from "./process-messages.ts";

/** Messages in one statement. */
const BATCH_SIZE = 100;
/** Messages that wait while the database is unreachable. Beyond it the oldest are dropped. */
const WAITING_MAX = 10_000;
/** @units milliseconds */
const RETRY_DELAY_MS = 250;

interface BroadcastDeps {
  readonly db: Db;
  readonly processId: string;
  /** Ends the repetition of attempts. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Sends messages to all processes, in their order. */
interface Broadcast {
  /** Does not wait and does not fail. */
  send(message: ProcessMessage): void;
  /** Whether the other processes know of this one. */
  hasSent(): boolean;
  /** Resolves when all messages are sent, or given up after the abort of the signal. */
  flushed(): Promise<void>;
}

export const createBroadcast = ({ db, processId, signal, log }: BroadcastDeps): Broadcast => {
  const waiting: string[] = [];
  let sending: Promise<void> = Promise.resolve();
  let isSending = false;
  let number = 0;
  let lastError: string | undefined;

  const sendWaiting = async (): Promise<void> => {
    isSending = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_SIZE);
      try {
        await notifyPayloads(db, "live", batch);
        waiting.splice(0, batch.length);
        lastError = undefined;
      } catch (error) {
        const line = failureText(error);
        if (signal.aborted) waiting.length = 0;
        if (line !== lastError) log(line, { level: "error", part: "presence" });
        lastError = line;
        await sleep(RETRY_DELAY_MS, signal);
      }
    }
    isSending = false;
  };
  const begin = (): Promise<void> => {
    if (!isSending) sending = sendWaiting();
    return sending;
  };

  return {
    send(message) {
      number += 1;
      const payload = encodedMessage({ from: processId, number, message });
      if (!isSendable(payload))
        return log(`a message of the kind ${message.kind} is too long to be sent.`, {
          level: "error",
          part: "presence",
        });
      waiting.push(payload);
      // The first messages are being sent.
      if (waiting.length > WAITING_MAX) waiting.splice(BATCH_SIZE, 1);
      void begin();
    },
    hasSent: () => number > 0,
    flushed: async () => {
      while (waiting.length > 0) await begin();
    },
  };
};
