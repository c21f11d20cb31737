import { MESSENGER_LIMITS, VISITOR_TOKEN_PREFIX } from "@parley/contract";
import type { Db } from "@parley/database";
import { accountOfRow } from "../../../messaging/accounts/store.ts";
import type { PersonalDataEraser } from "../../../base/db/tables.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import type { ApiCaller, CallerVisitor } from "../../../http/route-handlers.ts";
import { createCredentialCache } from "../secrets/credential-cache.ts";
import { hashOf, isSecretShaped, newSecret } from "../secrets/secrets.ts";
import { visitorSessionStore, type SessionSignature, type VisitorSessionRow } from "./store.ts";

const DAY_MS = 86_400_000;

type VisitorCaller = ApiCaller & { readonly visitor: CallerVisitor };

const callerOf = (row: VisitorSessionRow): VisitorCaller => ({
  account: accountOfRow({ ...row, id: row.account_id }),
  credentialId: row.id,
  permissions: new Set(),
  visitor: {
    userId: row.user_id,
    isBlocked: row.is_blocked,
    isSignatureRequired: row.is_signature_required,
    ...(row.signed_until && { signedUntil: row.signed_until }),
  },
});

/** Whether a text has the format of a visitor's token. */
const isVisitorToken = (text: string): boolean =>
  text.startsWith(VISITOR_TOKEN_PREFIX) && isSecretShaped(text.slice(VISITOR_TOKEN_PREFIX.length));

/** Begins, finds and ends the sessions of visitors. Each belongs to one user of one account. Only the hash of its token is stored. */
export function createVisitorSessions({ db, ports }: { readonly db: Db; readonly ports: Ports }) {
  const store = visitorSessionStore(db);
  const { now, monotonicMs, newId, random } = ports;
  const idleSince = (): Date => new Date(now().getTime() - MESSENGER_LIMITS.session_idle_days * DAY_MS);
  const cache = createCredentialCache<VisitorSessionRow, VisitorCaller>({
    isShaped: isVisitorToken,
    find: async (hashes) => {
      const rows = await store.find(hashes, idleSince());
      if (rows.length > 0)
        await store.touch(
          rows.map(({ hash }) => hash),
          now(),
        );
      return rows;
    },
    callerOf,
    now,
    monotonicMs,
  });
  const eraser: PersonalDataEraser = {
    async user(tx, accountId, _bodies, userId) {
      await visitorSessionStore(tx).endAll(accountId, userId);
    },
  };
  return {
    /** -> undefined for an unknown, expired or ended session, or of a deleted user; a promise only if the token must be looked up */
    find: cache.find,
    /** The next request with this token looks the session up again. */
    forget: cache.forget,
    /** Begins a session of a user. `tx` may be the transaction that creates the user. */
    async begin(
      tx: Db,
      {
        account_id,
        user_id,
        signature,
      }: {
        readonly account_id: number;
        readonly user_id: string;
        readonly signature?: SessionSignature | undefined;
      },
    ): Promise<{ readonly token: string; readonly expiresTime: Date }> {
      const token = VISITOR_TOKEN_PREFIX + newSecret(random);
      const created_time = now();
      const expires_time = new Date(created_time.getTime() + MESSENGER_LIMITS.session_days * DAY_MS);
      const session = { id: newId(), hash: hashOf(token), account_id, user_id, created_time, expires_time, signature };
      await visitorSessionStore(tx).insert(session);
      return { token, expiresTime: expires_time };
    },
    /** Signs the identity of a session anew. -> the expiry of the session; undefined if it has ended */
    sign: (tx: Db, accountId: number, id: string, signature: SessionSignature) =>
      visitorSessionStore(tx).sign(accountId, id, signature),
    end: (accountId: number, id: string, tx: Db = db) => visitorSessionStore(tx).end(accountId, id),
    /** Ends all sessions of a user. */
    endAll: (tx: Db, accountId: number, userId: string) => visitorSessionStore(tx).endAll(accountId, userId),
    /** Ends all sessions of a deleted user. */
    eraser,
    /** Deletes the rows of sessions that have ended. */
    sweep: () => store.sweep(now(), idleSince()),
  };
}
export type VisitorSessions = ReturnType<typeof createVisitorSessions>;
