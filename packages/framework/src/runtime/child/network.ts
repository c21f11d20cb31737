import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";
import os from "node:os";
import { refuse, refuseAll, replace } from "./refusal.ts";

/** Members that a TypeScript declaration does not know, or calls private, and that open a way out all the same. */
const HIDDEN = { net: ["_createServerHandle"], server: ["_listen2", "_setupListenHandle"] };

/** Closes every way of Node's own modules to the network; packages that only load them go on loading. */
export const closeNetwork = () => {
  replace(net.Socket.prototype, "connect", refuse("A direct network connection"));
  for (const name of ["listen", ...HIDDEN.server]) replace(net.Server.prototype, name, refuse("Listening"));
  for (const name of HIDDEN.net) replace(net, name, refuse("Listening"));
  // A datagram needs no connection, and a new socket has its handle at once.
  refuseAll(dgram.Socket.prototype, "UDP");
  refuseAll(dgram, "UDP");
  refuseAll(dns.Resolver.prototype, "DNS");
  refuseAll(dns.promises.Resolver.prototype, "DNS");
  refuseAll(dns.promises, "DNS");
  refuseAll(dns, "DNS");
  for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name);
};

/** Says nothing of the machine, and changes nothing on it. */
export const closeMachine = () => {
  replace(os, "setPriority", refuse("Changing a priority"));
  replace(os, "userInfo", refuse("The system's user"));
  replace(os, "hostname", () => "localhost");
  replace(os, "networkInterfaces", () => ({}));
};
