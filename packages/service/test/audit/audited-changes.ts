import type { AuditAction } from "@parley/contract";
import type { AuditHarness } from "./audit-harness.ts";

/** A valid request to an endpoint. */
export interface ChangeRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** What the entry names as its subject; absent: it is not known before the request. */
  readonly subject?: string;
}

/** How an endpoint that changes something is called, and what it leaves in the audit log. */
export interface AuditedChange {
  readonly action: AuditAction;
  /** Creates what the request changes. */
  readonly prepare: (s: AuditHarness) => Promise<ChangeRequest>;
  /** A body that is refused; absent: the endpoint has none, or accepts every object. */
  readonly invalidBody?: unknown;
  /** The entry names the actor and the address that the body contains instead of those of the request. */
  readonly reportsForOthers?: true;
}

let count = 0;
const next = () => ++count;

const newAgent = async (s: AuditHarness) => {
  const body = { email: `person${next()}@acme.example`, first_name: "Pat" };
  const { id } = await s.client.agents.createAgent({ body });
  return { params: { agent_id: id }, subject: id };
};

/** Secrets in the addresses of receivers. */
export const ADDRESS_SECRET = "secret-of-the-receiver";
const webhookUrl = () => `https://hooks.example.com/${ADDRESS_SECRET}/${next()}?key=${ADDRESS_SECRET}`;

const newWebhook = async (s: AuditHarness) => {
  const { body } = await s.adminRequest<{ webhook: { id: string } }>("POST", "/admin/accounts/acme/webhooks", {
    url: webhookUrl(),
  });
  return { params: { webhook_id: body.webhook.id }, subject: body.webhook.id };
};

const newProvider = () => {
  const provider = `provider${next()}`;
  const body = {
    label: "Company",
    issuer: "https://id.example.com",
    client_id: "parley",
    client_secret: ADDRESS_SECRET,
  };
  return { params: { provider }, body, subject: provider };
};

/** By operation: every endpoint of the tables `admin` and `agents` that changes something. */
export const AUDITED_CHANGES: Readonly<Record<string, AuditedChange>> = {
  createWebhook: {
    action: "webhook.create",
    prepare: async () => ({ body: { url: webhookUrl() } }),
    invalidBody: { url: "ftp://hooks.example.com" },
  },
  changeWebhook: {
    action: "webhook.change",
    prepare: async (s) => ({ ...(await newWebhook(s)), body: { url: webhookUrl(), state: "off" } }),
    invalidBody: { actions: ["none"] },
  },
  removeWebhook: { action: "webhook.delete", prepare: newWebhook },
  renewWebhookSecret: {
    action: "webhook.renew_secret",
    prepare: async (s) => ({ ...(await newWebhook(s)), body: {} }),
    invalidBody: { overlap_hours: -1 },
  },
  rotateWebhookKey: {
    action: "webhook.renew_key",
    prepare: async () => ({ body: { overlap_hours: 0 } }),
    invalidBody: { overlap_hours: -1 },
  },
  replayDeliveries: {
    action: "subscription.replay",
    prepare: async (s) => {
      const { id } = await s.admin.subscribe({ account: "acme", name: "app", kind: "app", url: "http://127.0.0.1:1/" });
      return { params: { subscription_id: id }, body: { failed: true }, subject: id };
    },
    invalidBody: {},
  },
  changeAgentSettings: {
    action: "agent.change",
    prepare: async (s) => ({ ...(await newAgent(s)), body: { agent_capacity: 3, scope: "Me" } }),
    invalidBody: { scope: "Everything" },
  },
  inviteAgent: { action: "agent.invite", prepare: newAgent },
  resetAgentPassword: { action: "agent.reset_password", prepare: newAgent },
  endAgentSessions: { action: "agent.end_sessions", prepare: newAgent },
  removeAgentSecondFactor: { action: "agent.remove_second_factor", prepare: newAgent },
  createSignInLink: {
    action: "agent.sign_in_link",
    prepare: async (s) => ({ body: { email: s.agent.email }, subject: s.agent.id }),
    invalidBody: { email: 5 },
  },
  exportAuditLog: { action: "audit_log.export", prepare: async () => ({}) },
  recordAppChange: {
    action: "app.install",
    prepare: async () => ({ body: { action: "app.install", app: "concierge" }, subject: "concierge" }),
    invalidBody: { action: "agent.delete", app: "concierge" },
    reportsForOthers: true,
  },
  applyAccount: {
    action: "account.change",
    prepare: async () => ({ body: { name: "acme", groups: [{ name: `Group ${next()}` }] }, subject: "acme" }),
    invalidBody: { name: "acme", groups: [{ name: 5 }] },
  },
  createToken: {
    action: "token.create",
    prepare: async () => ({ body: { name: `token ${next()}`, permissions: ["user:read"] } }),
    invalidBody: { name: "" },
  },
  revokeToken: {
    action: "token.revoke",
    prepare: async (s) => {
      const { id } = await s.admin.issueToken({ account: "acme", name: "to be revoked" });
      return { params: { token_id: id }, subject: id };
    },
  },
  createAgent: {
    action: "agent.create",
    prepare: async () => ({ body: { email: `person${next()}@acme.example` } }),
    invalidBody: { email: "no address" },
  },
  updateAgent: {
    action: "agent.change",
    prepare: async (s) => ({ ...(await newAgent(s)), body: { first_name: "Ann", role_id: "ADMIN" } }),
    invalidBody: { role_id: "none" },
  },
  deleteAgent: { action: "agent.delete", prepare: newAgent },
  putIdentityProvider: {
    action: "identity_provider.put",
    prepare: async () => newProvider(),
    invalidBody: { label: "" },
  },
  deleteIdentityProvider: {
    action: "identity_provider.delete",
    prepare: async (s) => {
      const { params, body, subject } = newProvider();
      await s.adminRequest("PUT", `/admin/accounts/acme/identity-providers/${params.provider}`, body);
      return { params, subject };
    },
  },
};

/** Operations that concern a whole account: the tests of account-lifecycle check their entries. */
export const AUDITED_WITH_ACCOUNTS: readonly string[] = ["createAccount", "closeAccount", "reopenAccount"];

/** Operations that read or try something out, or change the caller's own state only, with the reason. */
export const NOT_AUDITED: Readonly<Record<string, string>> = {
  testWebhook: "sends one delivery and changes nothing",
  verifySession: "reads a session",
  updateAgentStatus: "is an agent's own availability, which the activity of agents records",
};
