import Type, { type Static } from "typebox";
import { StatusBody, Time } from "../api/values.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { LINK_NOT_VALID, PASSWORD_NOT_ACCEPTED, SIGN_IN_FAILED, TOO_MANY_SIGN_INS, WRONG_CODE } from "./problems.ts";
import { Code, Password, Session, SPEC_OF_IDENTITY } from "./sessions.ts";

/** Where people sign in. */
export const SIGN_IN_PATH = "/sign-in";
/** The signed-in agent's own page. */
export const PROFILE_PATH = "/profile";

/** @assumed Not needed where the address names the account: on the account's own host. */
const AccountName = Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: "Name of the account." }));
const Email = Type.String({ minLength: 1, maxLength: 254 });
const LinkToken = Type.String({ minLength: 1, maxLength: 128, description: "The secret of the link." });

/** The session has begun, or a second factor is needed. The response sets the session cookie with the first one only. */
export const SignInResult = Type.Object(
  {
    session: Type.Optional(Session),
    session_token: Type.Optional(
      Type.String({ description: "To be sent with each request, in the header X-Session-Token." }),
    ),
    challenge: Type.Optional(Type.String({ description: "A second factor is needed: send it with the code." })),
  },
  { title: "SignInResult" },
);
export type SignInResult = Static<typeof SignInResult>;

/** Purpose of a link for choosing a password. */
export const PASSWORD_LINK_PURPOSES = ["invitation", "password_reset"] as const;

const PUBLIC = { isPublic: true } as const;

/** Endpoints for signing in. Each contains what admits it. They accept requests of pages of this service only. */
export const signIn = {
  getSignInMethods: endpoint({
    route: "GET /identity/sign-in-methods",
    summary:
      "Get the ways to sign in to an account; an unknown account has the same ways as an account without identity providers",
    spec: SPEC_OF_IDENTITY,
    access: PUBLIC,
    query: Type.Object({ account: AccountName }),
    reply: {
      code: 200,
      body: Type.Object(
        {
          account: Type.Optional(Type.String({ description: "The account that the address names." })),
          sends_mail: Type.Boolean({ description: "Whether a forgotten password can be replaced by e-mail." }),
          identity_providers: Type.Array(Type.Object({ name: Type.String(), label: Type.String() })),
        },
        { title: "SignInMethods" },
      ),
    },
  }),
  signInByPassword: endpoint({
    route: "POST /identity/sign-in",
    summary: "Sign in by e-mail address and password",
    spec: SPEC_OF_IDENTITY,
    access: PUBLIC,
    body: Type.Object({ account: AccountName, email: Email, password: Password }, { title: "PasswordSignIn" }),
    reply: { code: 200, body: SignInResult },
    problems: [SIGN_IN_FAILED, TOO_MANY_SIGN_INS],
  }),
  signInBySecondFactor: endpoint({
    route: "POST /identity/sign-in/second-factor",
    summary: "Complete a sign-in by a code of the authenticator app or a recovery code",
    spec: SPEC_OF_IDENTITY,
    access: PUBLIC,
    body: Type.Object({ challenge: LinkToken, code: Code }, { title: "SecondFactorSignIn" }),
    reply: { code: 200, body: SignInResult },
    problems: [WRONG_CODE, LINK_NOT_VALID, TOO_MANY_SIGN_INS],
  }),
  requestPasswordReset: endpoint({
    route: "POST /identity/password-reset",
    summary: "Send a link for a new password, if the address belongs to an agent; the response does not tell",
    spec: SPEC_OF_IDENTITY,
    access: PUBLIC,
    body: Type.Object({ account: AccountName, email: Email }, { title: "PasswordResetRequest" }),
    reply: { code: 202, body: StatusBody },
    problems: [TOO_MANY_SIGN_INS],
  }),
  getPasswordLink: endpoint({
    route: "POST /identity/password-link",
    summary: "Get whose password a link sets; this does not use the link",
    spec: SPEC_OF_IDENTITY,
    access: PUBLIC,
    body: Type.Object({ token: LinkToken }, { title: "PasswordLinkQuestion" }),
    reply: {
      code: 200,
      body: Type.Object(
        {
          account: Type.String(),
          email: Type.String(),
          purpose: Type.Enum([...PASSWORD_LINK_PURPOSES]),
          expires_time: Time,
        },
        { title: "PasswordLink" },
      ),
    },
    problems: [LINK_NOT_VALID, TOO_MANY_SIGN_INS],
  }),
  choosePassword: endpoint({
    route: "POST /identity/password",
    summary: "Set a password by a link, and sign in; this uses the link and ends the agent's other sessions",
    spec: SPEC_OF_IDENTITY,
    access: PUBLIC,
    body: Type.Object({ token: LinkToken, password: Password }, { title: "PasswordChoice" }),
    reply: { code: 200, body: SignInResult },
    problems: [LINK_NOT_VALID, PASSWORD_NOT_ACCEPTED, TOO_MANY_SIGN_INS],
  }),
};
