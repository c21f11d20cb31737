import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AccessToken, AgentRole, AuditEntry, InstallationDetails } from "@parley/contract";
import { greeter, withCustomerRequest } from "./greeter-app.ts";
import { createAgent } from "./platform-browser-sessions.ts";
import { platformHarness, type PlatformHarness } from "./platform-harness.ts";
import { serviceSession, type ServiceSession } from "./service-session.ts";

/**
 * Only account admins create API keys. An installation and an upgrade can create the key of an app: an admin's session must not get one that
 * way. The same requests with the admin key, which no rule of roles limits, show that they create keys.
 */

let harness: PlatformHarness;
const sessions = new Map<AgentRole, ServiceSession>();
beforeAll(async () => {
  harness = await platformHarness();
  await harness.publish(greeter("1.0.0"));
  for (const role of ["ADMIN", "ACCOUNT_ADMIN"] as const)
    sessions.set(role, await serviceSession(harness, await createAgent(harness, "acme", role)));
});
afterAll(() => harness.close());

const APPS = "/platform/accounts/acme/apps";
const APP = `${APPS}/greeter`;
const as = (role: AgentRole): ServiceSession => sessions.get(role) as ServiceSession;
/** Permissions of the valid keys of the app. */
const keys = async (): Promise<readonly (readonly string[])[]> => {
  const { body } = await harness.admin<{ tokens: AccessToken[] }>("GET", "/admin/accounts/acme/tokens");
  return body.tokens
    .filter(({ name, revoked_time }) => name === "app greeter" && revoked_time === undefined)
    .map(({ permissions }) => permissions);
};
const installed = async (): Promise<readonly InstallationDetails[]> =>
  (await harness.request<{ apps: InstallationDetails[] }>("GET", APPS)).body.apps;
const refusal = {
  status: 403,
  body: { code: 403, status: "FORBIDDEN", message: expect.stringContaining("account admin") },
};
const uninstall = () => harness.request("DELETE", APP);

describe("an installation whose key the platform would create", () => {
  test("is refused to an admin: neither app nor key exist afterwards", async () => {
    const before = await keys();
    expect(await as("ADMIN").ask("POST", APPS, { name: "greeter" })).toEqual(refusal);
    expect(await installed()).toEqual([]);
    expect(await keys()).toEqual(before);
  });
  test("creates a key without the rule: with the admin key", async () => {
    const before = (await keys()).length;
    expect((await harness.request("POST", APPS, { name: "greeter" })).status).toBe(201);
    expect(await keys()).toHaveLength(before + 1);
    await uninstall();
  });
  test("is made by an admin with a key of the account admin", async () => {
    const { body } = await harness.admin<{ token: string }>("POST", "/admin/accounts/acme/tokens", {
      name: "for the greeter",
      permissions: ["account:read", "message:create"],
    });
    const before = await keys();
    const iparams = { api_key: body.token };
    expect(await as("ADMIN").ask("POST", APPS, { name: "greeter", iparams })).toMatchObject({ status: 201 });
    expect(await keys()).toEqual(before);
    await uninstall();
  });
  test("is made by an account admin, whom the audit log names as the creator of the key", async () => {
    expect(await as("ACCOUNT_ADMIN").ask("POST", APPS, { name: "greeter" })).toMatchObject({ status: 201 });
    const { body } = await harness.admin<{ entries: AuditEntry[] }>(
      "GET",
      "/admin/accounts/acme/audit-log?action=token.create",
    );
    expect(body.entries[0]).toMatchObject({
      actor: { type: "agent", id: as("ACCOUNT_ADMIN").agent },
      details: { name: "app greeter" },
    });
  });
});

describe("an upgrade", () => {
  test("that needs no further permission is made by an admin, and creates no key", async () => {
    await harness.publish(greeter("1.1.0"));
    const before = await keys();
    expect(await installed()).toMatchObject([{ newer_version: "1.1.0", upgrade_creates_key: false }]);
    expect(await as("ADMIN").ask("POST", `${APP}/upgrade`, {})).toMatchObject({ status: 200 });
    expect(await keys()).toEqual(before);
  });
  test("that needs further permissions is refused to an admin: version and keys stay", async () => {
    await harness.publish(withCustomerRequest(greeter("2.0.0")));
    const before = await keys();
    expect(await installed()).toMatchObject([{ newer_version: "2.0.0", upgrade_creates_key: true }]);
    expect(await as("ADMIN").ask("POST", `${APP}/upgrade`, {})).toEqual(refusal);
    expect(await installed()).toMatchObject([{ version: "1.1.0" }]);
    expect(await keys()).toEqual(before);
  });
  test("creates the wider key without the rule: with the admin key", async () => {
    expect((await harness.request("POST", `${APP}/upgrade`, {})).status).toBe(200);
    expect(await keys()).toContainEqual(["account:read", "user:read", "message:create"]);
    await harness.request("POST", `${APP}/rollback`);
  });
  test("that needs further permissions is made by an account admin", async () => {
    const before = (await keys()).length;
    expect(await as("ACCOUNT_ADMIN").ask("POST", `${APP}/upgrade`, {})).toMatchObject({ status: 200 });
    expect(await installed()).toMatchObject([{ version: "2.0.0" }]);
    expect(await keys()).toHaveLength(before + 1);
  });
});
