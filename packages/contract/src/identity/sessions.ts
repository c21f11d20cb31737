import Type, { type Static } from "typebox";
import { StatusBody, Time } from "../api/values.ts";
import { AGENT_ROLES, AGENT_SCOPES, sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import {
  PASSWORD_NOT_ACCEPTED,
  SECOND_FACTOR_STATE,
  SESSION_NOT_FOUND,
  SIGN_IN_FAILED,
  TOO_MANY_SIGN_INS,
  WRONG_CODE,
} from "./problems.ts";

export const SPEC_OF_IDENTITY = "Authentication";

/** How the agent of a session signed in. */
export const SIGN_IN_METHODS = ["password", "link", "identity_provider"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** The agent that a session belongs to, and what it may do. */
export const SessionAgent = Type.Object(
  {
    account: Type.String({ description: "Name of the account." }),
    agent_id: Type.String(),
    email: Type.String(),
    first_name: Type.Optional(Type.String()),
    last_name: Type.Optional(Type.String()),
    role_id: Type.String(),
    role: Type.Enum([...AGENT_ROLES], { description: "The predefined role that the agent's role ranks as." }),
    scope: Type.Enum([...AGENT_SCOPES]),
    groups: Type.Array(Type.String()),
  },
  { title: "SessionAgent" },
);
export type SessionAgent = Static<typeof SessionAgent>;

/** The session of a request. */
export const Session = Type.Object(
  {
    id: Type.String(),
    ...SessionAgent.properties,
    method: Type.Enum([...SIGN_IN_METHODS]),
    created_time: Time,
    expires_time: Time,
    has_password: Type.Boolean(),
    has_second_factor: Type.Boolean(),
    recovery_codes_left: Type.Integer(),
  },
  { title: "Session" },
);
export type Session = Static<typeof Session>;

/** A session in a list. */
export const ListedSession = Type.Object(
  {
    id: Type.String(),
    method: Type.Enum([...SIGN_IN_METHODS]),
    created_time: Time,
    last_seen_time: Time,
    expires_time: Time,
    address: Type.String({ description: "IP address of the sign-in." }),
    user_agent: Type.String({ description: "User-Agent header of the sign-in, shortened." }),
    device: Type.String({ description: "Browser and system by that header, such as Firefox on Linux." }),
    is_current: Type.Boolean({ description: "Whether it is the session of this request." }),
  },
  { title: "ListedSession" },
);
export type ListedSession = Static<typeof ListedSession>;

export const SessionList = Type.Object({ sessions: Type.Array(ListedSession) }, { title: "SessionList" });

/** @units characters */
export const PASSWORD_LENGTH = { min: 10, max: 256 } as const;
/** The length is checked by the rule for passwords, whose message says what to do. */
export const Password = Type.String({ maxLength: 1_024 });
/** A code of the authenticator app, or a recovery code. */
export const Code = Type.String({ minLength: 1, maxLength: 64 });

const own = { session: sessionsOf("AGENT", "account") };

/** Endpoints for the signed-in agent itself. They are not part of the API and have no version. */
export const sessions = {
  getSession: endpoint({
    route: "GET /identity/session",
    summary: "Get the session of the request, with its agent",
    spec: SPEC_OF_IDENTITY,
    access: own,
    reply: { code: 200, body: Session },
  }),
  endSession: endpoint({
    route: "DELETE /identity/session",
    summary: "Sign out: end the session of the request",
    spec: SPEC_OF_IDENTITY,
    access: own,
    reply: { code: 200, body: StatusBody },
  }),
  listSessions: endpoint({
    route: "GET /identity/sessions",
    summary: "List the agent's own sessions, the newest first",
    spec: SPEC_OF_IDENTITY,
    access: own,
    reply: { code: 200, body: SessionList },
  }),
  endOwnSession: endpoint({
    route: "DELETE /identity/sessions/{session_id}",
    summary: "End one of the agent's own sessions; every process refuses it within a second",
    spec: SPEC_OF_IDENTITY,
    access: own,
    reply: { code: 200, body: StatusBody },
    problems: [SESSION_NOT_FOUND],
  }),
  changePassword: endpoint({
    route: "PUT /identity/password",
    summary: "Change the agent's own password and end its other sessions",
    spec: SPEC_OF_IDENTITY,
    access: own,
    body: Type.Object(
      {
        current_password: Type.Optional(Password),
        password: Password,
      },
      { title: "PasswordChange" },
    ),
    reply: { code: 200, body: StatusBody },
    problems: [SIGN_IN_FAILED, PASSWORD_NOT_ACCEPTED, TOO_MANY_SIGN_INS],
  }),
  beginSecondFactor: endpoint({
    route: "POST /identity/second-factor",
    summary: "Begin to set up a second factor: get the secret for an authenticator app",
    spec: SPEC_OF_IDENTITY,
    access: own,
    body: Type.Object({ current_password: Type.Optional(Password) }, { title: "SecondFactorStart" }),
    reply: {
      code: 200,
      body: Type.Object(
        {
          secret: Type.String({ description: "Base32, for typing into the app." }),
          uri: Type.String({ description: "otpauth: URI, the content of the QR code." }),
          qr_code: Type.String({ description: "The QR code as an SVG document." }),
        },
        { title: "SecondFactorSecret" },
      ),
    },
    problems: [SIGN_IN_FAILED, SECOND_FACTOR_STATE, TOO_MANY_SIGN_INS],
  }),
  confirmSecondFactor: endpoint({
    route: "PUT /identity/second-factor",
    summary: "Activate the second factor by its first code; only this response contains the recovery codes",
    spec: SPEC_OF_IDENTITY,
    access: own,
    body: Type.Object({ code: Code }, { title: "SecondFactorConfirmation" }),
    reply: { code: 200, body: Type.Object({ recovery_codes: Type.Array(Type.String()) }, { title: "RecoveryCodes" }) },
    problems: [WRONG_CODE, SECOND_FACTOR_STATE, TOO_MANY_SIGN_INS],
  }),
  renewRecoveryCodes: endpoint({
    route: "POST /identity/recovery-codes",
    summary: "Replace the recovery codes; only this response contains the new codes",
    spec: SPEC_OF_IDENTITY,
    access: own,
    body: Type.Object({ code: Code }, { title: "RecoveryCodesRenewal" }),
    reply: { code: 200, body: Type.Object({ recovery_codes: Type.Array(Type.String()) }, { title: "RecoveryCodes" }) },
    problems: [WRONG_CODE, SECOND_FACTOR_STATE, TOO_MANY_SIGN_INS],
  }),
  removeSecondFactor: endpoint({
    route: "POST /identity/second-factor/removal",
    summary: "Remove the second factor, with one of its codes",
    spec: SPEC_OF_IDENTITY,
    access: own,
    body: Type.Object({ code: Code }, { title: "SecondFactorRemoval" }),
    reply: { code: 200, body: StatusBody },
    problems: [WRONG_CODE, SECOND_FACTOR_STATE, TOO_MANY_SIGN_INS],
  }),
};
