import {
  refuse,
  SECOND_FACTOR_STATE,
  SIGN_IN_FAILED,
  WRONG_CODE,
  type AuditAction,
  type ListedSession,
} from "@parley/contract";
import type { Db, Transaction } from "@parley/database";
import type { ApiCaller, RequestActor } from "../../http/route-handlers.ts";
import { checkNewPassword } from "./credentials/passwords.ts";
import { credentialStore, type AgentKey, type CredentialsRow } from "./credentials/store.ts";
import { deviceName } from "./sessions/device-name.ts";
import type { ListedSessionRow } from "./sessions/store.ts";
import { linkStore } from "./sign-in/links.sql.ts";
import type { CredentialDeps } from "./sign-in/sign-in.ts";

/** A session's agent and what it does. */
interface OwnRequest {
  readonly caller: ApiCaller;
  readonly actor: RequestActor;
}

/**
 * An agent without a password changes its credentials only shortly after it signed in, as a password would confirm it otherwise.
 * @units milliseconds
 */
const RECENT_SIGN_IN_MS = 15 * 60_000;

const keyOf = ({ account, agent }: ApiCaller): AgentKey => ({ account_id: account.id, agent_id: agent?.id ?? "" });

/** A session as lists show it. @shape currentId: the session of the request */
export const listedSession = (row: ListedSessionRow, currentId: string | undefined): ListedSession => ({
  id: row.id,
  method: row.method,
  created_time: row.created_time.toISOString(),
  last_seen_time: row.last_seen_time.toISOString(),
  expires_time: row.expires_time.toISOString(),
  address: row.address,
  user_agent: row.user_agent,
  device: deviceName(row.user_agent),
  is_current: row.id === currentId,
});

