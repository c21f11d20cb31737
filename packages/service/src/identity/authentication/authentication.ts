import type { PageAddressOf } from "@parley/contract";
import type { Db, Pool, Vault } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { accountStore } from "../../messaging/accounts/store.ts";
import type { RecordAudit } from "../audit/record.sql.ts";
import { runLoop } from "../../base/concurrency/run-loop.ts";
import { createStopController, sleep } from "../../base/concurrency/wake-signal.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { createIdentityAdministration } from "./credential-administration.ts";
import { createCallbackUrls } from "./callback-url.ts";
import { createPasswords, type PasswordHashing } from "./credentials/passwords.ts";
import { createSecondFactor } from "./credentials/second-factor.ts";
import { createLinkOrigin } from "./link-origin.ts";
import { createIdentityProviders } from "./oidc/identity-providers.ts";
import type { LinkMailer } from "./sign-in/mail-port.ts";
import { createOwnAccount } from "./own-account.ts";
import { createPageTickets } from "./page-tickets.sql.ts";
import { identityRoutes } from "./routes.ts";
import { SESSION_RULES, type SessionRules } from "../../http/session-rules.ts";
import { createSessions } from "./sessions/sessions.ts";
import { LINK_PURPOSES, linkStore } from "./sign-in/links.sql.ts";
import type { AgentKey } from "./credentials/store.ts";
import { signingKeyHandlers } from "./visitors/signing/key-administration.ts";
import { createSignedTokens } from "./visitors/signing/signed-token.ts";
import { createVisitorSessions } from "./visitors/visitor-sessions.ts";
import { createSignIn } from "./sign-in/sign-in.ts";
import { createSignInThrottle } from "./sign-in/throttle.sql.ts";

/** Interval at which ended sessions, expired links and tickets, and old attempts are deleted. @units milliseconds */
const SWEEP_INTERVAL_MS = 10 * 60_000;

interface AuthenticationDeps {
  readonly pool: Pool;
  readonly ports: Ports;
  readonly vault: () => Promise<Vault>;
  readonly recordAudit: RecordAudit;
  readonly pageAddressOf: PageAddressOf;
  readonly publicUrl: string | undefined;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Origin of this service; final once it listens. */
  readonly origin: () => string;
  /** Whether the instance is for this machine only. */
  readonly isLocal: boolean;
  readonly rules?: SessionRules | undefined;
  /** Absent: links are returned to the admin who asks for them. */
  readonly mailer?: LinkMailer | undefined;
  /** argon2 when absent. */
  readonly passwordHashing?: PasswordHashing | undefined;
  readonly log: Log;
}

/** Sign-in and sessions of agents. */
export function createAuthentication(deps: AuthenticationDeps) {
  const { pool, ports, vault, recordAudit, pageAddressOf, publicUrl, domain, origin, mailer, log } = deps;
  const { rules = SESSION_RULES, isLocal } = deps;
  const sessions = createSessions({ db: pool, ports, rules });
  const visitors = createVisitorSessions({ db: pool, ports });
  const passwords = createPasswords(deps.passwordHashing);
  const secondFactor = createSecondFactor({ vault, ports });
  const throttle = createSignInThrottle({ db: pool, now: ports.now });
  const shared = { pool, ports, sessions, passwords, secondFactor, throttle, recordAudit };
  const signIn = createSignIn(shared);
  const ownAccount = createOwnAccount(shared);
  const linkOrigin = createLinkOrigin({ pageAddressOf, publicUrl, domain, origin });
  const accounts = accountStore(pool);
  const pageTickets = createPageTickets({ db: pool, ports, sessions });
  const administration = createIdentityAdministration({
    pool,
    accounts,
    ports,
    sessions,
    recordAudit,
    linkOrigin,
    pageTickets,
    mailer,
    log,
  });
  const callbackUrls = createCallbackUrls({ pageAddressOf, publicUrl, domain, origin });
  const providers = createIdentityProviders({
    ...shared,
    vault,
    accounts,
    signIn,
    registeredCallbackOf: callbackUrls.registered,
    isLocal,
    log,
  });
  const tables = identityRoutes({
    pool,
    sessions,
    signIn,
    ownAccount,
    administration,
    throttle,
    pageAddressOf,
    linkOrigin,
    sendsMail: mailer !== undefined,
    domain,
    providersOf: providers.ofAccount,
    log,
  });
  const stop = createStopController();
  const sweep = async () => {
    await Promise.all([
      sessions.sweep(),
      visitors.sweep(),
      linkStore(pool, ports).sweep(),
      throttle.sweep(),
      pageTickets.sweep(),
    ]);
    await sleep(SWEEP_INTERVAL_MS, stop.signal);
  };
  let sweeping: Promise<void> | undefined;

  return {
    sessions,
    visitors,
    signIn,
    pageTickets,
    administration,
    /** The sign-in by OpenID Connect providers. */
    providerSignIn: providers.signIn,
    callbackUrls,
    signedTokens: createSignedTokens({ pool, ports, vault }),
    handlers: {
      ...administration.handlers,
      ...providers.handlers,
      ...signingKeyHandlers({ pool, accounts, ports, vault, recordAudit }),
    },
    /** Makes the links of an agent invalid by which it can sign in or choose a password. */
    withdrawLinks: (tx: Db, agent: AgentKey): Promise<unknown> => linkStore(tx, ports).withdraw(agent, LINK_PURPOSES),
    /** The endpoints below /identity. */
    tables,
    begin() {
      void passwords.warm();
      sweeping = runLoop("deleting ended sessions", sweep, { signal: stop.signal, log });
    },
    async close() {
      stop.abort();
      await sweeping;
      await providers.close();
      mailer?.close();
    },
  };
}
export type Authentication = ReturnType<typeof createAuthentication>;
