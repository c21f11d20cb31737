/**
 * Stands between the platform and the service, as a reverse proxy does: passes all requests on, sends the time of each change of a user's first
 * name by message, and answers GET /v2/users/large itself with 100 MB.
 */
import { Agent, createServer, request } from "node:http";
import { nowMs } from "../clock.mjs";

const target = { host: "127.0.0.1", port: Number(process.argv[2]) };
const agent = new Agent({ keepAlive: true });
const LARGE_BYTES = 100_000_000;
const CHUNK = Buffer.alloc(65_536, " ");

const sendLarge = (response) => {
  let left = LARGE_BYTES;
  const write = () => {
    while (left > 0 && !response.destroyed) {
      left -= CHUNK.length;
      if (!response.write(CHUNK)) return void response.once("drain", write);
    }
    response.end();
  };
  response.writeHead(200, { "content-type": "application/json" });
  write();
};

const server = createServer((incoming, response) => {
  const { method, url, headers } = incoming;
  response.on("error", () => undefined);
  if (url === "/v2/users/large") return sendLarge(response.on("close", () => response.destroy()));
  if (method === "PUT" && url.startsWith("/v2/users/")) {
    const at = nowMs();
    let body = "";
    incoming.on("data", (chunk) => (body += chunk));
    incoming.on("end", () => process.send({ stamp: JSON.parse(body).first_name, at }));
  }
  const outgoing = request({ ...target, agent, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.rawHeaders);
    answer.pipe(response);
  });
  outgoing.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  incoming.pipe(outgoing);
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("message", () => process.exit());
process.on("disconnect", () => process.exit());
