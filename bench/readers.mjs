/**
 * Readers of event streams in their own process, over raw sockets, to use little of the CPU that is measured. Receives `{ open: [{ port, path,
 * token }] }`, `"count"` and `"close"` by message and replies with `{ streams, bytes }`, the streams that are open and the bytes since the
 * last reply.
 */
import { connect } from "node:net";

const sockets = new Set();
let bytes = 0;
const buffer = Buffer.alloc(65_536);

const open = ({ port, path, token }) =>
  new Promise((resolve, reject) => {
    let isOpen = false;
    const socket = connect({
      port,
      host: "127.0.0.1",
      onread: {
        buffer,
        callback: (length) => {
          bytes += length;
          if (isOpen) return true;
          isOpen = true;
          const head = buffer.latin1Slice(0, length);
          if (/^HTTP\/1.1 200/.test(head)) resolve();
          else reject(new Error(head.split("\r\n", 1)[0]));
          return true;
        },
      },
    });
    sockets.add(socket);
    socket.once("error", reject);
    socket.once("close", () => sockets.delete(socket));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`);
  });

const reply = () => {
  process.send({ streams: sockets.size, bytes });
  bytes = 0;
};

/** Streams that are opened at the same time. */
const TOGETHER = 50;

process.on("message", async (message) => {
  if (message === "end") process.exit();
  if (message === "close") {
    const all = [...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve).destroy()));
    await Promise.all(all);
  } else if (message !== "count") {
    const waiting = [...message.open];
    const openNext = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await open(next);
    };
    await Promise.all(Array.from({ length: TOGETHER }, openNext));
  }
  reply();
});
process.send({});
