/** The attacking process: performs the attack that its first message describes over raw sockets, until it is ended. */
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

const HOST = "127.0.0.1";

/** Opens a socket that discards what it receives, or that reads nothing. */
const open = (port, reads) => {
  const socket = connect(port, HOST);
  socket.on("error", () => undefined);
  if (reads) socket.resume();
  else socket.pause();
  return socket;
};

const opened = (socket) =>
  new Promise((resolve) => socket.once("connect", resolve).once("close", resolve).once("error", resolve));

/** Attacks on a port; `request` is the full text of one request. */
const ATTACKS = {
  /** Pipelines many requests on each connection; `reads`: whether the responses are read. */
  pipelining({ port, connections, perConnection, request, reads = false }) {
    const text = request.repeat(perConnection);
    for (let each = 0; each < connections; each++) open(port, reads).write(text);
  },
  /** Sends one request on each connection and does not read the response. */
  unread({ port, connections, request }) {
    for (let each = 0; each < connections; each++) open(port, false).write(request);
  },
  /** Sends the start of a request, and then a few bytes at intervals. */
  async slow({ port, connections, request, byte, everyMs }) {
    const sockets = Array.from({ length: connections }, () => open(port, true));
    await Promise.all(sockets.map(opened));
    for (const socket of sockets) socket.write(request);
    for (;;) {
      await wait(everyMs);
      for (const socket of sockets) if (!socket.destroyed) socket.write(byte);
    }
  },
};

process.once("message", ({ attack, ...job }) => void ATTACKS[attack](job));
process.on("disconnect", () => process.exit());
