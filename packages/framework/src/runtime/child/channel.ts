import { Buffer } from "node:buffer";
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import type { ChildMessage, HostMessage } from "@parley/contract";
import { disarmHandle } from "./shared-objects.ts";

interface HostChannel {
  /** @errors RangeError for a message that exceeds the host's limit */
  send(message: ChildMessage): void;
  /** Calls `receive` in a turn of its own: in the handle's turn, code of the app would run on behalf of the handle. */
  listen(receive: (message: HostMessage) => void): void;
}

/** The used part of a stream's native handle: `onread` receives data, or nothing at the end. */
interface NativeHandle {
  onread: (chunk?: ArrayBuffer) => void;
  readStart(): void;
}

/** Pause before another attempt to write to a host that does not read. @units milliseconds */
const FULL_WAIT_MS = 1;

/**
 * Exchanges JSON lines over an open file descriptor.
 * Node's streams are not used: the app shares their prototypes, and a method that the app replaced would be called with the socket as
 * `this`, whose handle opens connections.
 */
export const openHostChannel = (fd: number, maxBytes: number): HostChannel => {
  const { _handle: handle } = new Socket({ fd, readable: true, writable: false }) as unknown as {
    _handle: NativeHandle;
  };
  const decoder = new StringDecoder("utf8");
  const decode = decoder.write.bind(decoder);
  const toBuffer = Buffer.from.bind(Buffer) as (chunk: ArrayBuffer) => Buffer;
  const { parse, stringify } = JSON;
  const byteLength = Buffer.byteLength.bind(Buffer);
  const wait = Atomics.wait.bind(Atomics);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const end = process.exit.bind(process);
  const inOwnTurn = setImmediate;

  const write = (bytes: Buffer) => {
    for (let from = 0; from < bytes.length;) {
      try {
        from += writeSync(fd, bytes, from);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
        wait(pause, 0, 0, FULL_WAIT_MS);
      }
    }
  };
  return {
    send(message) {
      const line = `${stringify(message)}\n`;
      if (byteLength(line) > maxBytes) throw new RangeError(`Too large: a message may have ${maxBytes} bytes`);
      write(Buffer.from(line));
    },
    listen(receive) {
      let parts: string[] = [];
      handle.onread = (chunk) => {
        if (chunk === undefined) return end(0);
        const lines = decode(toBuffer(chunk)).split("\n");
        const last = lines.pop() ?? "";
        for (const line of lines) {
          const message = parts.join("") + line;
          parts = [];
          inOwnTurn(() => receive(parse(message) as HostMessage));
        }
        if (last !== "") parts.push(last);
        return undefined;
      };
      handle.readStart();
      disarmHandle(handle);
    },
  };
};
