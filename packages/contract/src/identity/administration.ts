import Type, { type Static } from "typebox";
import { AGENT_NOT_FOUND } from "../api/agents.ts";
import { StatusBody, Time, VisibleText } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";
import { IDENTITY_PROVIDER_NOT_FOUND } from "./problems.ts";
import { SessionAgent, SessionList, SPEC_OF_IDENTITY } from "./sessions.ts";

/** A link for choosing a password: sent by e-mail, or shown to the caller where no mail server is configured. */
export const IssuedLink = Type.Object(
  {
    is_sent: Type.Boolean({ description: "Whether the link was sent by e-mail." }),
    link: Type.Optional(Type.String({ description: "Present if it was not sent; only this response contains it." })),
    email: Type.String(),
    expires_time: Time,
  },
  { title: "IssuedLink" },
);
export type IssuedLink = Static<typeof IssuedLink>;

/** Name of an OpenID Connect provider. It needs no escaping in an address. */
export const IDENTITY_PROVIDER_NAME = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
/** @assumed Agents of one account are known to few providers. */
export const IDENTITY_PROVIDERS_PER_ACCOUNT_MAX = 20;

/** An OpenID Connect provider of an account. Its client secret is never returned. */
const providerFields = {
  name: Type.String({ pattern: IDENTITY_PROVIDER_NAME, description: "Part of the callback address." }),
  label: VisibleText(255, { description: "Text of the button." }),
  issuer: Type.String({ minLength: 1, maxLength: 2_048, description: "Issuer URL, https." }),
  client_id: Type.String({ minLength: 1, maxLength: 1_024 }),
};
export const IdentityProvider = Type.Object(
  {
    ...providerFields,
    callback_url: Type.String({ description: "To be registered with the provider." }),
    created_time: Time,
  },
  { title: "IdentityProvider" },
);
export type IdentityProvider = Static<typeof IdentityProvider>;
export const IdentityProviderSettings = Type.Object(
  {
    label: providerFields.label,
    issuer: providerFields.issuer,
    client_id: providerFields.client_id,
    client_secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_024,
        description: "Absent: the stored secret stays; a public client has no secret.",
      }),
    ),
  },
  { title: "IdentityProviderSettings" },
);
export type IdentityProviderSettings = Static<typeof IdentityProviderSettings>;

const AGENT = "/admin/accounts/{account}/agents/{agent_id}";
const ADMINS = { adminKey: true, session: sessionsOf("ADMIN", "account") } as const;
const OWNERS = { adminKey: true, session: sessionsOf("ACCOUNT_ADMIN", "account") } as const;
const AGENT_PROBLEMS = [ACCOUNT_NOT_FOUND, AGENT_NOT_FOUND] as const;

