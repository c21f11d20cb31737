import {
  refuse,
  SIGNED_TOKEN_REFUSED,
  signedIdentity,
  UNAUTHENTICATED,
  VISITOR_BLOCKED,
  type VisitorProfile,
  type VisitorSession,
} from "@parley/contract";
import type { Db, Pool } from "@parley/database";
import type { Ports } from "../../base/environment/ports.ts";
import { defineRoutes } from "../../http/route-handlers.ts";
import {
  browserUuidOf,
  type SignedToken,
  type SignedTokens,
} from "../../identity/authentication/visitors/signing/signed-token.ts";
import type { VisitorSessions } from "../../identity/authentication/visitors/visitor-sessions.ts";
import type { ChangeUser } from "../../messaging/users/change.ts";
import { newRestoreId } from "../../messaging/users/user.ts";
import type { Embedding } from "../embedding/embedding.ts";
import { visitorStore } from "./store.ts";
import type { VisitorThrottle } from "./throttle.ts";
import type { VisitorUsers } from "./visitor-users.ts";

interface SignedSessionDeps {
  readonly pool: Pool;
  readonly ports: Pick<Ports, "random">;
  readonly embedding: Embedding;
  readonly sessions: Pick<VisitorSessions, "find" | "begin" | "sign" | "end" | "endAll" | "forget">;
  readonly signedTokens: SignedTokens;
  readonly users: VisitorUsers;
  readonly changeUser: ChangeUser;
  readonly throttle: VisitorThrottle;
}

/** The session that a browser has, of the account of its page. */
interface PresentSession {
  readonly id: string;
  readonly token: string;
  readonly userId: string;
  readonly isBlocked: boolean;
  readonly isSigned: boolean;
}

/** The person of a token. */
interface SignedPerson {
  readonly id: string;
  /** Whether the site signs the external id of this user for the first time. */
  readonly isFirst?: boolean;
}

const PROFILE_FIELDS = ["first_name", "last_name", "email", "phone"] as const;

const profileOf = ({ first_name, last_name, email, phone_number }: SignedToken["claims"]): VisitorProfile => ({
  ...(first_name !== undefined && { first_name }),
  ...(last_name !== undefined && { last_name }),
  ...(email !== undefined && { email }),
  ...(phone_number !== undefined && { phone: phone_number }),
});

/**
 * Sessions of visitors whose identity the site has signed. `login_status` marks a user whose external id was signed: a visitor who gives
 * this id without a signature is not that user.
 */
export const signedSessionRoutes = (deps: SignedSessionDeps) => {
  const { pool, ports, embedding, sessions, signedTokens, users, changeUser, throttle } = deps;

  const presentSession = async (accountId: number, token: string | undefined): Promise<PresentSession | undefined> => {
    const caller = token === undefined ? undefined : await sessions.find(token);
    if (token === undefined || caller?.account.id !== accountId) return undefined;
    const { userId, isBlocked, signedUntil } = caller.visitor;
    return { id: caller.credentialId, token, userId, isBlocked, isSigned: signedUntil !== undefined };
  };

  /**
   * The person of a signed external id: the user who has it by right, else the browser's own user if it has no other, else a new user.
   * @errors TOO_MANY_REQUESTS, VISITOR_BLOCKED
   */
  const personOf = async (
    tx: Db,
    accountId: number,
    externalId: string,
    present: PresentSession | undefined,
    create: () => Promise<string>,
  ): Promise<SignedPerson> => {
    const store = visitorStore(tx);
    await store.lockReference(accountId, externalId);
    const owner = await store.trustedOwner(accountId, externalId, present?.userId);
    if (owner) return owner.is_blocked ? refuse(VISITOR_BLOCKED) : { id: owner.id, isFirst: !owner.is_signed };
    const own = present && !present.isBlocked ? (await store.find(accountId, present.userId))?.user : undefined;
    const isFree = own && !own.login_status && (own.reference_id ?? externalId) === externalId;
    return isFree ? { id: own.id, isFirst: true } : { id: await create() };
  };

  /**
   * The person of a token without an external id: the browser's own user, unless the user has an external id that this token does not sign.
   * @errors TOO_MANY_REQUESTS, VISITOR_BLOCKED
   */
  const anonymousOf = async (
    tx: Db,
    accountId: number,
    present: PresentSession | undefined,
    create: () => Promise<string>,
  ): Promise<SignedPerson> => {
    const own = present && (await visitorStore(tx).find(accountId, present.userId))?.user;
    if (!present || !own || own.reference_id !== undefined) return { id: await create() };
    return present.isBlocked ? refuse(VISITOR_BLOCKED) : { id: own.id };
  };

  /**
   * Writes what the token says about the person. Sessions and restore ids from before the first signature give no
   * access to the person afterwards.
   */
  const writePerson = async (tx: Db, accountId: number, person: SignedPerson, claims: SignedToken["claims"]) => {
    const { reference_id } = claims;
    if (person.isFirst) await sessions.endAll(tx, accountId, person.id);
    const input = {
      ...profileOf(claims),
      ...(reference_id !== undefined && { reference_id, login_status: true }),
      ...(person.isFirst && { restore_id: newRestoreId(ports) }),
    };
    const fields = [...PROFILE_FIELDS, "reference_id", "login_status", "restore_id"] as const;
    if (!(await changeUser(accountId, person.id, { input, fields }, tx)))
      refuse(UNAUTHENTICATED, "The user of the session was deleted.");
  };

  return defineRoutes(signedIdentity, {
    deriveBrowserUuid: ({ body }) => Promise.resolve({ uuid: browserUuidOf(body.browser_key) }),

    async beginSignedSession({ body, actor: { address }, request }) {
      const { id: accountId } = await embedding.admit(request, body);
      throttle.checkSignedToken(address);
      const present = await presentSession(accountId, body.session_token);
      const browser = { browserKey: body.browser_key, userId: present?.userId };
      const signed = await signedTokens.verify(accountId, body.signed_token, browser);
      if (!signed) {
        throttle.countRefusedToken(address);
        return refuse(SIGNED_TOKEN_REFUSED);
      }
      const { claims, until, keyId } = signed;
      const signature = { signed_until: until, signing_key_id: keyId };
      const externalId = claims.reference_id;
      const begun = await pool.transaction(async (tx) => {
        const create = (): Promise<string> => {
          throttle.countSession(address, accountId);
          return users.create(accountId, { externalId, profile: profileOf(claims) }, tx);
        };
        if (!(await signedTokens.use(tx, accountId, signed))) refuse(SIGNED_TOKEN_REFUSED);
        const person =
          externalId === undefined
            ? await anonymousOf(tx, accountId, present, create)
            : await personOf(tx, accountId, externalId, present, create);
        await writePerson(tx, accountId, person, claims);
        // The secret of a session that was not signed may be known to others: it is not taken over.
        if (present?.isSigned && present.userId === person.id) {
          const expiresTime = await sessions.sign(tx, accountId, present.id, signature);
          if (expiresTime) return { userId: person.id, token: present.token, expiresTime };
        }
        if (present) await sessions.end(accountId, present.id, tx);
        const session = { account_id: accountId, user_id: person.id, signature };
        return { userId: person.id, ...(await sessions.begin(tx, session)) };
      });
      if (present) sessions.forget(present.token);
      return {
        token: begun.token,
        expires_time: begun.expiresTime.toISOString(),
        signed_until: until.toISOString(),
        visitor: await users.shown(accountId, begun.userId),
      } satisfies VisitorSession;
    },
  });
};
