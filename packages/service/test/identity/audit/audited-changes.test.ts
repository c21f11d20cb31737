import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { admin, agents, BASE_PATH, routeOf, type Endpoint } from "@parley/contract";
import { ADMIN_KEY } from "../../operations/administration/endpoints/admin-harness.ts";
import type { BrowserSession } from "../authentication/session-harness.ts";
import { UNKNOWN_ID } from "../../matrix/endpoint-harness.ts";
import { auditHarness, type AuditHarness } from "./audit-harness.ts";
import { AUDITED_CHANGES, NOT_AUDITED, type AuditedChange, type ChangeRequest } from "./audited-changes.ts";

/** Each endpoint that changes something leaves one entry when it succeeds, and none when it is refused. */

let s: AuditHarness;
beforeAll(async () => {
  s = await auditHarness();
  // The first webhook of an account creates its key pair.
  await AUDITED_CHANGES["changeWebhook"]?.prepare(s);
});
afterAll(() => s.close());

interface ChangingRow {
  readonly operation: string;
  readonly row: Endpoint;
  readonly base: string;
}
const rowsIn = (table: Readonly<Record<string, Endpoint>>, base: string): ChangingRow[] =>
  Object.entries(table).map(([operation, row]) => ({ operation, row, base }));
const CHANGING = [...rowsIn(admin, ""), ...rowsIn(agents, BASE_PATH)].filter(
  ({ operation, row }) =>
    (!row.route.startsWith("GET ") || operation === "exportAuditLog") && !(operation in NOT_AUDITED),
);

test("every endpoint of the tables admin and agents that changes something has a row here", () => {
  expect(CHANGING.map(({ operation }) => operation).sort()).toEqual(Object.keys(AUDITED_CHANGES).sort());
});

type Credential = "adminKey" | "session" | "token";
interface Sender {
  readonly key?: string;
  readonly session?: BrowserSession;
}

const credentialsOf = ({ access }: Endpoint): Credential[] => [
  ...(access.adminKey ? (["adminKey"] as const) : []),
  ...(access.session ? (["session"] as const) : []),
  ...(access.token !== undefined ? (["token"] as const) : []),
];
const senderOf = (credential: Credential, { owner = s.owner }: ChangeRequest): Sender =>
  credential === "session" ? { session: owner.session } : { key: credential === "adminKey" ? ADMIN_KEY : s.token };

const send = async ({ row, base }: ChangingRow, { params = {}, body }: ChangeRequest, { key, session }: Sender) => {
  const { method, path } = routeOf(row);
  const at = path.replace(/\{(\w+)\}/g, (_, name: string) => ({ account: "acme", ...params })[name] ?? UNKNOWN_ID);
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return s.page(method, base + at, { headers, ...(session && { session }), ...(body !== undefined && { body }) });
};

const changeOf = ({ operation }: ChangingRow) => AUDITED_CHANGES[operation] as AuditedChange;
const CASES = CHANGING.flatMap((changing) =>
  credentialsOf(changing.row).map((credential) => [changing.operation, credential, changing] as const),
);

const actorOf = (credential: Credential, { owner = s.owner }: ChangeRequest) => {
  if (credential === "session") return { type: "agent", id: owner.id, name: owner.email };
  if (credential === "adminKey") return { type: "operator" };
  return { type: "token", id: expect.any(String), name: "test" };
};

test.each(CASES)("%s by %s leaves one entry with its action, actor and address", async (_, credential, changing) => {
  const { action, prepare, reportsForOthers, isOfInstallation } = changeOf(changing);
  const request = await prepare(s);
  const { result, entries } = await s.entriesOf(() => send(changing, request, senderOf(credential, request)));
  expect([result.code, entries.length]).toEqual([changing.row.reply.code, 1]);
  const [entry] = entries;
  const by = reportsForOthers
    ? { actor: { type: "platform" } }
    : { actor: actorOf(credential, request), address: "127.0.0.1" };
  const subject = request.subject === undefined ? {} : { subject: request.subject };
  expect(entry).toMatchObject({ action, ...by, ...subject });
  expect(entry?.account).toBe(isOfInstallation ? undefined : (request.account ?? "acme"));
  expect(Object.keys(entry?.actor ?? {})).toEqual(Object.keys(by.actor));
});

describe("a refused request leaves no entry:", () => {
  test.each(CHANGING.map((changing) => [changing.operation, changing] as const))("%s", async (_, changing) => {
    const { prepare, invalidBody, createsMissing } = changeOf(changing);
    const { row } = changing;
    const request = await prepare(s);
    const key = row.access.adminKey ? ADMIN_KEY : s.token;
    const outcomes: [string, number][] = [];
    const { entries } = await s.entriesOf(async () => {
      const refused = async (name: string, changed: ChangeRequest, sender: Sender) =>
        outcomes.push([name, (await send(changing, changed, sender)).code]);
      await refused("no credential", request, {});
      await refused("a wrong key", request, { key: "parley_wrong" });
      await refused("an agent of a lower role", request, { session: s.agent.session });
      if (row.route.includes("{account}"))
        await refused("an agent of another account", request, { session: s.ownerOfSolo.session });
      const names = Object.keys(request.params ?? {}).filter((name) => name !== "account");
      const unknown = Object.fromEntries(names.map((name) => [name, UNKNOWN_ID]));
      if (names.length > 0 && !createsMissing)
        await refused("an unknown id", { ...request, params: { ...request.params, ...unknown } }, { key });
      if (row.route.includes("{account}") && changing.operation !== "applyAccount")
        await refused("an unknown account", { ...request, params: { ...request.params, account: "nobody" } }, { key });
      if (invalidBody !== undefined) await refused("an invalid body", { ...request, body: invalidBody }, { key });
    });
    expect(outcomes.filter(([, code]) => code < 400 || code >= 500)).toEqual([]);
    expect(outcomes.length).toBeGreaterThan(2);
    expect(entries).toEqual([]);
  });
});

describe("without the audit log nothing changes:", () => {
  test.each(CHANGING.map((changing) => [changing.operation, changing] as const))("%s", async (_, changing) => {
    const request = await changeOf(changing).prepare(s);
    const key = changing.row.access.adminKey ? ADMIN_KEY : s.token;
    const before = await s.checksum();
    await s.renameLog("hide");
    try {
      expect((await send(changing, request, { key })).code).toBeGreaterThanOrEqual(500);
      expect(await s.checksum()).toBe(before);
    } finally {
      await s.renameLog("restore");
    }
    expect((await send(changing, request, { key })).code).toBe(changing.row.reply.code);
    // The checksum notices the change. Some rows have nothing to end or only read.
    if (
      ![
        "endAgentSessions",
        "removeAgentSecondFactor",
        "exportAuditLog",
        "recordAppChange",
        "recordCatalogueChange",
        "replayDeliveries",
      ].includes(changing.operation)
    )
      expect(await s.checksum()).not.toBe(before);
  });

  test("a token issued in the process", async () => {
    const before = await s.checksum();
    await s.renameLog("hide");
    try {
      await expect(s.admin.issueToken({ account: "acme", name: "unrecorded" })).rejects.toThrow("audit_log");
      expect(await s.checksum()).toBe(before);
    } finally {
      await s.renameLog("restore");
    }
  });
});
