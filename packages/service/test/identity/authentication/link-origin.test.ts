import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { IssuedLink } from "@parley/contract";
import { ADMIN_KEY } from "../../operations/administration/endpoints/admin-harness.ts";
import { mailServerFixture } from "../mail/mail-server-fixture.ts";
import { plainRequest } from "../../plain-http.ts";
import type { ServiceConfig } from "../../../src/index.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { sessionHarness, type SessionHarness } from "./session-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** The sender of a request chooses its Host header: a link with a secret must lead to this service only. */

const mail = fileFixture(mailServerFixture);

/** @units milliseconds */
let offsetMs = 0;
const ports = { now: () => new Date(Date.now() + offsetMs) };
beforeEach(() => {
  // Requests for one address are limited by quarter of an hour.
  offsetMs += 15 * 60_000;
});

const configOf = (more: ServiceConfig = {}): ServiceConfig => ({
  mail: {
    host: "localhost",
    port: mail.port,
    isImplicitTls: false,
    isTlsRequired: false,
    from: { name: "", address: "parley@example.com" },
  },
  ...more,
});

/** Asks for a reset as a page of the host would: its origin fits to it. */
const requestReset = (s: SessionHarness, host: string, scheme = "http") =>
  plainRequest(s.url, {
    method: "POST",
    path: "/identity/password-reset",
    headers: { host, origin: `${scheme}://${host}`, "content-type": "application/json" },
    body: JSON.stringify({ account: "acme", email: "diego@acme.example" }),
  });
const invite = async (s: SessionHarness, host: string) => {
  const signIn = await s.adminRequest<{ agent_id: string }>("POST", "/admin/accounts/acme/sign-in-links", {});
  const reply = await plainRequest(s.url, {
    method: "POST",
    path: `/admin/accounts/acme/agents/${signIn.body.agent_id}/invitation`,
    headers: { host, authorization: `Bearer ${ADMIN_KEY}` },
  });
  return { status: reply.status, body: JSON.parse(reply.text) as Partial<IssuedLink> & { status?: string } };
};

describe("without a public address", () => {
  let s: SessionHarness;
  let port: string;
  beforeAll(async () => {
    s = await sessionHarness({ ports, config: configOf({ domain: "chat.example.com" }) });
    ({ port } = new URL(s.url));
  });
  afterAll(() => s.close());
  const own = (host: string) => host.replace("PORT", port);

  test.each([
    ["localhost:PORT", "http"],
    ["127.0.0.1:PORT", "http"],
    ["acme.localhost:PORT", "http"],
    ["acme.chat.example.com", "https"],
  ])("a reset asked for at %s sends a link to it", async (name, scheme) => {
    mail.received.length = 0;
    expect((await requestReset(s, own(name), scheme)).status).toBe(202);
    await waitUntil(() => mail.received.length > 0);
    expect(mail.received[0]?.text).toContain(`\n${scheme}://${own(name)}/sign-in/password#`);
  });
  // They end like a host of this machine or of an account, and a browser would open another host.
  test.each([
    "evil.example/.localhost:PORT",
    "evil.example#.localhost:PORT",
    "evil.example?.localhost:PORT",
    "evil.example\\.localhost:PORT",
    "evil.example/.chat.example.com",
    "evil.example:80@acme.chat.example.com",
  ])(
    "a reset and an invitation asked for at %s, which is not a host, are refused, and nothing is sent",
    async (name) => {
      const before = mail.attempts;
      const { status, text } = await requestReset(s, own(name));
      expect([status, JSON.parse(text)]).toEqual([400, expect.objectContaining({ status: "MALFORMED_REQUEST" })]);
      expect(await invite(s, own(name))).toMatchObject({ status: 400, body: { status: "MALFORMED_REQUEST" } });
      expect(mail.attempts).toBe(before);
    },
  );
  test.each([
    ["evil.example", "https"],
    ["evil.example:PORT", "https"],
    ["chat.example.com.evil.example", "https"],
    ["evilchat.example.com", "https"],
    ["pages.acme.chat.example.com", "https"],
    ["localhost:1", "http"],
    ["localhost", "http"],
  ])("a reset asked for at %s sends nothing, answers equally, and is logged", async (name, scheme) => {
    const [before, lines] = [mail.attempts, s.logLines.length];
    const reply = await requestReset(s, own(name), scheme);
    expect(reply.status).toBe(202);
    await waitUntil(() => s.logLines.length > lines);
    expect(s.logLines.at(-1)).toMatch(/A password reset was not sent: set PARLEY_PUBLIC_URL/);
    expect(mail.attempts).toBe(before);
  });
  test.each(["evil.example", "localhost:1"])("an invitation asked for at %s is refused", async (host) => {
    expect(await invite(s, own(host))).toMatchObject({ status: 400, body: { status: "INVALID_VALUE" } });
  });
});

describe("with a public address", () => {
  let s: SessionHarness;
  beforeAll(async () => {
    s = await sessionHarness({ ports, config: configOf({ publicUrl: "https://chat.example.com" }) });
  });
  afterAll(() => s.close());

  test.each(["evil.example", "chat.example.com"])("a reset asked for at %s sends a link to it", async (host) => {
    mail.received.length = 0;
    expect((await requestReset(s, host, "https")).status).toBe(202);
    await waitUntil(() => mail.received.length > 0);
    expect(mail.received[0]?.text).toContain("\nhttps://chat.example.com/sign-in/password#");
    expect(mail.received[0]?.text).not.toContain("evil.example");
  });
});
