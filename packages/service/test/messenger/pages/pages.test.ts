import { describe, expect, test } from "@jest/globals";
import type { AccountDocument } from "@parley/contract";
import { plainRequest } from "../../plain-http.ts";
import { messengerHarness, PAGE, SCRIPT } from "../messenger-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** The clock of caches. */
let clockMs = 0;
const s = fileFixture(() => messengerHarness({ ports: { monotonicMs: () => clockMs } }));

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(s.url + path, { headers, redirect: "manual" });

const setOrigins = async (origins: readonly string[]) => {
  const document: AccountDocument = { name: "acme", messenger: { origins: [...origins] } };
  expect((await s.adminRequest("PUT", "/admin/accounts/acme", document)).code).toBe(200);
};

describe("the script", () => {
  test.each(["br", "gzip", "identity"])("is sent with the encoding %s", async (encoding) => {
    const reply = await get("/js/widget.js", { "accept-encoding": encoding });
    expect([reply.status, reply.headers.get("content-encoding") ?? "identity", await reply.text()]).toEqual([
      200,
      encoding,
      SCRIPT,
    ]);
    expect(reply.headers.get("vary")).toBe("Accept-Encoding");
  });

  test("can be loaded and cached by every site, for a short time", async () => {
    const { headers } = await get("/js/widget.js");
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "cache-control": expect.stringMatching(/^public, max-age=300\b/),
      "x-content-type-options": "nosniff",
    });
  });

  test("is not sent again to a browser that has it", async () => {
    const tag = (await get("/js/widget.js")).headers.get("etag") ?? "";
    for (const encoding of ["br", "gzip"]) {
      const reply = await get("/js/widget.js", { "if-none-match": `"other", ${tag}`, "accept-encoding": encoding });
      expect([reply.status, await reply.text()]).toEqual([304, ""]);
    }
    expect((await get("/js/widget.js", { "if-none-match": '"other"' })).status).toBe(200);
  });

  test.each([
    ["/12/345.js", 200],
    ["/1/2.js?chat=true", 200],
    ["/12/345.map", 404],
    ["/a/345.js", 404],
    ["/12/b.js", 404],
    ["/12/34/5.js", 404],
    ["/1234567890123456/5.js", 404],
  ])("at the address %s: %i", async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });
});

describe("the page in the frame", () => {
  const policyOf = async (path: string, host?: string) => {
    const { status, headers, text } = await plainRequest(s.url, { path, ...(host && { headers: { host } }) });
    expect([status, text.replace(/<script type="application\/json".*?<\/script>/, "")]).toEqual([200, PAGE]);
    return headers["content-security-policy"] ?? "";
  };

  test("loads nothing inline and nothing from other hosts but pictures and videos", async () => {
    const policy = await policyOf("/messenger?account=acme");
    expect(policy).not.toMatch(/unsafe|\*/);
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"])
      expect(policy.split("; ")).toContain(rule);
  });

  test("without a list of origins it names no ancestors, so that files can embed it", async () => {
    expect(await policyOf("/messenger?account=acme")).not.toContain("frame-ancestors");
  });

  test("with a list of origins it names them and its own, by the account of the host or of the address", async () => {
    await setOrigins(["https://*.shop.example", "https://shop.example"]);
    const rule = "frame-ancestors 'self' https://*.shop.example https://shop.example";
    expect(await policyOf("/messenger?account=acme")).toContain(rule);
    expect(await policyOf("/messenger", "acme.parley.localhost:80")).toContain(rule);
    // The host counts more than the address.
    expect(await policyOf("/messenger?account=solo", "acme.parley.localhost")).toContain(rule);
    expect(await policyOf("/messenger?account=solo")).not.toContain("frame-ancestors");
    await setOrigins([]);
  });

  const configurationIn = async (path: string): Promise<unknown> =>
    JSON.parse(
      /<script type="application\/json" id="configuration">([^<]*)<\/script>/.exec(await (await get(path)).text())![1]!,
    );

  test.each(["account=acme", "account=solo&locale=de&tags=none", "account=acme&alias=unknown"])(
    "contains the configuration for its own query: %s",
    async (query) => {
      const { body } = await s.request("GET", `/configuration?${query}`);
      expect(await configurationIn(`/messenger?${query}`)).toEqual(body);
    },
  );

  test("contains the configuration as data, which ends with its own element", async () => {
    const name = "</script><script>alert(1)</script>";
    const document: AccountDocument = { name: "solo", channels: [{ name }] };
    expect((await s.adminRequest("PUT", "/admin/accounts/solo", document)).code).toBe(200);
    expect(await configurationIn("/messenger?account=solo")).toMatchObject({
      topics: expect.arrayContaining([expect.objectContaining({ name })]),
    });
  });

  test("an unknown account has no page", async () => {
    expect((await get("/messenger?account=none")).status).toBe(404);
    expect((await plainRequest(s.url, { path: "/messenger", headers: { host: "none.parley.localhost" } })).status).toBe(
      404,
    );
  });

  test("its files are cached for ever", async () => {
    const reply = await get("/messenger/assets/panel-1a2b.js");
    expect([reply.status, reply.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
  });
});

describe("visits of pages whose visitors don't write", () => {
  /** -> by table, a text that each insert, update and delete of a row changes */
  const fingerprint = async (): Promise<Readonly<Record<string, string>>> => {
    const tables = await s.sql<{ name: string }>(
      // The search index is built in the background.
      `select tablename as name from pg_tables
        where schemaname = current_schema() and tablename not like 'search\\_%' order by tablename`,
    );
    const rows = await s.sql<{ name: string; rows: string }>(
      tables
        .map(
          ({ name }) =>
            `select '${name}' as name, count(*) || ' ' || coalesce(md5(string_agg(ctid::text || xmin::text, ',' order by ctid)), '') as rows from "${name}"`,
        )
        .join(" union all "),
    );
    return Object.fromEntries(rows.map(({ name, rows: text }) => [name, text]));
  };
  const visit = async (index: number) => {
    const page = new URLSearchParams({
      account: ["acme", "solo"][index % 2]!,
      locale: ["en", "de-AT", "ar"][index % 3]!,
      tags: `tag${index % 7}`,
    }).toString();
    const origin = `https://shop${index}.example`;
    const paths = ["/js/widget.js", `/messenger/api/configuration?${page}&origin=${origin}`];
    // A pointer over the button loads the panel.
    if (index % 10 === 0) paths.push(`/messenger?${page}`);
    for (const path of paths) {
      const reply = await get(path, { origin, "accept-encoding": "br" });
      expect([reply.status, (await reply.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    }
  };

  test("200 of them write nothing, and the first request for a session does", async () => {
    const before = await fingerprint();
    for (let index = 0; index < 200; index += 20)
      await Promise.all(Array.from({ length: 20 }, (_, offset) => visit(index + offset)));
    expect(await fingerprint()).toEqual(before);
    await s.visitor();
    expect(await fingerprint()).not.toEqual(before);
  });

  test("read the account once a second, and a document that is applied to it takes effect at once", async () => {
    const isListed = async () => (await s.request("GET", "/configuration?account=acme&origin=https://a.example")).code;
    await setOrigins([]);
    expect(await isListed()).toBe(200);
    await s.sql("update messenger_settings set origins = '{https://b.example}'");
    expect(await isListed()).toBe(200);
    clockMs += 1_000;
    expect(await isListed()).toBe(403);
    await setOrigins([]);
    expect(await isListed()).toBe(200);
  });
});
