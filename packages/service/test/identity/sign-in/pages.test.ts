import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { nextPathOf } from "../../../src/identity/sign-in/next-path.ts";
import { deviceName } from "../../../src/identity/authentication/sessions/device-name.ts";
import { readSignInShell } from "../../../src/identity/sign-in/page-shell.ts";
import { plainRequest } from "../../plain-http.ts";
import { SIGN_IN_FOLDER } from "../../service-harness.ts";
import { sessionHarness, type SessionHarness } from "../authentication/session-harness.ts";

let s: SessionHarness;
beforeAll(async () => {
  s = await sessionHarness();
});
afterAll(() => s.close());

const PAGES = ["/sign-in", "/sign-in/forgot", "/sign-in/password", `/sign-in/link/${"A".repeat(43)}`, "/profile"];

describe.each(PAGES)("the page %s", (path) => {
  test("is answered to GET and HEAD, with a strict policy and nothing to be stored or inferred", async () => {
    for (const method of ["GET", "HEAD"]) {
      const reply = await plainRequest(s.url, { method, path });
      expect([method, reply.status]).toEqual([method, 200]);
      expect(reply.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy":
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cache-control": "no-store",
      });
      expect(reply.headers["set-cookie"]).toBeUndefined();
      expect(reply.text === "").toBe(method === "HEAD");
    }
  });

  test("has no inline script or style, and names no other host", async () => {
    const { text } = await plainRequest(s.url, { path });
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//);
    for (const [, address = ""] of text.matchAll(/(?:src|href)="([^"]*)"/g))
      expect(address).toMatch(/^(?:\/(?!\/)|data:,$)/);
  });

  test("refuses other methods with 405", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      const reply = await plainRequest(s.url, { method, path });
      expect([method, reply.status, reply.headers["allow"]]).toEqual([method, 405, "GET, HEAD"]);
    }
  });
});

test("the files that the page names are served compressed with their type, and may be kept", async () => {
  const { text } = await plainRequest(s.url, { path: "/sign-in" });
  const types: Readonly<Record<string, string>> = {
    js: "application/javascript; charset=utf-8",
    css: "text/css; charset=utf-8",
  };
  const files = [...text.matchAll(/(?:src|href)="(\/sign-in\/assets\/[\w.-]+\.(\w+))"/g)];
  expect(files.map(([, , extension]) => extension)).toEqual(["js", "css"]);
  for (const [, path = "", extension = ""] of files) {
    const { status, headers } = await plainRequest(s.url, { path, headers: { "accept-encoding": "br, gzip" } });
    expect([status, headers]).toEqual([
      200,
      expect.objectContaining({
        "content-type": types[extension],
        "content-encoding": "br",
        "x-content-type-options": "nosniff",
        "cache-control": "public, max-age=31536000, immutable",
      }),
    ]);
  }
});

test("an unknown page below the sign-in is answered with a page for people", async () => {
  const reply = await plainRequest(s.url, { path: "/sign-in/nothing/at-all" });
  expect([reply.status, reply.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
  expect(reply.text).toContain("<h1>There is no such page</h1>");
  expect(reply.headers["content-security-policy"]).toContain("default-src 'none'");
});

test("the address of the form leads to the sign-in", async () => {
  const reply = await plainRequest(s.url, { path: "/sign-in/link" });
  expect([reply.status, reply.headers["location"]]).toEqual([302, "/sign-in"]);
});

test("the host of an account names the account on the page", async () => {
  const named = await plainRequest(s.url, { path: "/sign-in", headers: { host: "acme.parley.localhost" } });
  expect(named.text).toContain('<meta name="account" content="acme" />');
  const hostile = await plainRequest(s.url, { path: "/sign-in", headers: { host: 'a"b<c.parley.localhost' } });
  expect(hostile.text).not.toContain("b<c");
});

test("GET /identity/session answers UNAUTHENTICATED in the second in which the process still knows the ended session", async () => {
  const session = await s.signIn("noah@acme.example");
  expect((await s.page("GET", "/identity/session", { session })).code).toBe(200);
  const { body } = await s.page<{ sessions: { id: string }[] }>("GET", "/identity/sessions", { session });
  const ended = await s.page("DELETE", `/identity/sessions/${body.sessions[0]?.id}`, { session });
  expect(ended.code).toBe(200);
  const after = await s.page("GET", "/identity/session", { session });
  expect([after.code, after.body.status]).toEqual([401, "UNAUTHENTICATED"]);
});

describe("the path to open after a sign-in", () => {
  test.each(["/", "/profile", "/console/inbox?view=a%20b&c=d#e", "/a//b", "/.well-known/x", `/${"a".repeat(2_047)}`])(
    "%j is kept",
    (path) => {
      expect(nextPathOf(path)).toBe(path);
      expect(new URL(path, s.origin).origin).toBe(s.origin);
    },
  );

  const REFUSED: readonly (string | null | undefined)[] = [
    ...[undefined, null, "", "profile", "?a", "#a", ".", "../x", " /profile", "/profile "],
    ...["//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "/a\\b", "\\/evil.example"],
    ...["https://evil.example/", "http:evil.example", "javascript:alert(1)", "data:text/html,x", "mailto:a@b.example"],
    ...[
      "/\t/evil.example",
      "/\n/evil.example",
      "/\r\n/evil.example",
      "\t//evil.example",
      "/\u0000",
      "/\u007f",
      "/a b",
      "/ü",
    ],
    `/${"a".repeat(2_048)}`,
  ];
  test.each(REFUSED)("%j is refused", (text) => {
    expect(nextPathOf(text)).toBeUndefined();
  });

  test("some refused texts lead to another site in a browser", () => {
    for (const text of ["//evil.example", "/\\evil.example", "/\t/evil.example", "https://evil.example/"])
      expect(new URL(text, s.origin).origin).not.toBe(s.origin);
  });
});

test("the page that hands the session over escapes its values, and opens paths of this service only", async () => {
  const { handOver } = await readSignInShell(SIGN_IN_FOLDER);
  const page = handOver('a"><script>', "//evil.example");
  expect(page).toContain('<meta name="session-token" content="a&quot;&gt;&lt;script&gt;" />');
  expect(page).toContain('<meta name="next" content="/console" />');
  expect(handOver("a", "/docs?a=b&c=d")).toContain('<meta name="next" content="/docs?a=b&amp;c=d" />');
});

test.each([
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
    "Safari on macOS",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36",
    "Chrome on Android",
  ],
  [
    "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile Safari/604.1",
    "Chrome on iPad",
  ],
  ["curl/8.5.0", "curl"],
  ["", "Unknown program"],
])("the device of %j is named %j", (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name);
});
