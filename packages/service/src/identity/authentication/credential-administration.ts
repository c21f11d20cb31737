import {
  ACCOUNT_NOT_FOUND,
  AGENT_NOT_FOUND,
  INVALID_VALUE,
  refuse,
  SIGN_IN_PATH,
  type AuditAction,
  type identityAdmin,
  type IssuedLink,
} from "@parley/contract";
import type { Db, Pool, Transaction } from "@parley/database";
import type { Log } from "@parley/telemetry";
import type { AccountStore } from "../../messaging/accounts/store.ts";
import { checkRoleCeiling, checkNotOwnSignIn } from "../agents/role-ceiling.ts";
import type { RecordAudit } from "../audit/record.sql.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { HandlerContext, RequestActor, RouteHandlers } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import { credentialStore, type CredentialsRow } from "./credentials/store.ts";
import type { LinkOrigin } from "./link-origin.ts";
import type { LinkMailer } from "./sign-in/mail-port.ts";
import { listedSession } from "./own-account.ts";
import type { PageTickets } from "./page-tickets.sql.ts";
import { sessionAgentOf } from "./sessions/describe.sql.ts";
import type { FoundSession, Sessions } from "./sessions/sessions.ts";
import { linkStore, type LinkPurpose } from "./sign-in/links.sql.ts";

interface IdentityAdministrationDeps {
  readonly pool: Pool;
  readonly accounts: Pick<AccountStore, "byName">;
  readonly ports: Ports;
  readonly sessions: Sessions;
  readonly recordAudit: RecordAudit;
  readonly linkOrigin: LinkOrigin;
  readonly pageTickets: Pick<PageTickets, "redeem">;
  /** Absent: links are returned to the caller. */
  readonly mailer: LinkMailer | undefined;
  readonly log: Log;
}

/** Path of a link for choosing a password. The secret is in the fragment, which browsers send to no server. */
const passwordLinkPath = (secret: string): string => `${SIGN_IN_PATH}/password#${secret}`;
/** Path of a link that signs in. Its page contains a form with the secret; only the form's request uses it. */
const signInLinkPath = (secret: string): string => `${SIGN_IN_PATH}/link/${secret}`;

const accepted = (message: string) => ({ code: 200, status: "OK", message });

const agentOfSession = ({ row }: FoundSession) => sessionAgentOf({ ...row, account: row.name });

interface IssuePasswordLink {
  readonly agent: CredentialsRow;
  readonly purpose: Extract<LinkPurpose, "invitation" | "password_reset">;
  readonly origin: string;
}

