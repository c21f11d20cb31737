import { expect, test } from "@jest/globals";
import { isConnectionLost } from "../src/index.ts";

const coded = (code: string, more: object = {}) => Object.assign(new Error("said so"), { code, ...more });

test.each([
  ["the server going down", coded("57P01"), true],
  ["a crash of another backend", coded("57P02"), true],
  ["a server that still starts", coded("57P03"), true],
  ["a server with no room for one more connection", coded("53300"), true],
  ["a connection exception", coded("08006"), true],
  ["a refused connection", coded("ECONNREFUSED"), true],
  ["a reset connection", coded("ECONNRESET"), true],
  ["a broken pipe", coded("EPIPE"), true],
  ["a socket that is gone with its server", coded("ENOENT", { syscall: "connect" }), true],
  ["an unexpected end of the connection", new Error("Connection terminated unexpectedly"), true],
  ["a file that is not there", coded("ENOENT", { syscall: "open" }), false],
  ["a statement that was cancelled", coded("57014"), false],
  ["a unique violation", coded("23505"), false],
  ["a host that has no address", coded("ENOTFOUND"), false],
  ["any other error", new Error("Connection refused by the user"), false],
  ["no error at all", undefined, false],
])("%s is classified by whether the connection is lost", (_title, error, expected) => {
  expect(isConnectionLost(error)).toBe(expected);
});
