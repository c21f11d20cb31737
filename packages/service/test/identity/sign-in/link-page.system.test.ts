import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { cookieOf, PASSWORD, secretOfLink } from "../authentication/session-harness.ts";
import { pagesHarness, usernamesOf, type PagesHarness } from "./pages-harness.ts";
import { untilQuarterMs } from "../../quarter-hour.ts";

let s: PagesHarness;
beforeAll(async () => {
  s = await pagesHarness();
});
afterAll(() => s.close());

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe("the page of a link that signs in", () => {
  test("is requested twice and by HEAD without using the link, whose form then signs in once", async () => {
    const link = await s.signInLink("olivia@acme.example");
    for (const method of ["GET", "HEAD", "GET"]) expect((await fetch(link, { method })).status).toBe(200);
    const { page, faults } = await s.open(link);
    await button(page, "Sign in").click();
    await page.waitForURL(`${s.origin}/profile`);
    await page.getByText("olivia@acme.example").first().waitFor();
    await page.reload();
    await page.getByText("olivia@acme.example").first().waitFor();
    // The form is not in the history.
    await page.goBack();
    expect(page.url()).toBe(link);
    await button(page, "Sign in").click();
    await page.getByRole("heading", { name: "This link can’t be used" }).waitFor();
    await page.goto(`${s.origin}/sign-in/link`);
    expect(new URL(page.url()).pathname).toMatch(/^\/(?:sign-in|profile)$/);
    expect(faults).toEqual([]);
  });

  test("opens the path in next", async () => {
    const { page } = await s.open(`${await s.signInLink("olivia@acme.example")}?next=%2Fdocs%2Ferrors`);
    await button(page, "Sign in").click();
    await page.waitForURL(`${s.origin}/docs/errors`);
    expect(await page.evaluate(() => localStorage.getItem("parley-session-token"))).toMatch(/^[\w-]{43}$/);
  });

  test("signs in without JavaScript up to the page that needs it, which says so", async () => {
    const { page } = await s.open(await s.signInLink("olivia@acme.example"), { javaScriptEnabled: false });
    await button(page, "Sign in").click();
    await page.getByRole("heading", { name: "Signed in" }).waitFor();
    const text = page.locator("noscript p");
    await text.waitFor();
    expect(await text.innerText()).toContain("The pages for agents need JavaScript.");
    expect((await page.context().cookies()).map(({ name, httpOnly }) => [name, httpOnly])).toEqual([
      ["parley_session", true],
    ]);
  });

  test("is the same for a valid, a used and a malformed secret", async () => {
    const link = await s.signInLink("olivia@acme.example");
    const textOf = async (address: string) => {
      const reply = await fetch(address);
      return [reply.status, (await reply.text()).replaceAll(new URL(address).pathname.slice(14), "SECRET")];
    };
    const [valid, unknown, malformed] = [
      await textOf(link),
      await textOf(`${s.origin}/sign-in/link/${"A".repeat(43)}`),
      await textOf(`${s.origin}/sign-in/link/abc`),
    ];
    expect(valid[0]).toBe(200);
    expect([unknown, malformed]).toEqual([valid, valid]);
  });

  test("escapes the secret and next", async () => {
    const attack = '"><script>alert(1)</script>';
    const reply = await fetch(
      `${s.origin}/sign-in/link/${encodeURIComponent(attack)}?next=${encodeURIComponent(`/${attack}`)}`,
    );
    const text = await reply.text();
    expect(text).toContain("&quot;&gt;&lt;script&gt;");
    expect(text).not.toContain("<script>alert");
  });
});

test.each([
  ["no-referrer", false],
  ["same-origin", true],
])("with the policy %s a browser names the origin of a form: %s", async (policy, isNamed) => {
  let origin: string | undefined;
  const server = createServer((request, reply) => {
    if (request.method === "POST") ({ origin } = request.headers);
    reply
      .writeHead(200, { "content-type": "text/html", "referrer-policy": policy })
      .end('<form method="post" action="/"><button>Send</button></form>');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { page } = await s.open(`${address}/`);
  await button(page, "Send").click();
  await page.waitForLoadState();
  expect(origin).toBe(isNamed ? address : "null");
  await page.context().close();
  server.close();
});

describe("the form of a link", () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${s.origin}/sign-in/link`, {
      method: "POST",
      headers: { origin: s.origin, "content-type": "application/x-www-form-urlencoded", ...headers },
      body,
    });
  const secret = async () => secretOfLink(await s.signInLink("olivia@acme.example"));

  test("needs the origin of the service: a page of another origin can't sign its visitor in", async () => {
    const link = await secret();
    // A page of another origin that sends the form by itself.
    const attacker = createServer((_, reply) =>
      reply
        .setHeader("content-type", "text/html")
        .end(
          `<form method="post" action="${s.origin}/sign-in/link"><input name="secret" value="${link}"></form><script>document.forms[0].submit()</script>`,
        ),
    );
    await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
    const { port } = attacker.address() as AddressInfo;
    const { page } = await s.open(`http://127.0.0.1:${port}/`);
    await page.getByRole("heading", { name: "This request was refused" }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    attacker.close();
    for (const origin of ["null", "http://localhost:1", ""])
      expect([origin, (await post(`secret=${link}`, { origin })).status]).toEqual([origin, 403]);
    // The refused requests didn't use the link.
    const right = await post(`secret=${link}&next=//evil.example`);
    const text = await right.text();
    expect([right.status, cookieOf(right.headers)?.split("=")[0]]).toEqual([200, "parley_session"]);
    expect(text).toMatch(/<meta name="session-token" content="[\w-]{43}" \/>/);
    expect(text).toContain('<meta name="next" content="/console" />');
    expect(right.headers.get("cache-control")).toBe("no-store");
  });

  test("answers with pages for people: 404 for an invalid link, 415 for another media type, 413 for a large body", async () => {
    const cases: [Promise<Response>, number, string][] = [
      [post("secret=abc"), 404, "This link can’t be used"],
      [post(""), 404, "This link can’t be used"],
      [post('{"secret":"abc"}', { "content-type": "application/json" }), 415, "This request can’t be handled"],
      [post(`secret=${"a".repeat(10_000)}`), 413, "This request can’t be handled"],
    ];
    for (const [reply, code, title] of cases) {
      const answer = await reply;
      expect([answer.status, answer.headers.get("content-type")]).toEqual([code, "text/html; charset=utf-8"]);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(await answer.text()).toContain(`<h1>${title}</h1>`);
    }
  });
});