/** Administration of how agents sign in. */
export function createIdentityAdministration(deps: IdentityAdministrationDeps) {
  const { pool, accounts, ports, sessions, recordAudit, linkOrigin, pageTickets, mailer, log } = deps;

  /** Issues a link and sends it if a mail server is configured. Earlier links of the agent become invalid. */
  const issuePasswordLink = async (
    tx: Db,
    { agent, purpose, origin }: IssuePasswordLink,
  ): Promise<IssuedLink & { readonly link: string }> => {
    const links = linkStore(tx, ports);
    await links.withdraw(agent, ["invitation", "password_reset"]);
    const { secret, expires } = await links.create(purpose, agent);
    return {
      is_sent: false,
      link: origin + passwordLinkPath(secret),
      email: agent.email,
      expires_time: expires.toISOString(),
    };
  };

  /** Sends an issued link. -> the reply without the link if it was sent */
  const deliver = async (
    issued: IssuedLink & { readonly link: string },
    { account, purpose }: { readonly account: string; readonly purpose: IssuePasswordLink["purpose"] },
  ): Promise<IssuedLink> => {
    if (!mailer) return issued;
    const { link, email, expires_time } = issued;
    try {
      await mailer.send({ to: email, account, purpose, link, expires: new Date(expires_time) });
    } catch (error) {
      // The admin who asked for it can pass the link on.
      log(`A link for an agent of ${account} was not sent, but returned: ${(error as Error).message}.`, {
        level: "error",
      });
      return issued;
    }
    return { is_sent: true, email, expires_time };
  };

  /** Sends an issued link for which nobody waits. */
  const deliverInBackground = (
    { link, email, expires_time }: IssuedLink & { readonly link: string },
    { account, purpose }: { readonly account: string; readonly purpose: IssuePasswordLink["purpose"] },
  ): void => mailer?.sendInBackground({ to: email, account, purpose, link, expires: new Date(expires_time) });

  /** @errors INVALID_VALUE */
  const originOfLinks = (host: string | undefined): string =>
    linkOrigin(host) ??
    refuse(
      INVALID_VALUE,
      "The Host header is not an address of this service: set PARLEY_PUBLIC_URL to make links for it.",
    );

  const agentAt = async (
    db: Db,
    { account, agent_id }: { readonly account: string; readonly agent_id: string },
    actor: RequestActor,
  ): Promise<CredentialsRow> => {
    const { id } = (await accounts.byName(account)) ?? refuse(ACCOUNT_NOT_FOUND);
    const key = { account_id: id, agent_id: isUuid(agent_id) ? agent_id.toLowerCase() : refuse(AGENT_NOT_FOUND) };
    const agent = (await credentialStore(db).byAgent(key)) ?? refuse(AGENT_NOT_FOUND);
    checkRoleCeiling(actor, agent.role_id);
    return agent;
  };

  const record = (tx: Transaction, actor: RequestActor, agent: CredentialsRow, action: AuditAction) =>
    recordAudit(tx, {
      actor,
      action,
      account: { id: agent.account_id, name: agent.account },
      subject: agent.agent_id,
      details: { email: agent.email },
    });

  type AgentRequest = Pick<HandlerContext, "actor" | "request"> & {
    readonly params: { readonly account: string; readonly agent_id: string };
  };

  const issue = async (
    { params, actor, request }: AgentRequest,
    { purpose, action }: { readonly purpose: IssuePasswordLink["purpose"]; readonly action: AuditAction },
  ): Promise<IssuedLink> => {
    const origin = originOfLinks(request.header("host"));
    const issued = await pool.transaction(async (tx) => {
      const agent = await agentAt(tx, params, actor);
      checkNotOwnSignIn(actor, agent.agent_id);
      if (agent.is_deactivated) refuse(INVALID_VALUE, "The agent is deactivated: activate it before it gets a link.");
      await record(tx, actor, agent, action);
      return issuePasswordLink(tx, { agent, purpose, origin });
    });
    return deliver(issued, { account: params.account, purpose });
  };

  const handlers: RouteHandlers<typeof identityAdmin> = {
    inviteAgent: (input) => issue(input, { purpose: "invitation", action: "agent.invite" }),
    resetAgentPassword: (input) => issue(input, { purpose: "password_reset", action: "agent.reset_password" }),
    async listAgentSessions({ params, actor, caller }) {
      const agent = await agentAt(pool, params, actor);
      const rows = await sessions.list(agent.account_id, agent.agent_id);
      // The admin key has no session.
      const current = actor.agent ? caller.credentialId : undefined;
      return { sessions: rows.map((row) => listedSession(row, current)) };
    },
    async endAgentSessions({ params, actor }) {
      await pool.transaction(async (tx) => {
        const agent = await agentAt(tx, params, actor);
        await sessions.endAll(tx, agent);
        await linkStore(tx, ports).withdraw(agent, ["sign_in", "second_factor"]);
        await record(tx, actor, agent, "agent.end_sessions");
      });
      return accepted("The sessions of the agent have ended.");
    },
    async removeAgentSecondFactor({ params, actor }) {
      await pool.transaction(async (tx) => {
        const agent = await agentAt(tx, params, actor);
        checkNotOwnSignIn(actor, agent.agent_id);
        await credentialStore(tx).removeSecondFactor(agent);
        await sessions.endAll(tx, agent);
        await linkStore(tx, ports).withdraw(agent, ["second_factor"]);
        await record(tx, actor, agent, "agent.remove_second_factor");
      });
      return accepted("The agent has no second factor.");
    },
    async createSignInLink({ params, body, actor, request }) {
      const origin = originOfLinks(request.header("host"));
      if (!(await accounts.byName(params.account))) refuse(ACCOUNT_NOT_FOUND);
      return createSignInLink({ account: params.account, email: body.email, actor, origin });
    },
    async verifySession({ body }) {
      const { cookie, session } = body;
      if ((cookie === undefined) === (session === undefined))
        refuse(INVALID_VALUE, "Give one of: cookie, the value of a session cookie; session, the id of a session.");
      const found = await (cookie === undefined ? sessions.findById(session ?? "") : sessions.find(cookie));
      return found ? { agent: agentOfSession(found) } : {};
    },
    async redeemPageTicket({ body }) {
      const found = await pageTickets.redeem(body.ticket, body.origin);
      return found ? { session: found.row.id, agent: agentOfSession(found) } : {};
    },
  };

  /** A link that signs in the named agent, or the first active account admin. @errors AGENT_NOT_FOUND */
  const createSignInLink = ({
    account,
    email,
    actor,
    origin,
  }: {
    readonly account: string;
    readonly email?: string | undefined;
    readonly actor: RequestActor;
    readonly origin: string;
  }) =>
    pool.transaction(async (tx) => {
      const store = credentialStore(tx);
      const found = await (email === undefined ? store.firstOwner(account) : store.byEmail(account, email));
      if (!found || found.is_deactivated)
        return refuse(
          AGENT_NOT_FOUND,
          email === undefined
            ? "The account has no active agent with the role Account admin."
            : "The account has no active agent with this e-mail address.",
        );
      const { secret, expires } = await linkStore(tx, ports).create("sign_in", found);
      await record(tx, actor, found, "agent.sign_in_link");
      return {
        link: origin + signInLinkPath(secret),
        account,
        agent_id: found.agent_id,
        email: found.email,
        expires_time: expires.toISOString(),
      };
    });

  return {
    handlers,
    createSignInLink,
    issuePasswordLink,
    deliverInBackground,
    originOfLinks,
  };
}
export type IdentityAdministration = ReturnType<typeof createIdentityAdministration>;
