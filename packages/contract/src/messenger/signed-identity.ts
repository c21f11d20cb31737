import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { MESSENGER_API, MESSENGER_LIMITS, MESSENGER_SPEC, PageOfAccount } from "./messenger.ts";
import {
  MESSENGER_NOT_FOUND,
  NO_SIGNING_KEY,
  ORIGIN_NOT_ALLOWED,
  SIGNED_TOKEN_REFUSED,
  VISITOR_BLOCKED,
} from "./problems.ts";
import { VisitorSession } from "./visitors.ts";

/** What the messenger of an account does about tokens that its sites sign. */
export const SignedIdentityPolicy = Type.Object(
  {
    has_key: Type.Boolean({ description: "Whether the account has a key, so that tokens can be checked." }),
    is_required: Type.Boolean({ description: "Whether visitors without a valid token can neither read nor write." }),
    is_hidden_until_signed: Type.Boolean({
      description: "Whether the page shows no messenger before a token was accepted. Only with is_required.",
    }),
  },
  { title: "SignedIdentityPolicy" },
);
export type SignedIdentityPolicy = Static<typeof SignedIdentityPolicy>;

/** A random secret of one browser, in base64url. Only its derived UUID leaves the panel. */
const BrowserKey = Type.String({ pattern: "^[A-Za-z0-9_-]{43}$", description: "32 random bytes in base64url." });

/** @see docs/integrators/messenger.md: the claims of a token */
export const signedIdentity = {
  deriveBrowserUuid: endpoint({
    route: `POST ${MESSENGER_API}/browser-uuid`,
    summary: "Derive the UUID of a browser, to be signed by its site, from a secret of the browser. Nothing is stored",
    spec: MESSENGER_SPEC,
    access: { isPublic: true },
    body: Type.Object({ browser_key: BrowserKey }, { title: "BrowserKey" }),
    reply: { code: 200, body: Type.Object({ uuid: Type.String() }, { title: "BrowserUuid" }) },
  }),
  beginSignedSession: endpoint({
    route: `POST ${MESSENGER_API}/sessions/signed`,
    summary: "Begin or continue a session as the person whom a token names that the site has signed",
    spec: MESSENGER_SPEC,
    access: { isPublic: true },
    body: Type.Object(
      {
        ...PageOfAccount,
        signed_token: Type.String({ minLength: 1, maxLength: MESSENGER_LIMITS.signed_token_characters }),
        browser_key: BrowserKey,
        session_token: Type.Optional(
          Type.String({
            maxLength: 200,
            description: "The secret of the session that the browser has. It goes on if it belongs to the same person.",
          }),
        ),
      },
      { title: "SignedVisitorSession" },
    ),
    reply: { code: 201, body: VisitorSession },
    problems: [MESSENGER_NOT_FOUND, ORIGIN_NOT_ALLOWED, NO_SIGNING_KEY, SIGNED_TOKEN_REFUSED, VISITOR_BLOCKED],
  }),
};
