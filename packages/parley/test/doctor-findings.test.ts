import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { expect, test } from "@jest/globals";
import { certificate } from "../../egress/test/certificate-builder.ts";
import { checkWriteLatency, latencyFinding, writeLatency } from "../src/doctor/production/machine.ts";
import { checkMetricsPort, checkAddressVariable } from "../src/doctor/production/network.ts";
import { checkDatabaseClock, checkVersion } from "../src/doctor/production/server.ts";
import type { ServerState } from "../src/doctor/production/server.sql.ts";

/** Findings of `parley doctor --production` whose cause can't be made on a machine of tests, or is outside of it. */

const NOW = new Date("2026-01-31T12:00:00Z");
const state = (more: Partial<ServerState>) =>
  ({ clock: NOW, version: "14.9", version_number: 140_009, ...more }) as ServerState;

test("PostgreSQL 14 fails, PostgreSQL 15 passes", () => {
  expect(checkVersion(state({}))).toMatchObject({ level: "fail", message: "PostgreSQL 14.9 is not supported." });
  expect(checkVersion(state({ version_number: 150_000 }))).toMatchObject({ level: "ok" });
});

test.each([
  [500, "ok"],
  [-2_000, "warn"],
  [5_000, "fail"],
])("a database whose clock differs by %d ms is reported as %s", (differenceMs, level) => {
  expect(checkDatabaseClock(state({}), NOW.getTime() + differenceMs)).toMatchObject({ level });
});

test.each([
  [1, "ok"],
  [50, "warn"],
  [500, "fail"],
])("a disk that takes %d ms for a write is reported as %s", (latencyMs, level) => {
  expect(latencyFinding(latencyMs, "/data")).toMatchObject({ level });
});

test("the latency of a folder is measured, and nothing is left there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-latency-"));
  expect(await writeLatency(folder)).toBeGreaterThan(0);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
  expect(await checkWriteLatency(folder, true)).toMatchObject({
    level: "fail",
    message: expect.stringContaining("ENOENT"),
  });
  expect(await checkWriteLatency(folder, false)).toMatchObject({ level: "ok" });
});

test("metrics that answer at an address that others use fail; without a fixed port there is a warning", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await checkMetricsPort(port, ["127.0.0.1"])).toMatchObject({
    level: "fail",
    message: expect.stringContaining(`127.0.0.1:${port}`),
  });
  await new Promise((resolve) => server.close(resolve));
  expect(await checkMetricsPort(port, ["127.0.0.1"])).toMatchObject({ level: "ok" });
  expect(await checkMetricsPort(0)).toMatchObject({ level: "warn" });
  expect(await checkMetricsPort(undefined)).toMatchObject({ level: "warn" });
});

test("a certificate that no browser trusts fails, and an address that does not answer is a warning", async () => {
  const { cert, key } = certificate("localhost");
  const server = createTlsServer({ cert, key }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const check = () => checkAddressVariable(`https://localhost:${port}`, "PARLEY_PUBLIC_URL", NOW.getTime());
  expect(await check()).toMatchObject({ level: "fail", message: expect.stringContaining("is not trusted") });
  await new Promise((resolve) => server.close(resolve));
  expect(await check()).toMatchObject({ level: "warn", message: expect.stringContaining("can't be reached") });
});
