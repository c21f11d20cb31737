import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { BundleType, PlanType } from "../api/accounts.ts";
import { listQuery, pageOf, pageQuery } from "../api/pagination.ts";
import { PERMISSIONS } from "../kernel/permissions.ts";
import { ACCOUNT_CLOSED } from "../api/problems.ts";
import { Time, VisibleText } from "../api/values.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { AccountDocument, ACCOUNT_SECTIONS } from "../account-document/account-document.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";
import { accountLifecycle, closedAccountTimes } from "./account-lifecycle.ts";
import { agentSettings } from "./agent-settings.ts";
import { appSubscriptions } from "./app-subscriptions.ts";
import { identityAdmin, identityProviders } from "../identity/administration.ts";
import { auditLog } from "../identity/audit-log.ts";
import { signingKeys } from "../messenger/signing-keys.ts";
import { deliveries } from "./deliveries.ts";
import { webhooks } from "./webhooks.ts";

const bundle = Type.Object({ id: Type.Integer(), type: BundleType });

export const AccountSummary = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    base_path: Type.String({ description: "Base path of its resources." }),
    plan_type: PlanType,
    bundle,
    ...closedAccountTimes,
  },
  { title: "AccountSummary" },
);
export type AccountSummary = Static<typeof AccountSummary>;

/** Rate limit state of the current hour. Processes reserve requests in blocks, so `used` can be ahead by one block. */
export const AllowanceState = Type.Object(
  {
    limit: Type.Integer(),
    used: Type.Integer(),
    left: Type.Integer(),
    reset: Type.Integer({ description: "Seconds." }),
  },
  { title: "CallStanding" },
);

/** Changes that applying a document makes, or would make. */
export const AppliedDocument = Type.Object(
  {
    account: Type.String(),
    created: Type.Boolean(),
    dry_run: Type.Boolean(),
    changes: Type.Array(
      Type.Object({
        change: Type.Enum(["create", "update", "remove"]),
        section: Type.Enum(["account", ...ACCOUNT_SECTIONS]),
        name: Type.String(),
        members: Type.Array(Type.String(), { description: "Changed members of an update." }),
      }),
    ),
    unchanged: Type.Integer(),
  },
  { title: "AppliedDocument" },
);
export type AppliedDocument = Static<typeof AppliedDocument>;

const Permissions = Type.Array(Type.Enum([...PERMISSIONS]), { minItems: 1, maxItems: PERMISSIONS.length });
const TokenName = VisibleText(255);

/** A token without its secret text, which is not stored. */
export const AccessToken = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    permissions: Type.Array(Type.String()),
    created_time: Time,
    expires_time: Time,
    revoked_time: Type.Optional(Time),
    last_used_time: Type.Optional(
      Type.String({ format: "date-time", description: "To the minute; absent: it was not used yet." }),
    ),
  },
  { title: "AccessToken" },
);
export type AccessToken = Static<typeof AccessToken>;

/** Beginning of the names of keys that the installation page of an app creates for the app; the app's name follows. */
export const APP_KEY_PREFIX = "app ";

/**
 * @spec Authentication
 * @assumed A token is valid for 365 days by default and for ten years at most, and has all permissions by default.
 */
export const NewAccessToken = Type.Object(
  {
    name: TokenName,
    permissions: Type.Optional(Permissions),
    expires_in_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 315_360_000 })),
    expires_time: Type.Optional(Time),
    agent_id: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          "With the admin key only: the signed-in agent for whom it is created, as the audit log names it. It must be an account admin.",
      }),
    ),
  },
  { title: "NewAccessToken" },
);
export type NewAccessToken = Static<typeof NewAccessToken>;

export const TOKEN_NOT_FOUND = problem({ code: 404, status: "TOKEN_NOT_FOUND", message: "token not found" });
/** The document would remove something that is in use. The message names it and says what to do. */
export const SETTING_IN_USE = problem({
  code: 409,
  status: "SETTING_IN_USE",
  message: "The document removes something that is in use.",
});

const SPEC = "Resources and their fields";

/** Endpoints for the operator of an installation, authenticated by the admin key. They are not part of the API and have no version. */
export const admin = {
  ...accountLifecycle,
  ...webhooks,
  ...deliveries,
  ...appSubscriptions,
  ...agentSettings,
  ...identityAdmin,
  ...identityProviders,
  ...signingKeys,
  ...auditLog,
  listAccounts: endpoint({
    route: "GET /admin/accounts",
    summary: "List the accounts of the installation",
    spec: SPEC,
    access: { adminKey: true },
    query: Type.Object(listQuery("name")),
    reply: { code: 200, body: pageOf("accounts", AccountSummary) },
  }),
  getAccount: endpoint({
    route: "GET /admin/accounts/{account}",
    summary: "Get the document of an account",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    reply: { code: 200, body: AccountDocument },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  applyAccount: endpoint({
    route: "PUT /admin/accounts/{account}",
    summary: "Apply a document to an account, and create the account if it doesn't exist",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    query: Type.Object({
      dry_run: Type.Optional(Type.Boolean({ description: "true: return the changes without applying them." })),
      prune: Type.Optional(Type.Boolean({ description: "true: prune every list that the document has." })),
    }),
    body: AccountDocument,
    reply: { code: 200, body: AppliedDocument },
    problems: [SETTING_IN_USE, ACCOUNT_CLOSED],
  }),
  listTokens: endpoint({
    route: "GET /admin/accounts/{account}/tokens",
    summary: "List the tokens of an account, the newest first",
    spec: "Authentication",
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    query: Type.Object(pageQuery),
    reply: { code: 200, body: pageOf("tokens", AccessToken) },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  createToken: endpoint({
    route: "POST /admin/accounts/{account}/tokens",
    summary: "Create a token; only this response contains it",
    spec: "Authentication",
    access: { adminKey: true, session: sessionsOf("ACCOUNT_ADMIN", "account") },
    body: NewAccessToken,
    reply: {
      code: 201,
      body: Type.Object({
        id: Type.String(),
        token: Type.String(),
        name: Type.String(),
        permissions: Type.Array(Type.String()),
        expires_time: Time,
      }),
    },
    problems: [ACCOUNT_NOT_FOUND, ACCOUNT_CLOSED],
  }),
  revokeToken: endpoint({
    route: "DELETE /admin/tokens/{token_id}",
    summary: "Revoke a token; every process refuses it within a second",
    spec: "Authentication",
    access: { adminKey: true, session: sessionsOf("ACCOUNT_ADMIN", "account") },
    reply: { code: 200, body: AccessToken },
    problems: [TOKEN_NOT_FOUND],
  }),
  getAllowance: endpoint({
    route: "GET /admin/accounts/{account}/allowance",
    summary: "Get the plan of an account, and how many calls it has left in the current hour",
    spec: "Limits",
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    reply: { code: 200, body: Type.Object({ plan_type: PlanType, calls: AllowanceState }, { title: "Allowance" }) },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  getStatus: endpoint({
    route: "GET /admin/status",
    summary: "Get the version and the rate limit state of each account",
    spec: "Limits",
    access: { adminKey: true },
    reply: {
      code: 200,
      body: Type.Object({
        version: Type.String(),
        pid: Type.Integer(),
        database: Type.Object({ embedded: Type.Boolean() }),
        accounts: Type.Array(
          Type.Object({
            name: Type.String(),
            base_path: Type.String(),
            plan_type: PlanType,
            calls: AllowanceState,
          }),
        ),
      }),
    },
  }),
};
