import type { AuditAction } from "@parley/contract";
import type { AuditHarness, SignedIn } from "./audit-harness.ts";

/** A valid request to an endpoint. */
export interface ChangeRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** What the entry names as its subject; absent: it is not known before the request. */
  readonly subject?: string;
  /** Name of the account of the entry; acme when absent. */
  readonly account?: string;
  /** The account admin who sends the request by a session; that of acme when absent. */
  readonly owner?: SignedIn;
}

/** How an endpoint that changes something is called, and what it leaves in the audit log. */
export interface AuditedChange {
  readonly action: AuditAction;
  /** Creates what the request changes. */
  readonly prepare: (s: AuditHarness) => Promise<ChangeRequest>;
  /** A body that is refused; absent: the endpoint has none, or accepts every object. */
  readonly invalidBody?: unknown;
  /** An unknown id in the path is not an error. */
  readonly createsMissing?: true;
  /** The entry names the actor and the address that the body contains instead of those of the request. */
  readonly reportsForOthers?: true;
  /** The entry is of the installation and names no account. */
  readonly isOfInstallation?: true;
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

/** An account of its own, since closing it ends its sessions. */
const newAccount = async (s: AuditHarness) => {
  const account = `closing${next()}`;
  const email = `owner@${account}.example`;
  const { body } = await s.adminRequest<{ owner_id: string }>("POST", "/admin/accounts", {
    name: account,
    owner: { email },
  });
  const owner = { id: body.owner_id, email, session: await s.signIn(email, { account }) };
  return { params: { account }, account, subject: account, owner };
};

/** A secret of a client of an identity provider. */
export const CLIENT_SECRET = "secret-of-the-client-that-nobody-logs";
const newProvider = async (s: AuditHarness) => {
  const provider = `provider${next()}`;
  const body = {
    label: "Staff",
    issuer: "https://login.example.com",
    client_id: "parley",
    client_secret: CLIENT_SECRET,
  };
  await s.adminRequest("PUT", `/admin/accounts/acme/identity-providers/${provider}`, body);
  return { params: { provider }, subject: provider, body: { ...body, label: "All staff" } };
};

const newSigningKey = async (s: AuditHarness) => {
  const { body } = await s.adminRequest<{ signing_key: { id: string } }>(
    "POST",
    "/admin/accounts/acme/messenger/signing-keys",
    { name: `Shop ${next()}`, algorithm: "HS256" },
  );
  return { params: { key_id: body.signing_key.id }, subject: body.signing_key.id };
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
  createAccount: {
    action: "account.create",
    prepare: async () => {
      const account = `created${next()}`;
      return { body: { name: account, owner: { email: `owner@${account}.example` } }, account, subject: account };
    },
    invalidBody: { name: "No Name", owner: {} },
  },
  closeAccount: { action: "account.close", prepare: newAccount },
  reopenAccount: {
    action: "account.reopen",
    prepare: async (s) => {
      const made = await newAccount(s);
      await s.adminRequest("DELETE", `/admin/accounts/${made.account}`);
      return made;
    },
  },
  putIdentityProvider: {
    action: "identity_provider.put",
    prepare: newProvider,
    createsMissing: true,
    invalidBody: { label: "" },
  },
  deleteIdentityProvider: {
    action: "identity_provider.delete",
    prepare: async (s) => {
      const { body: _, ...request } = await newProvider(s);
      return request;
    },
  },
  createSigningKey: {
    action: "signing_key.create",
    prepare: async () => ({ body: { name: "Shop", algorithm: "HS256", secret: CLIENT_SECRET } }),
    invalidBody: { name: "Shop", algorithm: "none" },
  },
  deleteSigningKey: { action: "signing_key.delete", prepare: newSigningKey },
  putSignedIdentityRules: {
    action: "signed_identity.change",
    prepare: async (s) => {
      await newSigningKey(s);
      const { body } = await s.adminRequest<{ is_required: boolean }>(
        "GET",
        "/admin/accounts/acme/messenger/signed-identities",
      );
      return { body: { is_required: !body.is_required, is_hidden_until_signed: false } };
    },
    invalidBody: { is_required: true },
  },
  exportAuditLog: { action: "audit_log.export", prepare: async () => ({}) },
  recordAppChange: {
    action: "app.install",
    prepare: async () => ({ body: { action: "app.install", app: "concierge" }, subject: "concierge" }),
    invalidBody: { action: "agent.delete", app: "concierge" },
    reportsForOthers: true,
  },
  recordCatalogueChange: {
    action: "app.publish",
    prepare: async () => ({ body: { action: "app.publish", app: "concierge" }, subject: "concierge" }),
    invalidBody: { action: "app.install", app: "concierge" },
    reportsForOthers: true,
    isOfInstallation: true,
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
};

/** Operations that read or try something out, or change the caller's own state only, with the reason. */
export const NOT_AUDITED: Readonly<Record<string, string>> = {
  testWebhook: "sends one delivery and changes nothing",
  verifySession: "reads a session",
  redeemPageTicket: "tells the platform which session opened its page",
  putAppSubscription: "is part of a change of an installation, which the platform reports",
  deleteAppSubscription: "is part of a change of an installation, which the platform reports",
  updateAgentStatus: "is an agent's own availability, which the activity of agents records",
};
