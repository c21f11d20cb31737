import {
  refuse,
  RESTORE_REFUSED,
  SIGNED_IDENTITY_REQUIRED,
  visitors,
  type User,
  type VisitorSession,
} from "@parley/contract";
import type { Pool } from "@parley/database";
import { defineRoutes, type ApiCaller, type HandlerContext } from "../../http/route-handlers.ts";
import type { VisitorSessions } from "../../identity/authentication/visitors/visitor-sessions.ts";
import { bearerTokenOf } from "../../identity/edge/failed-authentication.ts";
import type { ChangeUser } from "../../messaging/users/change.ts";
import type { Embedding } from "../embedding/embedding.ts";
import { sessionVisitor, writingVisitor } from "./session-visitor.ts";
import type { Identify } from "./identify.ts";
import { visitorStore } from "./store.ts";
import type { VisitorThrottle } from "./throttle.ts";
import { propertyNamesIn, type VisitorUsers } from "./visitor-users.ts";

interface VisitorDeps {
  readonly pool: Pool;
  readonly embedding: Embedding;
  readonly sessions: Pick<VisitorSessions, "begin" | "end" | "forget">;
  readonly users: VisitorUsers;
  readonly changeUser: ChangeUser;
  readonly identity: Identify;
  readonly throttle: VisitorThrottle;
}

const PROFILE_FIELDS = ["first_name", "last_name", "email", "phone", "properties"] as const;
/** Those that a page can set of a user whose identity the site has signed. */
const UNSIGNED_FIELDS = ["properties"] as const;

export const visitorRoutes = (deps: VisitorDeps) => {
  const { pool, embedding, sessions, users, changeUser, identity, throttle } = deps;
  const store = visitorStore(pool);

  /** @errors SIGNED_IDENTITY_REQUIRED */
  const unsignedAccount = async (...page: Parameters<Embedding["admit"]>): Promise<number> => {
    const { id, signed_identity } = await embedding.admit(...page);
    return signed_identity.is_required ? refuse(SIGNED_IDENTITY_REQUIRED) : id;
  };

  const beginSession = async (accountId: number, userId: string): Promise<VisitorSession> => {
    const { token, expiresTime } = await sessions.begin(pool, { account_id: accountId, user_id: userId });
    return { token, expires_time: expiresTime.toISOString(), visitor: await users.shown(accountId, userId) };
  };

  const endSession = async ({ account, credentialId }: ApiCaller, request: HandlerContext["request"]) => {
    await sessions.end(account.id, credentialId);
    sessions.forget(bearerTokenOf(request.header("authorization")));
  };

  return defineRoutes(visitors, {
    async beginVisitorSession({ body, actor, request }) {
      const accountId = await unsignedAccount(request, body);
      throttle.countSession(actor.address, accountId);
      return beginSession(
        accountId,
        await users.create(accountId, { externalId: body.external_id, profile: body.profile }),
      );
    },

    async restoreVisitorSession({ body, actor, request }) {
      const accountId = await unsignedAccount(request, body);
      const { external_id: externalId, restore_id: restoreId } = body;
      const userId = await identity.findRestorable({ accountId, externalId, restoreId, address: actor.address });
      return beginSession(accountId, userId ?? refuse(RESTORE_REFUSED));
    },

    async endVisitorSession({ caller, request }) {
      await endSession(caller, request);
    },

    async getVisitor({ caller }) {
      return users.shown(caller.account.id, sessionVisitor(caller).userId);
    },

    async updateVisitor({ body, caller }) {
      const { userId } = writingVisitor(caller);
      const { id: accountId } = caller.account;
      // What a site has signed is not replaced by what a page says.
      const fields = ({ login_status }: User) => (login_status ? UNSIGNED_FIELDS : PROFILE_FIELDS);
      await changeUser(accountId, userId, { input: body, fields });
      if (body.properties) await store.addPropertyNames(accountId, userId, propertyNamesIn(body));
      return users.shown(accountId, userId);
    },

    async identifyVisitor({ body, caller, actor, request }) {
      const { userId } = writingVisitor(caller);
      const { id: accountId } = caller.account;
      const { external_id: externalId, restore_id: restoreId } = body;
      const visitor = { accountId, userId, externalId, restoreId, address: actor.address };
      const { identification, userId: identified } = await identity.identify(visitor);
      if (identification === "kept") return { identification, visitor: await users.shown(accountId, userId) };
      await endSession(caller, request);
      if (identified === undefined) return { identification };
      const session = await beginSession(accountId, identified);
      return { identification, session, visitor: session.visitor };
    },
  });
};
