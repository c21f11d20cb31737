import Type, { type Static } from "typebox";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";
import { StatusBody, Time, VisibleText } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { MESSENGER_LIMITS, MESSENGER_SPEC } from "./messenger.ts";
import { SIGNING_KEY_NEEDED, SIGNING_KEY_NOT_FOUND } from "./problems.ts";
import { SignedIdentityPolicy } from "./signed-identity.ts";

/** Algorithms of tokens: HMAC with a shared secret, and RSA with the public key of the site. @spec RFC 7518 section 3.1 */
export const SIGNING_ALGORITHMS = ["HS256", "RS256"] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** A key that checks the tokens of an account's sites, without its secret. */
export const SigningKey = Type.Object(
  {
    id: Type.String({ description: "Can be sent in a token's header as kid." }),
    name: Type.String(),
    algorithm: Type.Enum([...SIGNING_ALGORITHMS]),
    public_key: Type.Optional(Type.String({ description: "PEM. Of an RS256 key." })),
    created_time: Time,
    created_by: Type.Optional(
      Type.String({ description: "E-mail address of the agent, at that time; absent: the admin key." }),
    ),
    last_used_time: Type.Optional(
      Type.String({ format: "date-time", description: "To the hour; absent: no token was accepted by this key yet." }),
    ),
  },
  { title: "SigningKey" },
);
export type SigningKey = Static<typeof SigningKey>;

/** @assumed A secret of another service can be entered, so that a site need not change its signing when it moves. */
export const NewSigningKey = Type.Object(
  {
    name: VisibleText(100),
    algorithm: Type.Enum([...SIGNING_ALGORITHMS]),
    secret: Type.Optional(
      Type.String({
        minLength: MESSENGER_LIMITS.signing_secret_characters,
        maxLength: 1_024,
        description: "Of an HS256 key: a secret that the site has already. Absent: a secret is generated.",
      }),
    ),
    public_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8_192,
        description: `Of an RS256 key: PEM, at least ${MESSENGER_LIMITS.signing_modulus_bits} bits. Never the private key.`,
      }),
    ),
  },
  { title: "NewSigningKey" },
);
export type NewSigningKey = Static<typeof NewSigningKey>;

/** What visitors need to use the messenger. */
export const SignedIdentityRules = Type.Object(
  {
    is_required: SignedIdentityPolicy.properties.is_required,
    is_hidden_until_signed: SignedIdentityPolicy.properties.is_hidden_until_signed,
  },
  { title: "SignedIdentityRules" },
);
export type SignedIdentityRules = Static<typeof SignedIdentityRules>;

const MESSENGER = "/admin/accounts/{account}/messenger";
const ADMINS = { adminKey: true, session: sessionsOf("ADMIN", "account") } as const;
const OWNERS = { adminKey: true, session: sessionsOf("ACCOUNT_ADMIN", "account") } as const;

/** Administration of the keys by which sites sign who their visitors are. */
export const signingKeys = {
  listSigningKeys: endpoint({
    route: `GET ${MESSENGER}/signing-keys`,
    summary: "List the keys that check the signed identities of an account's visitors, the oldest first",
    spec: MESSENGER_SPEC,
    access: ADMINS,
    reply: { code: 200, body: Type.Object({ signing_keys: Type.Array(SigningKey) }, { title: "SigningKeys" }) },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  createSigningKey: endpoint({
    route: `POST ${MESSENGER}/signing-keys`,
    summary: "Add a key that checks signed identities: a shared secret, or a public key of the site",
    spec: MESSENGER_SPEC,
    access: OWNERS,
    body: NewSigningKey,
    reply: {
      code: 201,
      body: Type.Object(
        {
          signing_key: SigningKey,
          secret: Type.Optional(
            Type.String({ description: "The generated secret of an HS256 key; only this response contains it." }),
          ),
        },
        { title: "CreatedSigningKey" },
      ),
    },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  deleteSigningKey: endpoint({
    route: `DELETE ${MESSENGER}/signing-keys/{key_id}`,
    summary: "Remove a key, and end the sessions of the visitors whose identity was last signed with it",
    spec: MESSENGER_SPEC,
    access: OWNERS,
    reply: { code: 200, body: StatusBody },
    problems: [ACCOUNT_NOT_FOUND, SIGNING_KEY_NOT_FOUND, SIGNING_KEY_NEEDED],
  }),
  getSignedIdentityRules: endpoint({
    route: `GET ${MESSENGER}/signed-identities`,
    summary: "Get whether visitors need a signed identity",
    spec: MESSENGER_SPEC,
    access: ADMINS,
    reply: { code: 200, body: SignedIdentityRules },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  putSignedIdentityRules: endpoint({
    route: `PUT ${MESSENGER}/signed-identities`,
    summary: "Change whether visitors need a signed identity; every process applies it within a second",
    spec: MESSENGER_SPEC,
    access: OWNERS,
    body: SignedIdentityRules,
    reply: { code: 200, body: SignedIdentityRules },
    problems: [ACCOUNT_NOT_FOUND, SIGNING_KEY_NEEDED],
  }),
};
