import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex, Readable } from "node:stream";
import { beforeAll, expect, test } from "@jest/globals";
import { ESCAPES, UNGUARDED } from "./escapes.ts";

let succeeded: readonly string[];
beforeAll(async () => {
  // The excluded escapes end the process or its channel.
  const tried = ESCAPES.filter(([title]) => !/terminal|socket on a descriptor|to a descriptor/.test(title));
  const child = spawn(process.execPath, ["--no-warnings", "-e", UNGUARDED, JSON.stringify(tried)], {
    stdio: ["pipe", "ignore", "pipe", "ignore", "pipe"],
  });
  const channel = child.stdio[4] as Duplex;
  channel.on("error", () => undefined).on("data", () => channel.write("{}\n"));
  let stderr = "";
  (child.stdio[2] as Readable).on("data", (text: Buffer) => (stderr += String(text)));
  await once(child, "close");
  succeeded = JSON.parse(stderr) as string[];
});

/** One row for each kind of escape, by the first words of its titles. */
test.each([
  ["native handles", /^takes /],
  ["shared prototypes", /^watches whom/],
  ["traps on the prototype of all objects", /^sets a trap/],
  ["modules that are not on the list", /^requires/],
  ["changed methods that a list might use", /^opens the list/],
  ["the engine", /^changes flags/],
  ["whether a path exists", /that a path exists/],
])("an escape succeeds without the child's guards: %s", (_kind, titles) => {
  expect(succeeded.filter((title) => titles.test(title)).length).toBeGreaterThan(0);
});
