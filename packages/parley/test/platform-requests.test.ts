import { describe, expect, test } from "@jest/globals";
import { platform, routeOf, type Endpoint } from "@parley/contract";
import { requestAt } from "./platform-browser-sessions.ts";
import { ADMIN_KEY, originOf, platformHarness } from "./platform-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** Requests to a process of the platform by load balancers and monitoring, and requests that are malformed. */

const harness = fileFixture(platformHarness);

const statusOf = async (path: string): Promise<number> => (await fetch(originOf(harness.platform) + path)).status;

describe("the health of a process of the platform", () => {
  test("/live and /health answer 200 without a key", async () => {
    expect([await statusOf("/live"), await statusOf("/health")]).toEqual([200, 200]);
  });

  test("/health answers 503 while the process can't renew its registration, and 200 again afterwards", async () => {
    await harness.pool.transaction(async (tx) => {
      await tx.rows({ name: "lock_processes", text: "lock table platform_processes in access exclusive mode" }, []);
      await harness.until(async () => ((await statusOf("/health")) === 503 ? true : undefined));
      expect(await statusOf("/live")).toBe(200);
    });
    await harness.until(async () => ((await statusOf("/health")) === 200 ? true : undefined));
  });
});

describe("a row of the platform answers INVALID_VALUE", () => {
  const TEXTS = ["%00", "a%00b", "%ED%A0%80", "%ff", "%zz", "%"];
  const BODIES = [{ name: "\0" }, { app: "\ud800" }, { "\0": 1 }, { values: [{ deep: "a\0b" }] }];
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, accept: "*/*" };
  const rows = Object.values(platform).map((row: Endpoint) => ({ row, ...routeOf(row) }));
  const answerTo = async (method: string, path: string, body?: string) => {
    const { status, text } = await requestAt(originOf(harness.platform), {
      method,
      path,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      body,
    });
    return [method, path, status, (JSON.parse(text) as { status?: string }).status];
  };

  test.each(TEXTS)("to %s in an address", async (text) => {
    for (const { row, method, path } of rows) {
      if (path.includes("{")) {
        const at = path.replaceAll(/\{\w+\}/g, text);
        expect(await answerTo(method, at)).toEqual([method, at, 400, "INVALID_VALUE"]);
      }
      if (row.query) {
        const at = `${path.replaceAll(/\{\w+\}/g, "acme")}?name=${text}`;
        expect(await answerTo(method, at)).toEqual([method, at, 400, "INVALID_VALUE"]);
      }
    }
  });
  test.each(BODIES.map((body) => [JSON.stringify(body)]))("to %j in a body", async (body) => {
    for (const { row, method, path } of rows) {
      if (row.body === undefined) continue;
      const at = path.replaceAll(/\{\w+\}/g, "acme");
      expect(await answerTo(method, at, body)).toEqual([method, at, 400, "INVALID_VALUE"]);
    }
  });
});

test("an address of the platform that does not exist answers NOT_FOUND", async () => {
  const { status, text } = await requestAt(`${originOf(harness.platform)}/platform/nothing`);
  expect([status, JSON.parse(text)]).toEqual([404, expect.objectContaining({ code: 404, status: "NOT_FOUND" })]);
});

test.each(["/", "/catalogue"])("%s of the host of all apps leads to the apps in the console", async (path) => {
  const { port } = new URL(originOf(harness.platform));
  const reply = await requestAt(`http://apps.localhost:${port}${path}`);
  expect([reply.status, reply.location]).toEqual([302, `http://localhost:${harness.service.port}/console/admin/apps`]);
});

test("a person who opens the address of an unknown app gets a page that says so", async () => {
  const { port } = new URL(originOf(harness.platform));
  const { status, text } = await requestAt(`http://nothing--acme.apps.localhost:${port}/`);
  expect(status).toBe(404);
  expect(text).toContain("This page can’t be opened");
  expect(text).toContain("This account has no such app.");
});

test.each(["greeter--acme.apps.localhost, greeter--solo.apps.localhost", "a b", "a:99999", "[::1", "a/b"])(
  "a request with the Host %j is answered with 400",
  async (host) => {
    for (const path of ["/", "/catalogue", "/custom_configs", "/platform/apps", "/enter"])
      expect([path, (await requestAt(originOf(harness.platform) + path, { headers: { host } })).status]).toEqual([
        path,
        400,
      ]);
  },
);
