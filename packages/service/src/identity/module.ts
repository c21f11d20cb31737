import { MESSENGER_LIMITS, SESSION_CALLS_PER_MINUTE, type PageAddressOf } from "@parley/contract";
import type { Base } from "../base/module.ts";
import type { AreaModule } from "../http/area-module.ts";
import type { SessionRules } from "../http/session-rules.ts";
import { accountStore } from "../messaging/accounts/store.ts";
import { createReleaseJobs } from "../messaging/conversations/release.ts";
import { roleStore } from "../messaging/directory/store.ts";
import type { Messaging } from "../messaging/module.ts";
import { agentAdminHandlers, agentRoutes } from "./agents/routes.ts";
import type { AgentStore } from "./agents/store.ts";
import { createCallAllowance, IDLE_LEASE_CHECK_INTERVAL_MS } from "./allowance/allowance.ts";
import { createFailedAuthenticationLimit } from "./allowance/failed-authentication.ts";
import { createWindowLimit } from "./allowance/window-limit.ts";
import { allowanceStore } from "./allowance/store.ts";
import { createAuditLog } from "./audit/audit-log.ts";
import { createAuthentication } from "./authentication/authentication.ts";
import type { PasswordHashing } from "./authentication/credentials/passwords.ts";
import { createFindCaller } from "./authentication/tokens/callers.ts";
import { apiTokenStore } from "./authentication/tokens/store.ts";
import { createAdmission } from "./edge/admission.ts";
import { createHostCheck, type HostRules } from "./edge/host.ts";
import { createSessionAdmission } from "./edge/session-admission.ts";
import { createVisitorAdmission } from "./edge/visitor-admission.ts";
import type { MailConfig } from "./mail/config.ts";
import { createLinkMailer } from "./mail/mailer.ts";
import { identityMount } from "./sign-in/mount.ts";
import { providerSignInMount } from "./sign-in/oidc-mount.ts";
import { pageTicketMount } from "./sign-in/page-ticket-mount.ts";
import { signInPagesMount } from "./sign-in/pages.ts";

export { agentStore } from "./agents/store.ts";

interface IdentityDeps {
  readonly base: Base;
  readonly messaging: Pick<Messaging, "conversations" | "directory" | "reach">;
  readonly agents: AgentStore;
  readonly config: {
    readonly appsUrl?: string | undefined;
    readonly auditLogDays?: number | undefined;
    readonly callsPerHour?: number | undefined;
    readonly mail?: MailConfig | undefined;
    readonly publicUrl?: string | undefined;
    readonly sessions?: SessionRules | undefined;
  };
  readonly hosts: HostRules;
  readonly pageAddressOf: PageAddressOf;
  /** Origin of this service; final once it listens. */
  readonly origin: () => string;
  /** Folder of the built pages of the sign-in and the profile. Absent: there are endpoints only. */
  readonly signInFolder?: string | undefined;
  /** argon2 when absent. */
  readonly passwordHashing?: PasswordHashing | undefined;
}

/** Callers and their rights: agents, tokens, sessions, sign-in, rate limits, the audit log. */
export const createIdentityModule = ({
  base,
  messaging,
  agents,
  config,
  hosts,
  pageAddressOf,
  ...deps
}: IdentityDeps) => {
  const { pool, ports, jobs, vault, isLocal, log } = base;
  const { directory, reach } = messaging;
  const { publicUrl, appsUrl, mail, callsPerHour } = config;
  const { signInFolder } = deps;
  const { now } = ports;
  const { domain } = hosts;
  const audit = createAuditLog({ pool, ports, days: config.auditLogDays, log });
  const { recordAudit } = audit;
  const mailer = mail && createLinkMailer({ config: mail, log });
  const authentication = createAuthentication({
    ...{ pool, ports, vault, recordAudit, pageAddressOf, publicUrl, domain, mailer, isLocal, log },
    origin: deps.origin,
    passwordHashing: deps.passwordHashing,
    rules: config.sessions,
  });
  const { sessions, visitors, signIn, pageTickets, callbackUrls } = authentication;
  const guard = createFailedAuthenticationLimit({ now });
  const checkAddress = createHostCheck(hosts);
  const sessionLimit = createWindowLimit({ now, limit: SESSION_CALLS_PER_MINUTE });
  const sessionAdmission = createSessionAdmission({
    sessions,
    reach,
    pageAddressOf,
    sessionLimit,
    guard,
    checkAddress,
  });
  const { find } = messaging.conversations;
  const visitorAdmission = createVisitorAdmission({
    ...{ visitors, guard, checkAddress, now },
    ownsConversation: async (accountId, userId, id) => (await find(accountId, id))?.user_id === userId,
    limit: createWindowLimit({ now, limit: MESSENGER_LIMITS.calls_per_minute }),
  });
  // On the pool of fast reads, since any request may wait for it.
  const allowance = createCallAllowance({ store: allowanceStore(base.reads), ...ports, callsPerHour });
  const idleCheck = setInterval(
    () => void allowance.returnIdle().catch(() => undefined),
    IDLE_LEASE_CHECK_INTERVAL_MS,
  ).unref();
  const callers = createFindCaller({ store: apiTokenStore(pool), ...ports });
  const admit = createAdmission({ callers, allowance, guard, checkAddress }, sessionAdmission, visitorAdmission);
  return {
    /** Admission of requests for the HTTP server and the mounts of other areas. */
    edge: { callers, allowance, guard, admit },
    sessionAdmission,
    visitors,
    signedTokens: authentication.signedTokens,
    erasers: [visitors.eraser],
    recordAudit,
    pageTickets,
    administration: authentication.administration,
    routes: [
      agentRoutes({
        ...{ agents, directory, ports, recordAudit },
        roles: roleStore(pool),
        releases: createReleaseJobs(jobs, now),
        withdrawLinks: authentication.withdrawLinks,
      }),
    ],
    mounts: [
      identityMount({ tables: authentication.tables, admit, guard, pageAddressOf }),
      ...(signInFolder === undefined
        ? []
        : [
            providerSignInMount({
              signIn: authentication.providerSignIn,
              ...{ callbackUrls, pageAddressOf, domain, signInFolder },
            }),
            signInPagesMount({ signIn, pageAddressOf, domain, signInFolder }),
            pageTicketMount({ tickets: pageTickets, sessions, pageAddressOf, appsUrl, signInFolder }),
          ]),
    ],
    adminHandlers: {
      ...authentication.handlers,
      ...audit.handlers,
      ...agentAdminHandlers({
        ...{ agents, directory, ports, recordAudit },
        accounts: accountStore(pool),
        endSessions: (tx, agent) => sessions.endAll(tx, agent),
      }),
    },
    begin() {
      authentication.begin();
      audit.begin();
    },
    async close() {
      clearInterval(idleCheck);
      await Promise.all([authentication.close(), audit.close()]);
    },
    /** Gives leased calls back. They are lost if the database is unreachable. */
    returnCalls: () => allowance.end().catch(() => undefined),
  } satisfies AreaModule & Record<string, unknown>;
};
export type Identity = ReturnType<typeof createIdentityModule>;
