import { request } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { IssuedLink, SignInResult } from "@parley/contract";
import { realPorts } from "../../src/index.ts";
import { startSmtpServer, type SmtpServerFixture } from "../mail/smtp-fixture.ts";
import { PASSWORD, secretOfLink, sessionHarness, type PageRequest, type SessionHarness } from "./session-harness.ts";

/** Links that are sent by e-mail, through a real mail server. */

const WINDOW_MS = 15 * 60_000;
const refusals: number[] = [];

let smtp: SmtpServerFixture;
let s: SessionHarness;
let offsetMs = 0;
const ports = { now: () => new Date(realPorts.now().getTime() + offsetMs) };
beforeAll(async () => {
  smtp = await startSmtpServer({ refusals });
  s = await sessionHarness({ ports, config: { mail: smtp.config(), trustedProxies: ["127.0.0.1"] } });
});
afterAll(async () => {
  await s.close();
  await smtp.close();
});
beforeEach(() => {
  offsetMs += WINDOW_MS;
  smtp.mails.length = 0;
});

let agentCount = 0;
const newAgent = async (email = `agent${agentCount++}@acme.example`) =>
  s.client.agents.createAgent({ body: { email } });
const reset = (email: string, asked: PageRequest & { account?: string } = {}) =>
  s.page("POST", "/identity/password-reset", { ...asked, body: { account: asked.account ?? "acme", email } });
const choose = (link: string, password = PASSWORD) =>
  s.page<SignInResult>("POST", "/identity/password", { body: { token: secretOfLink(link), password } });
const issue = (id: string, kind: string) =>
  s.adminRequest<IssuedLink>("POST", `/admin/accounts/acme/agents/${id}/${kind}`);
