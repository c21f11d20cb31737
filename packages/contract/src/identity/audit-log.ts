import Type, { type Static } from "typebox";
import { pageOf, pageQuery } from "../api/pagination.ts";
import { StatusBody, Time } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";
import { SPEC_OF_IDENTITY } from "./sessions.ts";

/** Actions of agents on an installation, as the platform reports them. */
export const INSTALLATION_ACTIONS = [
  "app.install",
  "app.change",
  "app.upgrade",
  "app.rollback",
  "app.pause",
  "app.resume",
  "app.uninstall",
  "app.raise_event",
  "app.delete_schedule",
  "app.replay_schedule",
] as const;
export type InstallationAction = (typeof INSTALLATION_ACTIONS)[number];

/** Actions that an entry can report, as `<subject>.<change>`. */
export const AUDIT_ACTIONS = [
  "account.create",
  "account.change",
  "account.close",
  "account.reopen",
  "account.delete",
  "token.create",
  "token.change",
  "token.revoke",
  "agent.create",
  "agent.change",
  "agent.delete",
  "agent.invite",
  "agent.reset_password",
  "agent.change_password",
  "agent.add_second_factor",
  "agent.remove_second_factor",
  "agent.renew_recovery_codes",
  "agent.end_sessions",
  "agent.sign_in",
  "agent.sign_in_link",
  "identity_provider.put",
  "identity_provider.delete",
  "signing_key.create",
  "signing_key.delete",
  "signed_identity.change",
  "webhook.create",
  "webhook.change",
  "webhook.delete",
  "webhook.renew_secret",
  "webhook.renew_key",
  "subscription.replay",
  ...INSTALLATION_ACTIONS,
  "app.publish",
  "app.offer",
  "data.import",
  "data.export",
  "customer.export",
  "customer.block",
  "customer.unblock",
  "audit_log.export",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Actor of a change: the holder of the admin key, an API token, an agent, the platform for an agent of the page, or Parley itself. */
export const AUDIT_ACTORS = ["operator", "token", "agent", "platform", "system"] as const;

const Details = Type.Record(Type.String(), Type.Unknown(), {
  description: "What was changed: names of members, names of objects. It contains no secret and no customer data.",
});

/** An entry of the audit log. */
export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    time: Time,
    account: Type.Optional(Type.String({ description: "Absent: a change of the whole installation." })),
    actor: Type.Object({
      type: Type.Enum([...AUDIT_ACTORS]),
      id: Type.Optional(Type.String({ description: "Id of the token or the agent." })),
      name: Type.Optional(
        Type.String({ description: "Name of the token, or e-mail address of the agent, at that time." }),
      ),
    }),
    address: Type.Optional(Type.String({ description: "IP address of the request." })),
    action: Type.Enum([...AUDIT_ACTIONS]),
    subject: Type.Optional(Type.String({ description: "Id or name of the changed object." })),
    details: Details,
  },
  { title: "AuditEntry" },
);
export type AuditEntry = Static<typeof AuditEntry>;

/** @assumed Days for which entries are kept. */
export const AUDIT_LOG_DAYS = 400;

const filter = {
  from: Type.Optional(Type.String({ format: "date-time", description: "Only entries from this time on." })),
  until: Type.Optional(Type.String({ format: "date-time", description: "Only entries before this time." })),
  action: Type.Optional(Type.Enum([...AUDIT_ACTIONS])),
  actor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Only entries of one actor: a type, an id, or a name regardless of case.",
    }),
  ),
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "Only entries about one object: its id or name, or the name or e-mail address in the details, regardless of case.",
    }),
  ),
};
const ADMINS = { adminKey: true, session: sessionsOf("ADMIN", "account") } as const;

/** The audit log of accounts and of the installation. */
export const auditLog = {
  listAuditLog: endpoint({
    route: "GET /admin/accounts/{account}/audit-log",
    summary: "List the audit log of an account, the newest entry first",
    spec: SPEC_OF_IDENTITY,
    access: ADMINS,
    query: Type.Object({ ...pageQuery, ...filter }),
    reply: { code: 200, body: pageOf("entries", AuditEntry) },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  exportAuditLog: endpoint({
    route: "GET /admin/accounts/{account}/audit-log/export",
    summary: "Export the audit log of an account, one entry a line, the oldest first",
    spec: SPEC_OF_IDENTITY,
    access: ADMINS,
    query: Type.Object(filter),
    reply: { code: 200, body: AuditEntry, type: "application/x-ndjson" },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  listInstallationAuditLog: endpoint({
    route: "GET /admin/audit-log",
    summary: "List the audit log of all accounts and of the installation, the newest entry first",
    spec: SPEC_OF_IDENTITY,
    access: { adminKey: true },
    query: Type.Object({ ...pageQuery, ...filter }),
    reply: { code: 200, body: pageOf("entries", AuditEntry) },
  }),
  recordAppChange: endpoint({
    route: "POST /admin/accounts/{account}/audit-log",
    summary: "Record a change of an app that the platform made",
    spec: SPEC_OF_IDENTITY,
    access: { adminKey: true },
    body: Type.Object(
      {
        id: Type.Optional(
          Type.String({
            maxLength: 64,
            description: "The same id is recorded once. Absent: each request is recorded.",
          }),
        ),
        action: Type.Enum([...INSTALLATION_ACTIONS]),
        app: Type.String({ minLength: 1, maxLength: 255 }),
        agent_id: Type.Optional(
          Type.String({ description: "The signed-in agent; absent: a page that needs no sign-in." }),
        ),
        address: Type.Optional(Type.String({ maxLength: 64 })),
        members: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1_000 })),
      },
      { title: "AppChange" },
    ),
    reply: { code: 201, body: StatusBody },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  recordCatalogueChange: endpoint({
    route: "POST /admin/audit-log",
    summary: "Record a change of the apps' catalogue that the platform made",
    spec: SPEC_OF_IDENTITY,
    access: { adminKey: true },
    body: Type.Object(
      {
        id: Type.Optional(Type.String({ maxLength: 64 })),
        action: Type.Enum(["app.publish", "app.offer"]),
        app: Type.String({ minLength: 1, maxLength: 255 }),
        address: Type.Optional(Type.String({ maxLength: 64 })),
        members: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1_000 })),
      },
      { title: "CatalogueChange" },
    ),
    reply: { code: 201, body: StatusBody },
  }),
};
