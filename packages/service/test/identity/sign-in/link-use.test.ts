import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { realPorts } from "../../../src/index.ts";
import { PASSWORD, secretOfLink, sessionHarness, type SessionHarness } from "../authentication/session-harness.ts";
import { untilQuarterMs } from "../../quarter-hour.ts";

const MINUTE_MS = 60_000;

let s: SessionHarness;
let offsetMs = untilQuarterMs();
beforeAll(async () => {
  s = await sessionHarness({ ports: { now: () => new Date(realPorts.now().getTime() + offsetMs) } });
});
afterAll(() => s.close());
beforeEach(() => {
  offsetMs += 15 * MINUTE_MS;
});

const newLink = async (email = "olivia@acme.example"): Promise<string> => {
  const { body } = await s.adminRequest<{ link: string }>("POST", "/admin/accounts/acme/sign-in-links", { email });
  return secretOfLink(body.link);
};
/** Sends the form of a link's page, as a browser does. */
const press = (secret: string, { origin = s.origin, type = "application/x-www-form-urlencoded" } = {}) =>
  fetch(`${s.url}/sign-in/link`, {
    method: "POST",
    headers: { "content-type": type, ...(origin !== "" && { origin }) },
    body: new URLSearchParams({ secret }).toString(),
  });
const outcome = ({ status, headers }: Response) => [status, headers.getSetCookie().length];

describe("the form of a sign-in link", () => {
  test("signs in once: a replay is refused without a cookie", async () => {
    const secret = await newLink();
    const first = await press(secret);
    expect(outcome(first)).toEqual([200, 1]);
    expect(await first.text()).toMatch(/<meta name="session-token" content="[\w-]{43}" \/>/);
    expect(outcome(await press(secret))).toEqual([404, 0]);
  });

  test("signs in exactly once in simultaneous requests", async () => {
    const secret = await newLink();
    const replies = await Promise.all(Array.from({ length: 8 }, () => press(secret)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
  });

  test("is valid for 15 minutes", async () => {
    const [early, late] = [await newLink(), await newLink()];
    offsetMs += 15 * MINUTE_MS - 5_000;
    expect((await press(early)).status).toBe(200);
    offsetMs += 10_000;
    expect(outcome(await press(late))).toEqual([404, 0]);
  });

  test("is not used by opening its page, by HEAD, by a form of another origin or by another media type", async () => {
    const secret = await newLink();
    for (const method of ["GET", "HEAD", "GET"])
      expect((await fetch(`${s.url}/sign-in/link/${secret}`, { method })).status).toBe(200);
    for (const origin of ["https://evil.example", "null", "", s.origin.replace(/\d+$/, "1")])
      expect(outcome(await press(secret, { origin }))).toEqual([403, 0]);
    expect((await press(secret, { type: "text/plain" })).status).toBe(415);
    expect((await press(secret)).status).toBe(200);
  });

  test("refuses a link of a deactivated agent, one for another purpose, and texts that are not links", async () => {
    const { id, email } = await s.client.agents.createAgent({ body: { email: "leaving@acme.example" } });
    const secret = await newLink(email);
    const { body } = await s.adminRequest<{ link: string }>("POST", `/admin/accounts/acme/agents/${id}/invitation`);
    await s.adminRequest("PUT", `/admin/accounts/acme/agents/${id}`, { is_deactivated: true });
    const texts = [secret, secretOfLink(body.link), "", "A".repeat(43), "\0", "'", "x".repeat(5_000)];
    for (const text of texts) {
      const reply = await press(text);
      expect([reply.status >= 400 && reply.status < 500, reply.headers.getSetCookie()]).toEqual([true, []]);
    }
  });

  const choosePassword = async (token: string): Promise<number> =>
    (await s.page("POST", "/identity/password", { body: { token, password: PASSWORD } })).code;
  test.each(["invitation", "password-reset"])(
    "refuses a link of %s of an active agent, which stays valid for its own use and ends the sign-in links",
    async (kind) => {
      const { id, email } = await s.client.agents.createAgent({ body: { email: `${kind}@acme.example` } });
      const signIn = await newLink(email);
      const { body } = await s.adminRequest<{ link: string }>("POST", `/admin/accounts/acme/agents/${id}/${kind}`);
      expect(outcome(await press(secretOfLink(body.link)))).toEqual([404, 0]);
      expect(await choosePassword(secretOfLink(body.link))).toBe(200);
      expect(outcome(await press(signIn))).toEqual([404, 0]);
    },
  );

  test("refuses a link of a deleted agent", async () => {
    const { id, email } = await s.client.agents.createAgent({ body: { email: "deleted@acme.example" } });
    const secret = await newLink(email);
    await s.client.agents.deleteAgent({ params: { agent_id: id } });
    expect(outcome(await press(secret))).toEqual([404, 0]);
  });

  test("is limited to a hundred failures from one address in a quarter of an hour", async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 101; count++) statuses.push((await press("A".repeat(43))).status);
    expect([statuses[0], statuses.at(-2), statuses.at(-1)]).toEqual([404, 404, 429]);
  });
});
