import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { serviceHarness, type ServiceHarness } from "../../service/test/service-harness.ts";
import { CLIENT_README_OUTPUT, clientReadmeModule } from "./readme-examples.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));

let w: ServiceHarness;
let folder: string;
beforeAll(async () => {
  w = await serviceHarness();
  // Beside the package, so that its name resolves as in an integrator's project.
  folder = await mkdtemp(join(HERE, "example-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await w.close();
});

test("the documentation's examples run unchanged in plain JavaScript with the built package", async () => {
  const script = join(folder, "examples.mjs");
  await writeFile(script, await clientReadmeModule());
  const env = { ...process.env, NODE_OPTIONS: "", PARLEY_URL: w.url, PARLEY_TOKEN: w.token };
  const child = spawn(process.execPath, [script], { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const status = await new Promise((resolve) => child.once("close", resolve));
  expect(output.trim().split("\n")).toEqual(CLIENT_README_OUTPUT);
  expect(status).toBe(0);
});
