import { afterEach, describe, expect, test } from "@jest/globals";
import type { IssuedLink } from "@parley/contract";
import { mailServerFixture } from "../mail/mail-server-fixture.ts";
import { held } from "../../held.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { PASSWORD, sessionHarness } from "./session-harness.ts";
import { untilQuarterMs } from "../../quarter-hour.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** Links by e-mail: the service with a mail server. */

const clock = { ahead: untilQuarterMs(), now: () => new Date(Date.now() + clock.ahead) };

const mail = fileFixture(mailServerFixture);
const s = fileFixture(() =>
  sessionHarness({
    ports: { now: clock.now },
    config: {
      mail: {
        host: "localhost",
        port: mail.port,
        isImplicitTls: false,
        isTlsRequired: false,
        from: { name: "Parley", address: "parley@example.com" },
        retryDelaysMs: [50, 50],
      },
    },
  }),
);
afterEach(() => {
  mail.received.length = 0;
  mail.answer = () => undefined;
  // Attempts of another quarter of an hour are counted anew.
  clock.ahead += 15 * 60_000;
});

const reset = (email: string, account = "acme") =>
  s.page("POST", "/identity/password-reset", { body: { account, email } });
const linkIn = (text = "") => /^(http\S+)#([\w-]{43})\r?$/m.exec(text) ?? [];
const agentIdOf = async (email: string) => {
  const { body } = await s.adminRequest<{ agent_id: string }>("POST", "/admin/accounts/acme/sign-in-links", { email });
  return body.agent_id;
};

test("POST /identity/password-reset 202 sends the agent a link, which sets a new password once", async () => {
  const { code, body } = await reset("DIEGO@acme.example");
  expect([code, body.status]).toEqual([202, "ACCEPTED"]);
  await waitUntil(() => mail.received.length > 0);
  const [message] = mail.received;
  expect(message?.to).toEqual(["diego@acme.example"]);
  const [, page, token] = linkIn(message?.text);
  expect(page).toBe(`${s.origin}/sign-in/password`);
  const choose = () => s.page("POST", "/identity/password", { body: { token, password: PASSWORD } });
  expect([(await choose()).code, (await choose()).code]).toEqual([200, 404]);
  expect(s.logLines.join("\n")).not.toContain(token);
});

test("an invitation is sent, and the reply does not contain the link", async () => {
  const path = `/admin/accounts/acme/agents/${await agentIdOf("hannah@acme.example")}/invitation`;
  const { code, body } = await s.adminRequest<IssuedLink>("POST", path);
  expect({ code, body }).toEqual({
    code: 201,
    body: { is_sent: true, email: "hannah@acme.example", expires_time: expect.any(String) },
  });
  const [, , token] = linkIn(mail.received[0]?.text);
  expect((await s.page("POST", "/identity/password", { body: { token, password: PASSWORD } })).code).toBe(200);
});

test("an invitation that the mail server refuses is returned as a link, and the reason is logged", async () => {
  mail.answer = () => 550;
  const path = `/admin/accounts/acme/agents/${await agentIdOf("hannah@acme.example")}/invitation`;
  const { code, body } = await s.adminRequest<IssuedLink>("POST", path);
  expect([code, body.is_sent]).toEqual([201, false]);
  expect(body.link).toMatch(/\/sign-in\/password#[\w-]{43}$/);
  expect(s.logLines.at(-1)).toBe(
    "error: A link for an agent of acme was not sent, but returned: the mail server answered 550 5.7.1 to RCPT TO.",
  );
});

test("a reset that the mail server refuses for a while is sent later", async () => {
  const answers = [451, undefined];
  mail.answer = () => answers.shift();
  await reset("diego@acme.example");
  await waitUntil(() => mail.received.length > 0);
  const [, , token] = linkIn(mail.received[0]?.text);
  expect((await s.page("POST", "/identity/password", { body: { token, password: PASSWORD } })).code).toBe(200);
});

describe("the requester of a reset does not learn whether an agent has the address", () => {
  const unknown: [string, string, string][] = [
    ["an unknown address", "nobody@acme.example", "acme"],
    ["an unknown account", "diego@acme.example", "nobody"],
    ["a deactivated agent", "tom@acme.example", "acme"],
    ["an agent of another account", "sam@solo.example", "acme"],
  ];
  test.each(unknown)("%s is answered like a known one, and nothing is sent", async (_, email, account) => {
    const describeReply = ({ code, headers, body }: Awaited<ReturnType<typeof reset>>) => ({
      code,
      body,
      headers: [...headers.keys()],
    });
    const before = mail.attempts;
    const answer = describeReply(await reset(email, account));
    expect(answer).toEqual(describeReply(await reset("diego@acme.example")));
    await waitUntil(() => mail.received.length > 0);
    // A message of the earlier request would have been offered before this one.
    expect([mail.attempts - before, mail.received[0]?.to]).toEqual([1, ["diego@acme.example"]]);
  });
  test("a refusal by the mail server is answered like a success", async () => {
    mail.answer = () => 550;
    const before = mail.attempts;
    expect((await reset("diego@acme.example")).code).toBe(202);
    await waitUntil(() => mail.attempts > before && /answered 550/.test(s.logLines.at(-1) ?? ""));
  });
  test("the reply does not wait for a slow mail server", async () => {
    const before = mail.attempts;
    const { promise, release } = held<undefined>();
    mail.answer = () => promise;
    expect([(await reset("diego@acme.example")).code, (await reset("nobody@acme.example")).code]).toEqual([202, 202]);
    expect(mail.received).toEqual([]);
    release(undefined);
    await waitUntil(() => mail.received.length > 0);
    expect(mail.attempts - before).toBe(1);
  });
});

test.each([
  ["POST /identity/password-reset 429 TOO_MANY_SIGN_INS", "diego@acme.example"],
  ["POST /identity/password-reset 429 TOO_MANY_SIGN_INS", "nobody@acme.example"],
])("%s after three requests for one address in a quarter of an hour, known or not: %s", async (_, email) => {
  mail.answer = () => 550;
  for (let turn = 0; turn < 3; turn++) expect((await reset(turn === 0 ? email.toUpperCase() : email)).code).toBe(202);
  const refused = await reset(email);
  expect(refused).toMatchObject({ code: 429, body: { status: "TOO_MANY_SIGN_INS" } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await reset("maya@acme.example")).code).toBe(202);
  clock.ahead += 15 * 60_000;
  expect((await reset(email)).code).toBe(202);
});

test("GET /identity/sign-in-methods 200 says whether a password can be reset by e-mail", async () => {
  const methods = await s.page("GET", "/identity/sign-in-methods");
  expect(methods).toMatchObject({ code: 200, body: { sends_mail: true, identity_providers: [] } });
  const silent = await sessionHarness();
  expect(await silent.page("GET", "/identity/sign-in-methods")).toMatchObject({
    code: 200,
    body: { sends_mail: false },
  });
  const reply = await silent.page("POST", "/identity/password-reset", {
    body: { account: "acme", email: "diego@acme.example" },
  });
  expect(reply.code).toBe(202);
  await silent.close();
});
