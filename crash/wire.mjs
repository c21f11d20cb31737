/** HTTP requests over a raw socket, one at a time, so that it is certain whether a response arrived. */
import { connect } from "node:net";

const END_OF_HEAD = Buffer.from("\r\n\r\n");

/** -> the first complete response in a buffer; undefined when it is incomplete. @shape headers: lower-case names */
const answerIn = (buffer) => {
  const head = buffer.indexOf(END_OF_HEAD);
  if (head < 0) return undefined;
  const [first, ...lines] = buffer.latin1Slice(0, head).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const end = head + 4 + Number(headers["content-length"] ?? 0);
  if (buffer.length < end) return undefined;
  return { status: Number(first.split(" ")[1]), headers, text: buffer.utf8Slice(head + 4, end) };
};

/** No complete response arrived. `isSent`: the request may have been received. */
export class NoAnswer extends Error {
  name = "NoAnswer";
  constructor(reason, isSent) {
    super(reason);
    this.isSent = isSent;
  }
}

/** A connection that is opened on demand, to the port of the request. */
export const createConnection = () => {
  let open;

  const disconnect = () => {
    open?.socket.destroy();
    open = undefined;
  };
  const connected = async (port) => {
    if (open?.port === port && !open.socket.destroyed) return open.socket;
    disconnect();
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", (error) => reject(new NoAnswer(error.code, false)));
    });
    open = { port, socket };
    return socket;
  };

  return {
    /** @errors NoAnswer @units milliseconds */
    async ask(port, { method, path, headers, body }, timeoutMs) {
      const socket = await connected(port);
      const bytes = [
        `${method} ${path} HTTP/1.1`,
        "host: 127.0.0.1",
        "content-type: application/json",
        `content-length: ${Buffer.byteLength(body)}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        "",
        body,
      ].join("\r\n");
      try {
        return await new Promise((resolve, reject) => {
          let buffer = Buffer.alloc(0);
          const fail = (reason) => reject(new NoAnswer(reason, true));
          const timer = setTimeout(() => fail("no response in time"), timeoutMs);
          socket.removeAllListeners();
          socket.on("error", (error) => fail(error.code));
          socket.on("close", () => {
            clearTimeout(timer);
            fail("the connection was closed");
          });
          socket.on("data", (chunk) => {
            buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
            const answer = answerIn(buffer);
            if (!answer) return;
            clearTimeout(timer);
            if (answer.headers.connection === "close") disconnect();
            resolve(answer);
          });
          socket.write(bytes);
        });
      } catch (error) {
        disconnect();
        throw error;
      }
    },
    close: disconnect,
  };
};
