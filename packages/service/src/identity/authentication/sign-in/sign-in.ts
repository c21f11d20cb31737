import {
  LINK_NOT_VALID,
  refuse,
  SIGN_IN_FAILED,
  WRONG_CODE,
  type Session,
  type SignInMethod,
  type SignInResult,
} from "@parley/contract";
import type { Db, Pool, Transaction } from "@parley/database";
import type { RecordAudit } from "../../audit/record.sql.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { checkNewPassword, type Passwords } from "../credentials/passwords.ts";
import type { SecondFactor } from "../credentials/second-factor.ts";
import { credentialStore, type CredentialsRow } from "../credentials/store.ts";
import { describeSession } from "../sessions/describe.sql.ts";
import type { Sessions, SessionSecrets } from "../sessions/sessions.ts";
import { linkStore, type FoundLink, type LinkPurpose } from "./links.sql.ts";
import type { SignInThrottle } from "./throttle.sql.ts";

/** Where a sign-in comes from. */
export interface SignInSource {
  /** IP address. */
  readonly address: string;
  readonly userAgent: string;
  /** Session cookie of the request: its session ends, since a browser has one at a time. */
  readonly previousCookie: string | undefined;
}

/** A new session with its secrets, or the challenge of a second factor. */
export type SignedIn = { readonly secrets: SessionSecrets; readonly session: Session } | { readonly challenge: string };

/** @shape session_token: given to the page; the cookie is set by a header */
export const signInResultOf = (signedIn: SignedIn): SignInResult =>
  "challenge" in signedIn
    ? { challenge: signedIn.challenge }
    : { session: signedIn.session, session_token: signedIn.secrets.token };

/** Dependencies of sign-ins and of changes of the own credentials. */
export interface CredentialDeps {
  readonly pool: Pool;
  readonly ports: Ports;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly secondFactor: SecondFactor;
  readonly throttle: SignInThrottle;
  readonly recordAudit: RecordAudit;
}

