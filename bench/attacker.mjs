/** The attacker: a process of its own that does one thing over bare sockets, from the message that says what until its end. */
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

const HOST = "127.0.0.1";

/** A socket that reads nothing of what is sent to it, or everything. */
const open = (port, reads) => {
  const socket = connect(port, HOST);
  socket.on("error", () => undefined);
  if (reads) socket.resume();
  else socket.pause();
  return socket;
};

const opened = (socket) =>
  new Promise((resolve) => socket.once("connect", resolve).once("close", resolve).once("error", resolve));

/** What each of the attacks does with a port; `request` is one request's whole text. */
const ATTACKS = {
  /** Many requests on each connection at once, whose answers are read or not. */
  pipelining({ port, connections, perConnection, request, reads = false }) {
    const text = request.repeat(perConnection);
    for (let each = 0; each < connections; each++) open(port, reads).write(text);
  },
  /** One request on each connection, whose answer is not read. */
  unread({ port, connections, request }) {
    for (let each = 0; each < connections; each++) open(port, false).write(request);
  },
  /** The beginning of a request, and then a byte now and then. */
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
