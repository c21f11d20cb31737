import { timingSafeEqual } from "node:crypto";
import {
  AGENT_SCOPES,
  PERMISSIONS,
  rankedRole,
  type AgentScope,
  type Permission,
  type SignInMethod,
} from "@parley/contract";
import type { Db } from "@parley/database";
import { accountOfRow } from "../../../messaging/accounts/store.ts";
import { followSessions } from "../../agents/store.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import type { ApiCaller, CallerAgent } from "../../../http/route-handlers.ts";
import { isUuid } from "../../../http/uuid.ts";
import { createCredentialCache } from "../secrets/credential-cache.ts";
import { hashOf, isSecretShaped, newSecret } from "../secrets/secrets.ts";
import type { SessionRules } from "../../../http/session-rules.ts";
import { sessionStore, type SessionRow } from "./store.ts";

/** @units characters */
const USER_AGENT_LENGTH_MAX = 256;

/** @assumed An agent without a scope reaches its groups. */
const scopeOf = (text: string | null): AgentScope => AGENT_SCOPES.find((scope) => scope === text) ?? "Group";

export const callerAgentOf = (
  row: Pick<SessionRow, "agent_id" | "email" | "role_id" | "scope" | "groups">,
): CallerAgent => ({
  id: row.agent_id,
  email: row.email,
  role_id: row.role_id,
  role: rankedRole(row.role_id),
  scope: scopeOf(row.scope),
  groups: row.groups,
});

/** A session as found by its cookie. */
export interface FoundSession {
  readonly row: SessionRow;
  readonly caller: ApiCaller & { readonly agent: CallerAgent };
  /** Whether a text is the second secret of the session. */
  readonly isToken: (token: string) => boolean;
}

const EVERY_PERMISSION: ReadonlySet<Permission> = new Set(PERMISSIONS);

const foundSession = (row: SessionRow): FoundSession => ({
  row,
  caller: {
    account: accountOfRow({ ...row, id: row.account_id }),
    credentialId: row.id,
    permissions: EVERY_PERMISSION,
    agent: callerAgentOf(row),
  },
  isToken: (token) => isSecretShaped(token) && timingSafeEqual(hashOf(token), row.token_hash),
});

/** The secrets of a new session. Only their hashes are stored. */
export interface SessionSecrets {
  readonly id: string;
  readonly cookie: string;
  readonly token: string;
  readonly createdTime: Date;
  readonly expiresTime: Date;
}

interface SessionsDeps {
  readonly db: Db;
  readonly ports: Ports;
  readonly rules: SessionRules;
}

/** Begins, finds and ends the sessions of agents. */
export function createSessions({ db, ports, rules }: SessionsDeps) {
  const store = sessionStore(db);
  const { now, monotonicMs } = ports;
  const idleSince = (): Date => new Date(now().getTime() - rules.maxIdleMs);
  /** Records the use of the sessions. */
  const used = async (rows: readonly SessionRow[]): Promise<readonly SessionRow[]> => {
    if (rows.length > 0)
      await store.touch(
        rows.map(({ hash }) => hash),
        now(),
      );
    return rows;
  };
  const cache = createCredentialCache<SessionRow, FoundSession>({
    isShaped: isSecretShaped,
    find: async (hashes) => used(await store.find(hashes, idleSince())),
    callerOf: foundSession,
    now,
    monotonicMs,
  });
  const cacheById = createCredentialCache<SessionRow, FoundSession>({
    isShaped: isUuid,
    key: { ofText: (id) => Buffer.from(id.toLowerCase()), ofRow: ({ id }) => Buffer.from(id) },
    find: async (ids) =>
      used(
        await store.findByIds(
          ids.map((id) => id.toString()),
          idleSince(),
        ),
      ),
    callerOf: foundSession,
    now,
    monotonicMs,
  });
  return {
    /** -> undefined for an unknown, expired or ended session; a promise only if the cookie must be looked up */
    find: cache.find,
    /** As `find`, by the id of the session, which is not secret: for callers with the admin key. */
    findById: cacheById.find,
    /** The next request with this cookie looks the session up again. */
    forget: cache.forget,
    /** Begins a session. `tx` is the transaction of the sign-in. */
    async begin(
      tx: Db,
      { account_id, agent_id }: { readonly account_id: number; readonly agent_id: string },
      {
        method,
        address,
        userAgent,
      }: { readonly method: SignInMethod; readonly address: string; readonly userAgent: string },
    ): Promise<SessionSecrets> {
      const [cookie, token, id] = [newSecret(ports.random), newSecret(ports.random), ports.newId()];
      const createdTime = now();
      const expiresTime = new Date(createdTime.getTime() + rules.maxAgeMs);
      await sessionStore(tx).insert({
        id,
        hash: hashOf(cookie),
        token_hash: hashOf(token),
        account_id,
        agent_id,
        method,
        created_time: createdTime,
        expires_time: expiresTime,
        address,
        user_agent: userAgent.slice(0, USER_AGENT_LENGTH_MAX),
      });
      await followSessions(tx, { account_id, agent_id });
      return { id, cookie, token, createdTime, expiresTime };
    },
    list: (accountId: number, agentId: string) => store.list(accountId, agentId, now(), idleSince()),
    /** -> false for an id that is not a session of the agent */
    async end(account_id: number, agent_id: string, id: string): Promise<boolean> {
      const hasEnded = await store.end(account_id, agent_id, id);
      if (hasEnded) await followSessions(db, { account_id, agent_id });
      return hasEnded;
    },
    /** Ends all sessions of an agent, or all but one session. -> number ended */
    async endAll(
      tx: Db,
      { account_id, agent_id }: { readonly account_id: number; readonly agent_id: string },
      except?: string,
    ): Promise<number> {
      const count = await sessionStore(tx).endAll(account_id, agent_id, except);
      if (count > 0) await followSessions(tx, { account_id, agent_id });
      return count;
    },
    /** Deletes the rows of sessions that have ended. */
    async sweep(): Promise<void> {
      for (const agent of await store.sweep(now(), idleSince())) await followSessions(db, agent);
    },
  };
}
export type Sessions = ReturnType<typeof createSessions>;
