import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { startSmtpServer, type SmtpServerFixture } from "../mail/smtp-fixture.ts";
import { linkHarness, untilMailsArrived, type LinkHarness } from "./link-harness.ts";
import { secretOfLink } from "./session-harness.ts";

/** Links that are sent by e-mail, through a real mail server. */

const WINDOW_MS = 15 * 60_000;
const refusals: number[] = [];

let smtp: SmtpServerFixture;
let s: LinkHarness;
beforeAll(async () => {
  smtp = await startSmtpServer({ refusals });
  s = await linkHarness({ config: { mail: smtp.config() } });
});
afterAll(async () => {
  await s.close();
  await smtp.close();
});
beforeEach(() => {
  s.advance(WINDOW_MS);
  smtp.mails.length = 0;
});

const choosePasswordBy = (link: string) => s.choosePassword(secretOfLink(link));
describe("a forgotten password", () => {
  test("POST /identity/password-reset 202 sends a link, which works once", async () => {
    const { email } = await s.newAgent();
    expect((await s.requestReset(email.toUpperCase(), { account: "ACME" })).code).toBe(202);
    const { to, link, text } = await smtp.mail();
    expect([to, link]).toEqual([
      [email],
      expect.stringMatching(new RegExp(`^${s.origin}/sign-in/password#[\\w-]{43}$`)),
    ]);
    expect(text).toContain("account acme");
    const chosen = await choosePasswordBy(link);
    expect([chosen.code, chosen.body.session?.email]).toEqual([200, email]);
    expect((await choosePasswordBy(link)).body.status).toBe("LINK_NOT_VALID");
  });

  test("a newer request makes the earlier link invalid; the answer and the log contain neither", async () => {
    const { email } = await s.newAgent();
    const answers = [await s.requestReset(email)];
    const first = await smtp.mail(0);
    answers.push(await s.requestReset(email));
    const second = await smtp.mail(1);
    expect((await choosePasswordBy(first.link)).body.status).toBe("LINK_NOT_VALID");
    const written = JSON.stringify([answers.map(({ body }) => body), s.logLines]);
    for (const { link } of [first, second]) expect(written).not.toContain(secretOfLink(link));
    expect((await choosePasswordBy(second.link)).code).toBe(200);
  });

  test("is answered equally whether the address belongs to an agent or not, and nothing is sent to others", async () => {
    const [known, gone] = [await s.newAgent(), await s.newAgent()];
    await s.adminRequest("PUT", `/admin/accounts/acme/agents/${gone.id}`, { is_deactivated: true });
    const answers = await Promise.all([
      s.requestReset(known.email),
      s.requestReset("nobody@acme.example"),
      s.requestReset(gone.email),
      s.requestReset(known.email, { account: "solo" }),
      s.requestReset(known.email, { account: "none" }),
      s.requestReset("%"),
      s.requestReset("not an address\r\nBcc: eve@evil.example"),
    ]);
    const shown = answers.map(({ code, headers, body }) => {
      const names = [...headers.keys()].filter((name) => !name.startsWith("x-ratelimit"));
      return JSON.stringify([code, names, headers.get("content-length"), body]);
    });
    expect([...new Set(shown)]).toEqual([expect.stringMatching(/^\[202,/)]);
    await untilMailsArrived(s, smtp);
    expect(smtp.mails.map(({ to }) => to)).toEqual([[known.email]]);
  });

  test("takes as long for an unknown address as for a known one", async () => {
    const known = await Promise.all(Array.from({ length: 25 }, () => s.newAgent()));
    const times = { known: [] as number[], unknown: [] as number[] };
    for (const [index, { email }] of known.entries())
      for (const [kind, address] of [
        ["known", email],
        ["unknown", `nobody${index}@acme.example`],
      ] as const) {
        const begin = performance.now();
        await s.requestReset(address, { headers: { "x-forwarded-for": `203.0.113.${index}` } });
        times[kind].push(performance.now() - begin);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    const median = (values: number[]): number => values.sort((a, b) => a - b)[12] ?? 0;
    expect(median(times.known) / median(times.unknown)).toBeLessThan(2);
    expect(median(times.known) / median(times.unknown)).toBeGreaterThan(0.5);
    await untilMailsArrived(s, smtp);
  });

  test("POST /identity/password-reset TOO_MANY_SIGN_INS after three requests for an address in a quarter of an hour, from any addresses", async () => {
    const { email: known } = await s.newAgent();
    for (const email of [known, "nobody@acme.example"]) {
      const statuses: (string | undefined)[] = [];
      for (let count = 0; count < 5; count++)
        statuses.push(
          (
            await s.requestReset(count % 2 ? email : email.toUpperCase(), {
              headers: { "x-forwarded-for": `203.0.113.${count}` },
            })
          ).body.status,
        );
      expect(statuses).toEqual(["ACCEPTED", "ACCEPTED", "ACCEPTED", "TOO_MANY_SIGN_INS", "TOO_MANY_SIGN_INS"]);
    }
    await untilMailsArrived(s, smtp);
    expect(smtp.mails.filter(({ to }) => to[0] === known)).toHaveLength(3);
    s.advance(WINDOW_MS);
    expect((await s.requestReset("nobody@acme.example")).code).toBe(202);
  });

  test("needs the origin of the service", async () => {
    const { email } = await s.newAgent();
    for (const origin of ["", "null", "https://evil.example"])
      expect((await s.requestReset(email, { origin })).code).toBe(403);
    await untilMailsArrived(s, smtp);
    expect(smtp.mails).toEqual([]);
  });

  test("is sent by a further attempt if the mail server refuses the first one temporarily", async () => {
    const { email } = await s.newAgent();
    refusals.length = 0;
    refusals[smtp.attempts()] = 451;
    expect((await s.requestReset(email)).code).toBe(202);
    const { to, link } = await smtp.mail();
    expect(to).toEqual([email]);
    expect((await choosePasswordBy(link)).code).toBe(200);
  });

  test("that the mail server refuses is logged and not told to the requester", async () => {
    const { email } = await s.newAgent();
    refusals[smtp.attempts()] = 550;
    const answer = await s.requestReset(email);
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
  ] as const)(
    "POST /admin/accounts/{account}/agents/{agent_id}/%s sends the link, which the response does not contain",
    async (kind, subject) => {
      const { id, email } = await s.newAgent();
      const { code, body } = await s.issue(id, kind);
      expect([code, body.is_sent, body.link, body.email]).toEqual([201, true, undefined, email]);
      const { to, headers, link } = await smtp.mail();
      expect([to, headers.get("subject")]).toEqual([[email], expect.stringContaining(subject)]);
      expect((await choosePasswordBy(link)).code).toBe(200);
      expect((await choosePasswordBy(link)).body.status).toBe("LINK_NOT_VALID");
    },
  );

  test.each([451, 550])("are in the response if the mail server answers %s", async (code) => {
    const { id } = await s.newAgent();
    refusals[smtp.attempts()] = code;
    const { body } = await s.issue(id, "invitation");
    expect([body.is_sent, smtp.mails]).toEqual([false, []]);
    expect((await choosePasswordBy(body.link ?? "")).code).toBe(200);
    expect(s.logLines.join("\n")).not.toContain(secretOfLink(body.link ?? ""));
  });

  test("are in the response if the agent's address is none that mail can be sent to", async () => {
    for (const email of ["a,b@acme.example", "<c>@acme.example", '"d"@acme.example']) {
      const { id } = await s.newAgent(email);
      const { body } = await s.issue(id, "invitation");
      expect([body.is_sent, body.email]).toEqual([false, email]);
      expect((await choosePasswordBy(body.link ?? "")).code).toBe(200);
    }
    expect(smtp.mails).toEqual([]);
  });
});

test("without a mail server a request for a new password creates no link", async () => {
  const own = await linkHarness();
  try {
    const { id, email } = await own.newAgent();
    const secret = await own.passwordSecret(id);
    expect((await own.requestReset(email)).code).toBe(202);
    // A new link would have made the invitation invalid.
    expect((await own.choosePassword(secret)).code).toBe(200);
  } finally {
    await own.close();
  }
});
