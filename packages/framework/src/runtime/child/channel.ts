import { Socket } from "node:net";
import type { ChildMessage, HostMessage } from "@parley/contract";

export interface Channel {
  /** @errors RangeError for a message that the host would not take */
  send(message: ChildMessage): void;
  listen(take: (message: HostMessage) => void): void;
}

/** JSON lines, both ways, over an open file descriptor. */
export const openChannel = (fd: number, maxBytes: number): Channel => {
  const socket = new Socket({ fd, readable: true, writable: true });
  const write = socket.write.bind(socket);
  const { parse, stringify } = JSON;
  const byteLength = Buffer.byteLength.bind(Buffer);
  return {
    send(message) {
      const line = stringify(message);
      if (byteLength(line) > maxBytes) throw new RangeError(`Too large: a message may have ${maxBytes} bytes`);
      write(`${line}\n`);
    },
    listen(take) {
      let rest: string[] = [];
      socket.setEncoding("utf8");
      socket.on("data", (chunk: string) => {
        const lines = chunk.split("\n");
        const last = lines.pop() ?? "";
        for (const line of lines) {
          take(parse(rest.join("") + line) as HostMessage);
          rest = [];
        }
        if (last) rest.push(last);
      });
    },
  };
};
