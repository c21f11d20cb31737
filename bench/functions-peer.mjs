/** The functions emulator with the bench's handler, in its own process. Sends its port by message. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const functions = require("@google-cloud/functions-framework");
const { getTestServer } = require("@google-cloud/functions-framework/testing");
const answer = require("./handler-app/server/lib/answer.js");

functions.http("answer", (request, response) => response.json(answer(request.body)));
const server = getTestServer("answer");
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("message", () => server.close(() => process.exit()));