/** Administration of how agents sign in, by the admin key or an admin's session. */
export const identityAdmin = {
  inviteAgent: endpoint({
    route: `POST ${AGENT}/invitation`,
    summary:
      "Send or get a link by which an agent chooses its first password; earlier links of the agent become invalid",
    spec: SPEC_OF_IDENTITY,
    access: ADMINS,
    reply: { code: 201, body: IssuedLink },
    problems: AGENT_PROBLEMS,
  }),
  resetAgentPassword: endpoint({
    route: `POST ${AGENT}/password-reset`,
    summary: "Send or get a link by which an agent chooses a new password; earlier links of the agent become invalid",
    spec: SPEC_OF_IDENTITY,
    access: ADMINS,
    reply: { code: 201, body: IssuedLink },
    problems: AGENT_PROBLEMS,
  }),
  listAgentSessions: endpoint({
    route: `GET ${AGENT}/sessions`,
    summary: "List the sessions of an agent, the newest first",
    spec: SPEC_OF_IDENTITY,
    access: ADMINS,
    reply: { code: 200, body: SessionList },
    problems: AGENT_PROBLEMS,
  }),
  endAgentSessions: endpoint({
    route: `DELETE ${AGENT}/sessions`,
    summary: "End all sessions of an agent; every process refuses them within a second",
    spec: SPEC_OF_IDENTITY,
    access: ADMINS,
    reply: { code: 200, body: StatusBody },
    problems: AGENT_PROBLEMS,
  }),
  removeAgentSecondFactor: endpoint({
    route: `DELETE ${AGENT}/second-factor`,
    summary: "Remove the second factor of an agent who lost it, and end the agent's sessions",
    spec: SPEC_OF_IDENTITY,
    access: ADMINS,
    reply: { code: 200, body: StatusBody },
    problems: AGENT_PROBLEMS,
  }),
  createSignInLink: endpoint({
    route: "POST /admin/accounts/{account}/sign-in-links",
    summary: "Create a link that signs an agent in, valid once and for 15 minutes",
    spec: SPEC_OF_IDENTITY,
    access: { adminKey: true },
    body: Type.Object(
      {
        email: Type.Optional(
          Type.String({ maxLength: 254, description: "Absent: the first active agent with the role Account admin." }),
        ),
      },
      { title: "NewSignInLink" },
    ),
    reply: {
      code: 201,
      body: Type.Object(
        {
          link: Type.String(),
          account: Type.String(),
          agent_id: Type.String(),
          email: Type.String(),
          expires_time: Time,
        },
        { title: "SignInLink" },
      ),
    },
    problems: AGENT_PROBLEMS,
  }),
  verifySession: endpoint({
    route: "POST /admin/session-verifications",
    summary:
      "Get the agent of a session cookie, for a process that serves pages to agents and cannot read the sessions itself",
    spec: SPEC_OF_IDENTITY,
    access: { adminKey: true },
    body: Type.Object(
      {
        cookie: Type.Optional(Type.String({ maxLength: 4_096, description: "Value of the session cookie." })),
        session: Type.Optional(
          Type.String({ maxLength: 64, description: "Instead of the cookie: id of a session, from a page ticket." }),
        ),
      },
      { title: "SessionVerification" },
    ),
    reply: {
      code: 200,
      body: Type.Object({ agent: Type.Optional(SessionAgent) }, { title: "VerifiedSession" }),
    },
  }),
  redeemPageTicket: endpoint({
    route: "POST /admin/page-tickets/redemptions",
    summary: "Exchange the ticket of a page of an app for the session that it was issued for; a ticket is valid once",
    spec: SPEC_OF_IDENTITY,
    access: { adminKey: true },
    body: Type.Object(
      {
        ticket: Type.String({ maxLength: 256 }),
        origin: Type.String({ maxLength: 512, description: "Origin of the page, which the ticket was issued for." }),
      },
      { title: "PageTicket" },
    ),
    reply: {
      code: 200,
      body: Type.Object(
        {
          session: Type.Optional(Type.String({ description: "Id of the session; absent for an invalid ticket." })),
          agent: Type.Optional(SessionAgent),
        },
        { title: "RedeemedPageTicket" },
      ),
    },
  }),
};

/** The OpenID Connect providers of accounts. */
export const identityProviders = {
  listIdentityProviders: endpoint({
    route: "GET /admin/accounts/{account}/identity-providers",
    summary: "List the OpenID Connect providers of an account",
    spec: SPEC_OF_IDENTITY,
    access: ADMINS,
    reply: {
      code: 200,
      body: Type.Object({
        identity_providers: Type.Array(IdentityProvider),
        callback_url_template: Type.Optional(
          Type.String({
            description:
              "The callback address of a provider, with `{provider}` in place of its name. Absent where the Host header is not an address at which agents of the account sign in.",
          }),
        ),
      }),
    },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  putIdentityProvider: endpoint({
    route: "PUT /admin/accounts/{account}/identity-providers/{provider}",
    summary: "Add or change an OpenID Connect provider of an account",
    spec: SPEC_OF_IDENTITY,
    access: OWNERS,
    body: IdentityProviderSettings,
    reply: { code: 200, body: IdentityProvider },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  deleteIdentityProvider: endpoint({
    route: "DELETE /admin/accounts/{account}/identity-providers/{provider}",
    summary: "Remove an OpenID Connect provider of an account",
    spec: SPEC_OF_IDENTITY,
    access: OWNERS,
    reply: { code: 200, body: StatusBody },
    problems: [ACCOUNT_NOT_FOUND, IDENTITY_PROVIDER_NOT_FOUND],
  }),
};
