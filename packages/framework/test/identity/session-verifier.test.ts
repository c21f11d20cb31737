import { logText } from "@parley/telemetry";
import { beforeAll, beforeEach, expect, test } from "@jest/globals";
import { realHostPorts } from "../../src/environment/ports.ts";
import { createSessionVerifier, type VerifySession } from "../../src/identity/session-verifier.ts";
import { cookieOfSession, sessionAgent, startFakeIdentityService } from "../support/fake-identity-service.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

let lines: string[];
/** @units milliseconds */
let now = 0;
const monotonicMs = () => now;
const service = fileFixture(startFakeIdentityService);
beforeAll(async () => {
  service.sessions.set(cookieOfSession("ada"), sessionAgent());
});
beforeEach(() => {
  service.questions.length = 0;
  service.setFailure(undefined);
  lines = [];
});

const verifier = (ttlMs = 60_000, timeoutMs = 30_000): VerifySession =>
  createSessionVerifier(
    { origin: service.origin, adminKey: service.adminKey },
    { ttlMs, timeoutMs, monotonicMs, log: (...line) => void lines.push(logText(...line)) },
  );

test("a session cookie is verified by the admin key, in the form of the contract's row", async () => {
  expect(await verifier()(cookieOfSession("ada"))).toEqual({ state: "signed-in", agent: sessionAgent() });
  expect(await verifier()(cookieOfSession("other"))).toEqual({ state: "signed-out" });
  expect(service.faults).toEqual([]);
});

test.each([
  ["known", "ada"],
  ["unknown", "other"],
])("the answer for a %s cookie is cached for its lifetime and then asked again", async (_title, name) => {
  const verify = verifier(300);
  await verify(cookieOfSession(name));
  now += 299;
  await verify(cookieOfSession(name));
  expect(service.questions).toHaveLength(1);
  now += 1;
  await verify(cookieOfSession(name));
  expect(service.questions).toHaveLength(2);
});

test("without a lifetime of the test's own, an ended session is refused within a second, of which the service takes 900 ms", async () => {
  const verify = createSessionVerifier(
    { origin: service.origin, adminKey: service.adminKey },
    { monotonicMs, log: () => undefined },
  );
  service.sessions.set(cookieOfSession("brief"), sessionAgent());
  expect((await verify(cookieOfSession("brief"))).state).toBe("signed-in");
  service.sessions.delete(cookieOfSession("brief"));
  now += 100;
  expect((await verify(cookieOfSession("brief"))).state).toBe("signed-out");
});

test("concurrent questions about one cookie are one request", async () => {
  const verify = verifier(0);
  const answers = await Promise.all(Array.from({ length: 20 }, () => verify(cookieOfSession("ada"))));
  expect([service.questions.length, new Set(answers.map(({ state }) => state))]).toEqual([1, new Set(["signed-in"])]);
});

test.each(["", "short", "with space 0123456789", "x".repeat(5_000), "0123456789abcdef%00"])(
  "the text %.30j is not a session, and the service is not asked",
  async (text) => {
    expect(await verifier()(text)).toEqual({ state: "signed-out" });
    expect(service.questions).toEqual([]);
  },
);

test("the cache is bounded: the answer that was not used for longest is dropped first", async () => {
  const verify = verifier();
  await verify(cookieOfSession("ada"));
  await verify(cookieOfSession("unused"));
  for (let index = 0; index < 999; index += 1) {
    await verify(cookieOfSession(`filler-${index}`));
    if (index === 500) await verify(cookieOfSession("ada"));
  }
  service.questions.length = 0;
  await verify(cookieOfSession("ada"));
  await verify(cookieOfSession("unused"));
  expect(service.questions).toEqual([cookieOfSession("unused")]);
});

test.each([500, 401, 404, 429])("a service that answers %d leaves the session unverifiable", async (status) => {
  const verify = verifier();
  service.setFailure(status);
  expect(await verify(cookieOfSession("ada"))).toEqual({ state: "unverifiable" });
  expect(lines).toEqual([
    `error: The service could not be asked about sessions: it answered ${status}. Pages answer 503.`,
  ]);
  service.setFailure(undefined);
  expect((await verify(cookieOfSession("ada"))).state).toBe("signed-in");
});

test("a service that does not answer in time leaves the session unverifiable", async () => {
  service.setFailure("silent");
  expect(await verifier(60_000, 100)(cookieOfSession("ada"))).toEqual({ state: "unverifiable" });
  expect(lines.join("\n")).not.toContain(cookieOfSession("ada"));
});

test("a service that is not there leaves the session unverifiable", async () => {
  const other = await startFakeIdentityService();
  await other.close();
  const verify = createSessionVerifier(
    { origin: other.origin, adminKey: other.adminKey },
    { ...realHostPorts, log: () => undefined },
  );
  expect(await verify(cookieOfSession("ada"))).toEqual({ state: "unverifiable" });
});
