import type { Writable } from "node:stream";
import type { HostMessage } from "@parley/contract";

/** A text of a reply that is longer is written in pieces of this length, each in a turn of the event loop of its own. @units characters */
const PIECE_LENGTH = 262_144;

/** Messages that may wait behind a long reply. */
const QUEUE_LENGTH_MAX = 10_000;

/** The member of a reply that may be long: the body of a response. */
const LONG_MEMBERS = ["response", "body"] as const;

/** -> the text of a message around its long member, and the long text; undefined if the message is short */
const splitLong = (message: HostMessage): readonly [before: string, long: string, after: string] | undefined => {
  if (message.t !== "reply" || !("value" in message)) return undefined;
  const { value } = message;
  if (typeof value !== "object" || value === null) return undefined;
  for (const member of LONG_MEMBERS) {
    const long: unknown = Object.hasOwn(value, member) ? (value as Record<string, unknown>)[member] : undefined;
    if (typeof long !== "string" || long.length <= PIECE_LENGTH) continue;
    const { [member]: _, ...others } = value as Record<string, unknown>;
    const rest = JSON.stringify(others).slice(1);
    return [`{"t":"reply","id":${message.id},"value":{"${member}":"`, long, `"${rest === "}" ? "" : ","}${rest}}`];
  }
  return undefined;
};

/** Writes messages as lines, in order. */
interface MessageWriter {
  /** Resolves when the message is written, or when the stream is closed. */
  send(message: HostMessage): Promise<void>;
}

/**
 * A long reply is serialised in pieces, so that the event loop is free between them and no more than a piece waits for a slow reader. Its
 * pieces are escaped separately: a surrogate at the edge of a piece is escaped by itself, which a parser joins again.
 * @shape onFull: called if more than `maxBytes` wait for a process that does not read
 */
export const createMessageWriter = (stream: Writable, maxBytes: number, onFull: () => void): MessageWriter => {
  /** The end of the long reply that is being written, and of the messages behind it. */
  let last: Promise<void> | undefined;
  let queued = 0;

  const write = (text: string): Promise<void> =>
    new Promise((resolve) => {
      // Called with an error, too, when the stream is destroyed.
      stream.write(text, () => resolve());
      if (stream.writableLength > maxBytes) onFull();
    });
  const writeLong = async ([before, long, after]: readonly [string, string, string]) => {
    await write(before);
    for (let from = 0; from < long.length && !stream.destroyed; from += PIECE_LENGTH) {
      await write(JSON.stringify(long.slice(from, from + PIECE_LENGTH)).slice(1, -1));
      await new Promise(setImmediate);
    }
    await write(`${after}\n`);
  };
  const writeWhole = (message: HostMessage): Promise<void> => {
    const parts = splitLong(message);
    return parts ? writeLong(parts) : write(`${JSON.stringify(message)}\n`);
  };
  return {
    send(message) {
      if (!last && !splitLong(message)) return write(`${JSON.stringify(message)}\n`);
      queued += 1;
      if (queued > QUEUE_LENGTH_MAX) onFull();
      const sent = (last ?? Promise.resolve()).then(() => writeWhole(message));
      last = sent;
      void sent.then(() => {
        queued -= 1;
        if (last === sent) last = undefined;
      });
      return sent;
    },
  };
};