/** Changes of signed-in agents to their own password, second factor and sessions. */
export function createOwnAccount(deps: CredentialDeps) {
  const { pool, ports, sessions, passwords, secondFactor, throttle, recordAudit } = deps;

  const credentialsOf = async (db: Db, caller: ApiCaller): Promise<CredentialsRow> =>
    (await credentialStore(db).byAgent(keyOf(caller))) ?? refuse(SIGN_IN_FAILED);

  const record = (tx: Transaction, { caller, actor }: OwnRequest, action: AuditAction) =>
    recordAudit(tx, { actor, action, account: caller.account, ...(actor.id !== undefined && { subject: actor.id }) });

  /** @errors SIGN_IN_FAILED, TOO_MANY_SIGN_INS */
  const confirmIdentity = async (
    { caller, actor }: OwnRequest,
    password: string | undefined,
  ): Promise<CredentialsRow> => {
    const agent = await credentialsOf(pool, caller);
    if (agent.password_hash === null) {
      const [current] = (await sessions.list(agent.account_id, agent.agent_id)).filter(
        ({ id }) => id === caller.credentialId,
      );
      const age = ports.now().getTime() - (current?.created_time.getTime() ?? 0);
      if (age > RECENT_SIGN_IN_MS) refuse(SIGN_IN_FAILED, "The sign-in is too long ago: sign out, and sign in again.");
      return agent;
    }
    const attempt = await throttle.count(actor.address, ["password", agent.account, agent.email.toLowerCase()]);
    if (!(await passwords.matches(agent.password_hash, password ?? "")))
      refuse(SIGN_IN_FAILED, "The current password is missing or wrong.");
    await attempt.takeBack();
    return agent;
  };

  /** Runs a change that a code of the second factor confirms. @errors WRONG_CODE, SECOND_FACTOR_STATE, TOO_MANY_SIGN_INS */
  const confirmedByCode = async <T>(
    { caller, actor }: OwnRequest,
    code: string,
    change: (tx: Transaction, agent: CredentialsRow) => Promise<T>,
  ): Promise<T> => {
    const { account_id, agent_id } = keyOf(caller);
    const attempt = await throttle.count(actor.address, ["code", String(account_id), agent_id]);
    const result = await pool.transaction(async (tx) => {
      const agent = await credentialsOf(tx, caller);
      if (agent.totp_secret === null) refuse(SECOND_FACTOR_STATE, "No second factor is set up.");
      if ((await secondFactor.use(tx, agent, code)) === undefined) refuse(WRONG_CODE);
      return change(tx, agent);
    });
    await attempt.takeBack();
    return result;
  };

  return {
    sessions: async ({ caller }: OwnRequest): Promise<ListedSession[]> => {
      const { account_id, agent_id } = keyOf(caller);
      return (await sessions.list(account_id, agent_id)).map((row) => listedSession(row, caller.credentialId));
    },

    /** @errors PASSWORD_NOT_ACCEPTED, SIGN_IN_FAILED, TOO_MANY_SIGN_INS */
    async changePassword(
      request: OwnRequest,
      { current, next }: { readonly current: string | undefined; readonly next: string },
    ) {
      const agent = await credentialsOf(pool, request.caller);
      checkNewPassword(next, agent);
      await confirmIdentity(request, current);
      const hash = await passwords.hash(next);
      await pool.transaction(async (tx) => {
        await credentialStore(tx).setPassword(agent, hash, ports.now());
        await linkStore(tx, ports).withdraw(agent, ["invitation", "password_reset", "second_factor"]);
        await sessions.endAll(tx, agent, request.caller.credentialId);
        await record(tx, request, "agent.change_password");
      });
    },

    /** A secret for the authenticator app. It has no effect until a code confirms it. @errors SIGN_IN_FAILED, SECOND_FACTOR_STATE */
    async beginSecondFactor(request: OwnRequest, password: string | undefined) {
      const agent = await confirmIdentity(request, password);
      if (agent.totp_secret !== null)
        refuse(SECOND_FACTOR_STATE, "A second factor is set up already: remove it first.");
      const { sealed, ...shown } = await secondFactor.begin(agent);
      await credentialStore(pool).setPending(agent, sealed);
      return shown;
    },

    /** -> the recovery codes @errors WRONG_CODE, SECOND_FACTOR_STATE, TOO_MANY_SIGN_INS */
    async confirmSecondFactor(request: OwnRequest, code: string): Promise<string[]> {
      const { account_id, agent_id } = keyOf(request.caller);
      const attempt = await throttle.count(request.actor.address, ["code", String(account_id), agent_id]);
      const agent = await credentialsOf(pool, request.caller);
      const { totp_pending: pending } = agent;
      if (pending === null) return refuse(SECOND_FACTOR_STATE, "Begin to set up a second factor first.");
      const step = (await secondFactor.stepOf(pending, agent, code)) ?? refuse(WRONG_CODE);
      const { codes, hashes } = secondFactor.newRecoveryCodes();
      await pool.transaction(async (tx) => {
        if (!(await credentialStore(tx).activate(agent, pending, step, hashes)))
          refuse(SECOND_FACTOR_STATE, "Another secret was set up meanwhile: begin again.");
        await sessions.endAll(tx, agent, request.caller.credentialId);
        await record(tx, request, "agent.add_second_factor");
      });
      await attempt.takeBack();
      return codes;
    },

    /** -> the new recovery codes */
    renewRecoveryCodes: (request: OwnRequest, code: string): Promise<string[]> =>
      confirmedByCode(request, code, async (tx, agent) => {
        const { codes, hashes } = secondFactor.newRecoveryCodes();
        await credentialStore(tx).setRecovery(agent, hashes);
        await record(tx, request, "agent.renew_recovery_codes");
        return codes;
      }),

    removeSecondFactor: (request: OwnRequest, code: string): Promise<void> =>
      confirmedByCode(request, code, async (tx, agent) => {
        await credentialStore(tx).removeSecondFactor(agent);
        await record(tx, request, "agent.remove_second_factor");
      }),

    /** -> false for an id that is not a session of the agent */
    endSession: ({ caller }: OwnRequest, id: string): Promise<boolean> => {
      const { account_id, agent_id } = keyOf(caller);
      return sessions.end(account_id, agent_id, id);
    },
  };
}
export type OwnAccount = ReturnType<typeof createOwnAccount>;