/** Waits until mails that earlier requests have caused would have arrived: a later one has. */
const settle = async (): Promise<void> => {
  const { email } = await newAgent();
  await reset(email);
  for (let turn = 0; turn < 250 && !smtp.mails.some(({ to }) => to[0] === email); turn++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const index = smtp.mails.findIndex(({ to }) => to[0] === email);
  expect(index).toBeGreaterThanOrEqual(0);
  smtp.mails.splice(index, 1);
};

describe("a forgotten password", () => {
  test("POST /identity/password-reset 202 sends a link, which works once", async () => {
    const { email } = await newAgent();
    expect((await reset(email.toUpperCase(), { account: "ACME" })).code).toBe(202);
    const { to, link, text } = await smtp.mail();
    expect([to, link]).toEqual([
      [email],
      expect.stringMatching(new RegExp(`^${s.origin}/sign-in/password#[\\w-]{43}$`)),
    ]);
    expect(text).toContain("account acme");
    const chosen = await choose(link);
    expect([chosen.code, chosen.body.session?.email]).toEqual([200, email]);
    expect((await choose(link)).body.status).toBe("LINK_NOT_VALID");
  });

  test("a newer request makes the earlier link invalid; the answer and the log contain neither", async () => {
    const { email } = await newAgent();
    const answers = [await reset(email)];
    const first = await smtp.mail(0);
    answers.push(await reset(email));
    const second = await smtp.mail(1);
    expect((await choose(first.link)).body.status).toBe("LINK_NOT_VALID");
    const written = JSON.stringify([answers.map(({ body }) => body), s.logLines]);
    for (const { link } of [first, second]) expect(written).not.toContain(secretOfLink(link));
    expect((await choose(second.link)).code).toBe(200);
  });

  test("is answered equally whether the address belongs to an agent or not, and nothing is sent to others", async () => {
    const [known, gone] = [await newAgent(), await newAgent()];
    await s.adminRequest("PUT", `/admin/accounts/acme/agents/${gone.id}`, { is_deactivated: true });
    const answers = await Promise.all([
      reset(known.email),
      reset("nobody@acme.example"),
      reset(gone.email),
      reset(known.email, { account: "solo" }),
      reset(known.email, { account: "none" }),
      reset("%"),
      reset("not an address\r\nBcc: eve@evil.example"),
    ]);
    const shown = answers.map(({ code, headers, body }) => {
      const names = [...headers.keys()].filter((name) => !name.startsWith("x-ratelimit"));
      return JSON.stringify([code, names, headers.get("content-length"), body]);
    });
    expect([...new Set(shown)]).toEqual([expect.stringMatching(/^\[202,/)]);
    await settle();
    expect(smtp.mails.map(({ to }) => to)).toEqual([[known.email]]);
  });

  test("takes as long for an unknown address as for a known one", async () => {
    const known = await Promise.all(Array.from({ length: 25 }, () => newAgent()));
    const times = { known: [] as number[], unknown: [] as number[] };
    for (const [index, { email }] of known.entries())
      for (const [kind, address] of [
        ["known", email],
        ["unknown", `nobody${index}@acme.example`],
      ] as const) {
        const begin = performance.now();
        await reset(address, { headers: { "x-forwarded-for": `203.0.113.${index}` } });
        times[kind].push(performance.now() - begin);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    const median = (values: number[]): number => values.sort((a, b) => a - b)[12] ?? 0;
    expect(median(times.known) / median(times.unknown)).toBeLessThan(2);
    expect(median(times.known) / median(times.unknown)).toBeGreaterThan(0.5);
    await settle();
  });

  test("POST /identity/password-reset TOO_MANY_SIGN_INS after three requests for an address in a quarter of an hour, from any addresses", async () => {
    const { email: known } = await newAgent();
    for (const email of [known, "nobody@acme.example"]) {
      const statuses: (string | undefined)[] = [];
      for (let count = 0; count < 5; count++)
        statuses.push(
          (
            await reset(count % 2 ? email : email.toUpperCase(), {
              headers: { "x-forwarded-for": `203.0.113.${count}` },
            })
          ).body.status,
        );
      expect(statuses).toEqual(["ACCEPTED", "ACCEPTED", "ACCEPTED", "TOO_MANY_SIGN_INS", "TOO_MANY_SIGN_INS"]);
    }
    await settle();
    expect(smtp.mails.filter(({ to }) => to[0] === known)).toHaveLength(3);
    offsetMs += WINDOW_MS;
    expect((await reset("nobody@acme.example")).code).toBe(202);
  });

  test("needs the origin of the service", async () => {
    const { email } = await newAgent();
    for (const origin of ["", "null", "https://evil.example"]) expect((await reset(email, { origin })).code).toBe(403);
    await settle();
    expect(smtp.mails).toEqual([]);
  });

  test("is sent by a further attempt if the mail server refuses the first one temporarily", async () => {
    const { email } = await newAgent();
    refusals.length = 0;
    refusals[smtp.attempts()] = 451;
    expect((await reset(email)).code).toBe(202);
    const { to, link } = await smtp.mail();
    expect(to).toEqual([email]);
    expect((await choose(link)).code).toBe(200);
  });

  test("that the mail server refuses is logged and not told to the requester", async () => {
    const { email } = await newAgent();
    refusals[smtp.attempts()] = 550;
    const answer = await reset(email);
    expect([answer.code, answer.body.status]).toEqual([202, "ACCEPTED"]);
    const isLogged = () =>
      s.logLines.some((line) => /^error: A mail for an agent of acme was not sent: .*550/.test(line));
    for (let turn = 0; turn < 250 && !isLogged(); turn++) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isLogged()).toBe(true);
    expect(s.logLines.join("\n")).not.toContain(email);
  });
});

describe("links for agents that an admin asks for", () => {
  test("GET /identity/sign-in-methods 200 says that mail is sent", async () => {
    expect((await s.page("GET", "/identity/sign-in-methods")).body).toMatchObject({ sends_mail: true });
  });

  test.each([
    ["invitation", "Invitation to acme"],
    ["password-reset", "New password for acme"],
  ])(
    "POST /admin/accounts/{account}/agents/{agent_id}/%s sends the link, which the response does not contain",
    async (kind, subject) => {
      const { id, email } = await newAgent();
      const { code, body } = await issue(id, kind);
      expect([code, body.is_sent, body.link, body.email]).toEqual([201, true, undefined, email]);
      const { to, headers, link } = await smtp.mail();
      expect([to, headers.get("subject")]).toEqual([[email], expect.stringContaining(subject)]);
      expect((await choose(link)).code).toBe(200);
      expect((await choose(link)).body.status).toBe("LINK_NOT_VALID");
    },
  );

  test.each([451, 550])("are in the response if the mail server answers %s", async (code) => {
    const { id } = await newAgent();
    refusals[smtp.attempts()] = code;
    const { body } = await issue(id, "invitation");
    expect([body.is_sent, smtp.mails]).toEqual([false, []]);
    expect((await choose(body.link ?? "")).code).toBe(200);
    expect(s.logLines.join("\n")).not.toContain(secretOfLink(body.link ?? ""));
  });

  test("are in the response if the agent's address is none that mail can be sent to", async () => {
    for (const email of ["a,b@acme.example", "<c>@acme.example", '"d"@acme.example']) {
      const { id } = await newAgent(email);
      const { body } = await issue(id, "invitation");
      expect([body.is_sent, body.email]).toEqual([false, email]);
      expect((await choose(body.link ?? "")).code).toBe(200);
    }
    expect(smtp.mails).toEqual([]);
  });
});

describe("the address in a mailed link", () => {
  /** Asks with a Host header, and the origin that a page on this host would have. */
  const resetOn = (url: string, host: string, email: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ account: "acme", email });
      const isLocal = /(?:localhost|\.\d+|\])(?::\d+)?$/.test(host);
      const headers = {
        host,
        origin: `${isLocal ? "http" : "https"}://${host.toLowerCase()}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      };
      request(`${url}/identity/password-reset`, { method: "POST", headers }, (reply) =>
        resolve(reply.resume().statusCode ?? 0),
      )
        .on("error", reject)
        .end(body);
    });
  const originOf = (link: string): string => link.replace(/\/sign-in\/password#[\w-]{43}$/, "");

  test("is that of this service, whatever the Host header says", async () => {
    const { port } = new URL(s.url);
    const sent: string[] = [];
    const hosts = [
      "evil.example",
      `evil.example:${port}`,
      "localhost:1",
      "localhost",
      `evil.example/.localhost:${port}`,
      `evil.example#.localhost:${port}`,
      `evil.example?.localhost:${port}`,
      `evil.example\\.localhost:${port}`,
      `evil.example:80/.localhost:${port}`,
      `x@evil.example/.parley.localhost:${port}`,
      `localhost:${port}@evil.example/.localhost:${port}`,
      "evil.example/.parley.localhost",
    ];
    for (const host of hosts) {
      offsetMs += WINDOW_MS;
      const { email } = await newAgent();
      const code = await resetOn(s.url, host, email);
      sent.push(`${host} ${code}`);
      expect([host, [202, 400, 403]]).toEqual([host, expect.arrayContaining([code])]);
    }
    expect(sent.filter((each) => each.endsWith(" 202"))).not.toEqual([]);
    await settle();
    expect(smtp.mails.map(({ link }) => originOf(link))).toEqual([]);
    expect(s.logLines.filter((line) => line.includes("set PARLEY_PUBLIC_URL"))).not.toEqual([]);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`]) {
      const { email } = await newAgent();
      expect(await resetOn(s.url, host, email)).toBe(202);
      expect(originOf((await smtp.mail()).link)).toBe(`http://${host}`);
      smtp.mails.length = 0;
    }
  });

  test("is PARLEY_PUBLIC_URL if it is set, whatever the Host header says", async () => {
    const own = await sessionHarness({ config: { mail: smtp.config(), publicUrl: "https://chat.example.com" } });
    try {
      for (const host of ["evil.example", "chat.example.com", new URL(own.url).host]) {
        const { email } = await own.client.agents.createAgent({
          body: { email: `${host.replace(":", "-")}@acme.example` },
        });
        expect(await resetOn(own.url, host, email)).toBe(202);
        expect(originOf((await smtp.mail()).link)).toBe("https://chat.example.com");
        smtp.mails.length = 0;
      }
    } finally {
      await own.close();
    }
  });

  test("is the account's own host with PARLEY_DOMAIN, and no other host that ends like it", async () => {
    const own = await sessionHarness({ config: { mail: smtp.config(), domain: "chat.example.com" } });
    try {
      for (const [index, host] of [
        "evil.example/.chat.example.com",
        "evil.example#.chat.example.com",
        "evilchat.example.com",
        "a.b.chat.example.com",
        ".chat.example.com",
      ].entries()) {
        const { email } = await own.client.agents.createAgent({ body: { email: `host${index}@acme.example` } });
        await resetOn(own.url, host, email);
      }
      const { email } = await own.client.agents.createAgent({ body: { email: "last@acme.example" } });
      expect(await resetOn(own.url, "acme.chat.example.com", email)).toBe(202);
      const { link, to } = await smtp.mail();
      expect([to, originOf(link)]).toEqual([[email], "https://acme.chat.example.com"]);
      expect(smtp.mails).toHaveLength(1);
    } finally {
      await own.close();
    }
  });
});

test("without a mail server a request for a new password creates no link", async () => {
  const own = await sessionHarness();
  try {
    const { id, email } = await own.client.agents.createAgent({ body: { email: "plain@acme.example" } });
    const { body } = await own.adminRequest<IssuedLink>("POST", `/admin/accounts/acme/agents/${id}/invitation`);
    const asked = { body: { account: "acme", email } };
    expect((await own.page("POST", "/identity/password-reset", asked)).code).toBe(202);
    // A new link would have made the invitation invalid.
    const token = secretOfLink(body.link ?? "");
    expect((await own.page("POST", "/identity/password", { body: { token, password: PASSWORD } })).code).toBe(200);
  } finally {
    await own.close();
  }
});
