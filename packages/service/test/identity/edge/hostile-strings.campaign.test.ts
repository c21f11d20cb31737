import { describe, expect, test } from "@jest/globals";
import { BASE_PATH, routeOf, rowsOf, type Endpoint } from "@parley/contract";
import { ADMIN_ROWS, ADMIN_KEY, adminHarness } from "../../operations/administration/endpoints/admin-harness.ts";
import { plainRequest } from "../../plain-http.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** Every path, including the admin API's, gets texts that are difficult for databases, parsers and objects. None may cause an internal error. */

const o = fileFixture(adminHarness);

const PIECES = [
  "%00",
  "a%00b",
  "acme%00",
  "%ED%A0%80",
  "%C0%AF",
  "%ff",
  "%zz",
  "__proto__",
  "constructor",
  "..%2f..%2fetc",
  "x".repeat(1_000),
  "x".repeat(5_000),
  "9".repeat(400),
  "-1",
  "1e999",
  "%F0%9F%98%80",
  "'%22%3C%3E%5C",
];
const BODIES: readonly unknown[] = [
  undefined,
  {},
  [],
  null,
  "\0",
  1e308,
  { name: "\0" },
  { name: "\ud800", url: "\0", expires_in: 1e308 },
  { name: "acme\0", event_id: "\0", from: "\0" },
  { users: "\ud800", id: "\0" },
];
const isApi = (row: Endpoint) => !routeOf(row).path.startsWith("/admin");
const rows: readonly Endpoint[] = [
  ...rowsOf()
    .map(({ row }) => row)
    .filter((row) => !("type" in row.reply)),
  ...ADMIN_ROWS,
];

const ask = async (method: string, path: string, isToken: boolean, body?: string): Promise<string | undefined> => {
  const { status, text } = await plainRequest(o.url, {
    method,
    path,
    headers: {
      authorization: `Bearer ${isToken ? o.token : ADMIN_KEY}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
  });
  return status >= 500 ? `${method} ${path.slice(0, 100)} ${body ?? ""} -> ${status} ${text.slice(0, 200)}` : undefined;
};

describe("a hostile string in a path causes no internal error", () => {
  test.each(PIECES.map((piece) => [piece.slice(0, 30), piece]))("%s", async (_title, piece) => {
    const faults: (string | undefined)[] = [];
    for (const row of rows) {
      const { method, path } = routeOf(row);
      const base = isApi(row) ? BASE_PATH : "";
      const at = (text: string) => base + path.replace(/\{\w+\}/g, text);
      const query = Object.keys((Reflect.get(row.query ?? {}, "properties") as object | undefined) ?? {});
      const body = row.body ? "{}" : undefined;
      // A complete export ignores unknown query parameters and takes long.
      if (path.includes("{")) faults.push(await ask(method, at(piece), isApi(row), body));
      for (const name of query) faults.push(await ask(method, `${at("acme")}?${name}=${piece}`, isApi(row), body));
    }
    for (const path of [
      "/",
      "/docs/",
      "/health",
      "/live",
      "/objects/",
      "/uploads/",
      "/admin/",
      "/suite/",
      "/v2/",
      "/suite/x/v2/",
    ])
      for (const method of ["GET", "HEAD", "POST", "DELETE", "OPTIONS"])
        faults.push(await ask(method, path + piece, true), await ask(method, `${path}?a=${piece}`, true));
    expect(faults.filter(Boolean)).toEqual([]);
  });
});

test.each(BODIES.map((body) => [JSON.stringify(body)?.replaceAll("\\", "/") ?? "none", body]))(
  "a hostile string in a body causes no internal error: %s",
  async (_title, body) => {
    const faults: (string | undefined)[] = [];
    for (const row of rows) {
      if (!row.body) continue;
      const { method, path } = routeOf(row);
      const base = isApi(row) ? BASE_PATH : "";
      faults.push(
        await ask(
          method,
          base + path.replace(/\{\w+\}/g, "acme"),
          isApi(row),
          body === undefined ? "" : JSON.stringify(body),
        ),
      );
    }
    expect(faults.filter(Boolean)).toEqual([]);
  },
);
