/** Accepts and counts requests. Sends the count and the time of the last request by message when asked. */
import { createServer } from "node:http";
import { nowMs } from "./clock.mjs";

let count = 0;
let last = 0;
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    count += 1;
    last = nowMs();
    response.writeHead(200, { "content-length": 0 }).end();
  });
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("message", (message) => {
  if (message === "end") process.exit();
  process.send({ count, last });
  if (message === "begin") count = 0;
});