/** The ways to sign in. Each begins a new session: a session that existed before a sign-in never becomes that of the agent. */
export function createSignIn(deps: CredentialDeps) {
  const { pool, ports, sessions, passwords, secondFactor, throttle, recordAudit } = deps;
  const credentials = credentialStore(pool);
  const links = (db: Db) => linkStore(db, ports);

  /** Begins a session in the transaction of the sign-in. @errors SIGN_IN_FAILED for a deactivated agent */
  const begin = async (
    tx: Transaction,
    agent: CredentialsRow,
    { method, source }: { readonly method: SignInMethod; readonly source: SignInSource },
  ): Promise<SignedIn> => {
    if (agent.is_deactivated) refuse(SIGN_IN_FAILED);
    const { address, userAgent, previousCookie } = source;
    const secrets = await sessions.begin(tx, agent, { method, address, userAgent });
    await recordAudit(tx, {
      actor: { type: "agent", id: agent.agent_id, name: agent.email, address },
      action: "agent.sign_in",
      account: { id: agent.account_id, name: agent.account },
      subject: agent.agent_id,
      details: { method },
    });
    const previous = previousCookie === undefined ? undefined : await sessions.find(previousCookie);
    if (previous) await sessions.end(previous.row.account_id, previous.row.agent_id, previous.row.id);
    return { secrets, session: await describeSession(tx, secrets.id) };
  };

  /** @errors LINK_NOT_VALID for a deleted or deactivated agent */
  const agentOf = async (tx: Db, link: FoundLink): Promise<CredentialsRow> => {
    const agent = await credentialStore(tx).byAgent(link);
    return agent && !agent.is_deactivated ? agent : refuse(LINK_NOT_VALID);
  };

  /** Begins a session, or asks for the second factor if the agent has a second factor. */
  const complete = async (tx: Transaction, agent: CredentialsRow, source: SignInSource): Promise<SignedIn> => {
    if (agent.totp_secret === null) return begin(tx, agent, { method: "password", source });
    const { secret } = await links(tx).create("second_factor", agent);
    return { challenge: secret };
  };

  /** Counts a secret that is guessed by address only, since nothing else is known about it. @errors TOO_MANY_SIGN_INS, LINK_NOT_VALID */
  const findLink = async (
    secret: string,
    purposes: readonly LinkPurpose[],
    { address }: Pick<SignInSource, "address">,
  ): Promise<FoundLink> => {
    const attempt = await throttle.count(address);
    const link = (await links(pool).find(secret, purposes)) ?? refuse(LINK_NOT_VALID);
    await attempt.takeBack();
    return link;
  };

  return {
    /**
     * Signs in by e-mail address and password. An unknown address, an agent without a password and a wrong password are answered equally and
     * after the same computations.
     * @errors SIGN_IN_FAILED, TOO_MANY_SIGN_INS
     */
    async byPassword(
      { account, email, password }: { readonly account: string; readonly email: string; readonly password: string },
      source: SignInSource,
    ): Promise<SignedIn> {
      const attempt = await throttle.count(source.address, ["password", account, email.toLowerCase()]);
      const agent = await credentials.byEmail(account, email);
      const matches = await passwords.matches(agent?.password_hash, password);
      if (!agent || !matches || agent.is_deactivated) return refuse(SIGN_IN_FAILED);
      const signedIn = await pool.transaction((tx) => complete(tx, agent, source));
      await attempt.takeBack();
      return signedIn;
    },

    /** Completes a sign-in. The challenge stays valid after a wrong code. @errors LINK_NOT_VALID, WRONG_CODE, TOO_MANY_SIGN_INS */
    async bySecondFactor(
      { challenge, code }: { readonly challenge: string; readonly code: string },
      source: SignInSource,
    ): Promise<SignedIn> {
      const found = await findLink(challenge, ["second_factor"], source);
      const attempt = await throttle.count(source.address, ["code", String(found.account_id), found.agent_id]);
      const signedIn = await pool.transaction(async (tx) => {
        const link = (await links(tx).use(challenge, ["second_factor"])) ?? refuse(LINK_NOT_VALID);
        const agent = await agentOf(tx, link);
        if ((await secondFactor.use(tx, agent, code)) === undefined) refuse(WRONG_CODE);
        return begin(tx, agent, { method: "password", source });
      });
      await attempt.takeBack();
      return signedIn;
    },

    /** Signs in by a link that was made on the server. @errors LINK_NOT_VALID, TOO_MANY_SIGN_INS */
    async byLink(secret: string, source: SignInSource): Promise<Extract<SignedIn, { secrets: SessionSecrets }>> {
      await findLink(secret, ["sign_in"], source);
      const signedIn = await pool.transaction(async (tx) => {
        const link = (await links(tx).use(secret, ["sign_in"])) ?? refuse(LINK_NOT_VALID);
        return begin(tx, await agentOf(tx, link), { method: "link", source });
      });
      return "secrets" in signedIn ? signedIn : refuse(LINK_NOT_VALID);
    },

    /** Signs in an agent whose identity provider confirmed its identity. `tx` is the transaction of the confirmation. */
    byIdentityProvider: (tx: Transaction, agent: CredentialsRow, source: SignInSource): Promise<SignedIn> =>
      begin(tx, agent, { method: "identity_provider", source }),

    /** The agent whose password a link sets. @errors LINK_NOT_VALID, TOO_MANY_SIGN_INS */
    async passwordLink(secret: string, source: Pick<SignInSource, "address">) {
      const link = await findLink(secret, ["invitation", "password_reset"], source);
      const agent = await agentOf(pool, link);
      return { ...link, account: agent.account, email: agent.email };
    },

    /**
     * Sets a password by a link and signs in; a second factor is still needed. The agent's other sessions and links end.
     * @errors LINK_NOT_VALID, PASSWORD_NOT_ACCEPTED, TOO_MANY_SIGN_INS
     */
    async choosePassword(
      { token, password }: { readonly token: string; readonly password: string },
      source: SignInSource,
    ): Promise<SignedIn> {
      const purposes = ["invitation", "password_reset"] as const;
      const found = await findLink(token, purposes, source);
      checkNewPassword(password, await agentOf(pool, found));
      const hash = await passwords.hash(password);
      return pool.transaction(async (tx) => {
        const link = (await links(tx).use(token, purposes)) ?? refuse(LINK_NOT_VALID);
        const agent = await agentOf(tx, link);
        await credentialStore(tx).setPassword(agent, hash, ports.now());
        await links(tx).withdraw(agent, ["invitation", "password_reset", "sign_in", "second_factor"]);
        await sessions.endAll(tx, agent);
        await recordAudit(tx, {
          actor: { type: "agent", id: agent.agent_id, name: agent.email, address: source.address },
          action: "agent.change_password",
          account: { id: agent.account_id, name: agent.account },
          subject: agent.agent_id,
          details: { by: link.purpose },
        });
        return complete(tx, agent, source);
      });
    },
  };
}
export type SignIn = ReturnType<typeof createSignIn>;
