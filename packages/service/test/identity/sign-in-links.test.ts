import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { IssuedLink } from "@parley/contract";
import { realPorts } from "../../src/index.ts";
import { cookieOf, PASSWORD, secretOfLink, sessionHarness, type SessionHarness } from "./session-harness.ts";

/** The form of the page behind a link that signs in. */

const MINUTE_MS = 60_000;

let s: SessionHarness;
let offsetMs = 0;
beforeAll(async () => {
  s = await sessionHarness({ ports: { now: () => new Date(realPorts.now().getTime() + offsetMs) } });
});
afterAll(() => s.close());

let agentCount = 0;
const newAgent = () => s.client.agents.createAgent({ body: { email: `linked${agentCount++}@acme.example` } });
const newSecret = async (email: string): Promise<string> => {
  const { body } = await s.adminRequest<{ link: string }>("POST", "/admin/accounts/acme/sign-in-links", { email });
  return secretOfLink(body.link);
};
/** -> the status, and whether the response has a session cookie */
const use = async (secret: string): Promise<readonly [number, boolean]> => {
  const body = new URLSearchParams({ secret });
  const reply = await fetch(`${s.origin}/sign-in/link`, { method: "POST", headers: { origin: s.origin }, body });
  return [reply.status, cookieOf(reply.headers) !== undefined];
};
const choosePassword = async (token: string): Promise<number> =>
  (await s.page("POST", "/identity/password", { body: { token, password: PASSWORD } })).code;

describe("a link that signs in", () => {
  test("used by simultaneous requests signs in exactly one of them", async () => {
    const secret = await newSecret((await newAgent()).email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => use(secret)));
    expect(answers.toSorted(([a], [b]) => a - b)).toEqual([
      [200, true],
      ...Array.from({ length: 7 }, () => [404, false]),
    ]);
  });

  test("works until 15 minutes are over", async () => {
    const { email } = await newAgent();
    const [inTime, late] = [await newSecret(email), await newSecret(email)];
    offsetMs += 14 * MINUTE_MS;
    expect(await use(inTime)).toEqual([200, true]);
    offsetMs += 2 * MINUTE_MS;
    expect(await use(late)).toEqual([404, false]);
  });

  test.each(["invitation", "password-reset"])(
    "is not a link of %s, which stays valid for its own use",
    async (kind) => {
      const { id } = await newAgent();
      const { body } = await s.adminRequest<IssuedLink>("POST", `/admin/accounts/acme/agents/${id}/${kind}`);
      const secret = secretOfLink(body.link ?? "");
      expect(await use(secret)).toEqual([404, false]);
      expect(await choosePassword(secret)).toBe(200);
    },
  );

  test("ends when its agent chooses a password by another link", async () => {
    const { id, email } = await newAgent();
    const secret = await newSecret(email);
    const { body } = await s.adminRequest<IssuedLink>("POST", `/admin/accounts/acme/agents/${id}/invitation`);
    expect(await choosePassword(secretOfLink(body.link ?? ""))).toBe(200);
    expect(await use(secret)).toEqual([404, false]);
  });

  test.each(["deactivated", "deleted"])("of a %s agent signs nobody in", async (state) => {
    const { id, email } = await newAgent();
    const secret = await newSecret(email);
    if (state === "deleted") await s.client.agents.deleteAgent({ params: { agent_id: id } });
    else await s.adminRequest("PUT", `/admin/accounts/acme/agents/${id}`, { is_deactivated: true });
    const [status, hasSession] = await use(secret);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(hasSession).toBe(false);
  });
});
