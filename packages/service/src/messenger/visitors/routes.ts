import {
  refuse,
  RESTORE_REFUSED,
  UNAUTHENTICATED,
  visitors,
  type Visitor,
  type VisitorProfile,
  type VisitorSession,
} from "@parley/contract";
import type { Pool } from "@parley/database";
import type { Ports } from "../../base/environment/ports.ts";
import { defineRoutes, type ApiCaller, type HandlerContext } from "../../http/route-handlers.ts";
import type { VisitorSessions } from "../../identity/authentication/visitors/visitor-sessions.ts";
import { bearerTokenOf } from "../../identity/edge/failed-authentication.ts";
import type { ChangeUser } from "../../messaging/users/change.ts";
import type { CreateUser } from "../../messaging/users/create.ts";
import type { Embedding } from "../embedding/embedding.ts";
import { sessionVisitor, writingVisitor } from "./session-visitor.ts";
import type { Identify } from "./identify.ts";
import { visitorStore } from "./store.ts";
import type { VisitorThrottle } from "./throttle.ts";

interface VisitorDeps {
  readonly pool: Pool;
  readonly ports: Pick<Ports, "now" | "random">;
  readonly embedding: Embedding;
  readonly sessions: Pick<VisitorSessions, "begin" | "end" | "forget">;
  readonly createUser: CreateUser;
  readonly changeUser: ChangeUser;
  readonly identity: Identify;
  readonly throttle: VisitorThrottle;
}

/** Four digits distinguish the anonymous customers that an agent has before them. @units bytes */
const GENERATED_NAME_BYTES = 2;
const PROFILE_FIELDS = ["first_name", "last_name", "email", "phone", "properties"] as const;

/** Without spaces at its ends; empty without a name. */
const nameOf = ({ first_name = "", last_name = "" }: Pick<VisitorProfile, "first_name" | "last_name">): string =>
  `${first_name} ${last_name}`.trim();

const namesOf = ({ properties = [] }: VisitorProfile): readonly string[] => properties.map(({ name }) => name);

export const visitorRoutes = (deps: VisitorDeps) => {
  const { pool, ports, embedding, sessions, createUser, changeUser, identity, throttle } = deps;
  const store = visitorStore(pool);

  /** `4F2A` */
  const generatedLastName = (): string => ports.random(GENERATED_NAME_BYTES).toString("hex").toUpperCase();

  /**
   * The user as the user itself sees it. Of its properties those that pages have set: agents and apps note others.
   * @errors UNAUTHENTICATED if the user was deleted after the session was checked
   */
  const shown = async (accountId: number, userId: string): Promise<Visitor> => {
    const {
      user,
      generatedName: generated,
      propertyNames,
    } = (await store.find(accountId, userId)) ?? refuse(UNAUTHENTICATED, "The user of the session was deleted.");
    const { id, created_time, reference_id, restore_id = "", first_name, last_name, email, phone } = user;
    const properties = user.properties?.filter(({ name }) => propertyNames.has(name));
    return {
      user_id: id,
      created_time,
      ...(reference_id && { external_id: reference_id }),
      restore_id,
      is_name_generated: generated !== null && generated === nameOf(user),
      ...{ first_name, last_name, email, phone, properties },
    };
  };

  const beginSession = async (accountId: number, userId: string): Promise<VisitorSession> => {
    const { token, expiresTime } = await sessions.begin(pool, { account_id: accountId, user_id: userId });
    return { token, expires_time: expiresTime.toISOString(), visitor: await shown(accountId, userId) };
  };

  const endSession = async ({ account, credentialId }: ApiCaller, request: HandlerContext["request"]) => {
    await sessions.end(account.id, credentialId);
    sessions.forget(bearerTokenOf(request.header("authorization")));
  };

  return defineRoutes(visitors, {
    async beginVisitorSession({ body, actor, request }) {
      const { external_id, profile = {} } = body;
      const { id: accountId } = await embedding.admit(request, body);
      throttle.countSession(actor.address, accountId);
      // Apps greet by the first name, agents tell visitors apart by the last name.
      const generated = nameOf(profile) ? undefined : { first_name: "Visitor", last_name: generatedLastName() };
      const { id } = await createUser(accountId, {
        ...profile,
        ...generated,
        ...(external_id !== undefined && { reference_id: external_id }),
      });
      await store.insert({
        account_id: accountId,
        user_id: id,
        created_time: ports.now(),
        generated_name: generated ? nameOf(generated) : null,
        property_names: namesOf(profile),
      });
      return beginSession(accountId, id);
    },

    async restoreVisitorSession({ body, actor, request }) {
      const { id: accountId } = await embedding.admit(request, body);
      const { external_id: externalId, restore_id: restoreId } = body;
      const userId = await identity.findRestorable({ accountId, externalId, restoreId, address: actor.address });
      return beginSession(accountId, userId ?? refuse(RESTORE_REFUSED));
    },

    async endVisitorSession({ caller, request }) {
      await endSession(caller, request);
    },

    async getVisitor({ caller }) {
      return shown(caller.account.id, sessionVisitor(caller).userId);
    },

    async updateVisitor({ body, caller }) {
      const { userId } = writingVisitor(caller);
      const { id: accountId } = caller.account;
      await changeUser(accountId, userId, { input: body, fields: PROFILE_FIELDS });
      if (body.properties) await store.addPropertyNames(accountId, userId, namesOf(body));
      return shown(accountId, userId);
    },

    async identifyVisitor({ body, caller, actor, request }) {
      const { userId } = writingVisitor(caller);
      const { id: accountId } = caller.account;
      const { external_id: externalId, restore_id: restoreId } = body;
      const visitor = { accountId, userId, externalId, restoreId, address: actor.address };
      const { identification, userId: identified } = await identity.identify(visitor);
      if (identification === "kept") return { identification, visitor: await shown(accountId, userId) };
      await endSession(caller, request);
      if (identified === undefined) return { identification };
      const session = await beginSession(accountId, identified);
      return { identification, session, visitor: session.visitor };
    },
  });
};
