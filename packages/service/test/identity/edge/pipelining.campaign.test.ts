import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { migrate, type Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceProcess, type ServiceProcess } from "../../service-process.ts";
import { plainRequest } from "../../plain-http.ts";

let database: Database;
let service: ServiceProcess;
const sockets = new Set<Socket>();
beforeAll(async () => {
  const key = `service ${JSON.stringify(SERVICE_MIGRATIONS)}`;
  database = await testDatabase({ key, run: (fresh) => migrate(fresh, SERVICE_SCHEMA, SERVICE_MIGRATIONS) });
  service = await serviceProcess(database);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await service.kill();
  await database.close();
});

/** Requests on a connection whose responses are not read. */
const flood = (connections: number, perConnection: number, path: string): Socket[] => {
  const text = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(perConnection);
  return Array.from({ length: connections }, () => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    sockets.add(socket.on("error", () => undefined).pause());
    socket.write(text);
    return socket;
  });
};
const channels = () =>
  plainRequest(service.url, { path: "/v2/channels", headers: { authorization: `Bearer ${service.token}` } });
const peakMb = async (): Promise<number> =>
  Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${service.pid}/status`, "utf8"))?.[1]) / 1024;

test.each(["/docs", "/docs/swagger-ui-bundle.js", "/v2/users", "/v2/openapi.json", "/health"])(
  "while 50 connections send 2,000 requests of %s each and read no response, others are answered and memory stays bounded",
  async (path) => {
    const flooding = flood(50, 2_000, path);
    for (let index = 0; index < 30; index++) expect((await channels()).status).toBe(200);
    for (const socket of flooding) socket.destroy();
    expect(await peakMb()).toBeLessThan(700);
  },
);

test("waiting requests of a closed connection no longer count as in progress", async () => {
  for (let round = 0; round < 3; round++) {
    for (const socket of flood(4, 2_000, "/v2/users")) {
      await channels();
      socket.destroy();
    }
  }
  expect((await channels()).status).toBe(200);
});