test("after too many invalid links the page says when to try again", async () => {
  const post = () =>
    fetch(`${s.origin}/sign-in/link`, {
      method: "POST",
      headers: { origin: s.origin },
      body: new URLSearchParams({ secret: "A".repeat(43) }),
    });
  s.advance(untilQuarterMs());
  for (let batch = 0; batch < 10; batch++) await Promise.all(Array.from({ length: 10 }, post));
  const refused = await post();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.text()).toMatch(/<h1>Too many attempts<\/h1>[\s\S]*Try again in \d+ (?:minutes|seconds)\./);
  s.advance(15 * 60_000);
});

describe("the page of a link for choosing a password", () => {
  const email = "hannah@acme.example";

  test("shows for whom it is, names the rule that a password breaks, and signs in", async () => {
    const { page, faults } = await s.open(await s.invite(email));
    await page.getByRole("heading", { name: "Choose your password" }).waitFor();
    await page.getByText(`For ${email} in the account acme.`).waitFor();
    const field = page.getByLabel("New password", { exact: true });
    expect(await field.evaluate((element) => document.activeElement === element)).toBe(true);
    expect(await field.getAttribute("autocomplete")).toBe("new-password");
    expect(await usernamesOf(page)).toEqual([email]);
    const save = button(page, "Save and sign in");
    await save.click();
    await page.getByText("Enter a password.").waitFor();
    for (const [text, message] of [
      ["short", "The password must have at least 10 characters."],
      ["passwordpassword", "The password is too easy to guess"],
      [email, "The password must differ from the e-mail address."],
    ] as const) {
      await field.fill(text);
      await save.click();
      await page.getByText(message).waitFor();
    }
    await field.fill(PASSWORD);
    await save.click();
    await page.waitForURL("**/profile");
    await page.getByText(email).first().waitFor();
    expect(faults).toEqual([]);
  });

  test("says what to do when the link was used, and when its secret is missing", async () => {
    const link = await s.invite(email);
    const first = await s.open(link);
    await first.page.getByLabel("New password", { exact: true }).fill(PASSWORD);
    await button(first.page, "Save and sign in").click();
    await first.page.waitForURL("**/profile");
    const { page, faults } = await s.open(link);
    await page.getByText("The link is unknown, expired or was used before.").waitFor();
    await page.getByText("Ask an admin of your account for a new link").waitFor();
    await page.goto(`${s.origin}/sign-in/password`);
    await page.getByText("Copy the whole link.").waitFor();
    expect(faults).toEqual([]);
  });

  test("asks for the second factor of an agent who has one", async () => {
    const session = await s.signIn("kenji@acme.example");
    const body = { current_password: PASSWORD };
    const begun = await s.page<{ secret: string }>("POST", "/identity/second-factor", { session, body });
    const { secret } = begun.body;
    await s.page("PUT", "/identity/second-factor", { session, body: { code: s.codeOf(secret) } });
    s.advance(30_000);
    const { page } = await s.open(await s.invite("kenji@acme.example"));
    await page.getByLabel("New password", { exact: true }).fill("another long password");
    await button(page, "Save and sign in").click();
    await page.getByLabel("Code", { exact: true }).fill(s.codeOf(secret));
    await button(page, "Continue").click();
    await page.waitForURL("**/profile");
  });
});

test("without a mail server the page for a forgotten password says to ask an admin", async () => {
  const { page, faults } = await s.open("/sign-in/forgot?account=acme");
  await page.getByText("This service does not send e-mail. Ask an admin of your account").waitFor();
  expect(await page.locator("form").isVisible()).toBe(false);
  await page.getByRole("link", { name: "Back to the sign-in" }).click();
  await page.waitForURL("**/sign-in?account=acme");
  expect(faults).toEqual([]);
});

test("the page for a forgotten password says the same for a known and an unknown address", async () => {
  for (const email of ["olivia@acme.example", "nobody@acme.example"]) {
    const { page } = await s.open("/sign-in");
    // The form is shown if the page can't learn whether the service sends e-mail.
    await page.route("**/identity/sign-in-methods*", (route) => route.abort());
    await page.goto(`${s.origin}/sign-in/forgot`);
    await page.getByLabel("Account", { exact: true }).fill("acme");
    await page.getByLabel("E-mail address").fill(email);
    await button(page, "Send the link").click();
    await page
      .getByText("If the address belongs to an agent of the account, a link for a new password was sent to it.")
      .waitFor();
    expect(await page.evaluate(() => document.activeElement?.hasAttribute("data-sent"))).toBe(true);
  }
});
