import { createHmac, timingSafeEqual } from "node:crypto";
import {
  admin,
  APP_KEY_PREFIX,
  InstallKeyDiscard,
  InstallKeyRequest,
  isAtLeast,
  isRefusal,
  type InstallKeyAnswer,
  type Permission,
  type SessionAgent,
} from "@parley/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { signedInAgentOf } from "../../../identity/page-session.ts";
import type { Project } from "../../../model/project.ts";
import { sendRefusal } from "../../../pages/page-guard.ts";
import { keyParametersOf, keyPermissions } from "../../../package/validate/key-permissions.ts";

/** Creates API keys of the account for parameters of the installation page. */
export interface PageKeys {
  /** @shape agentId: the signed-in agent, as the audit log names it @errors Refusal */
  create(key: {
    name: string;
    permissions: readonly Permission[];
    agentId?: string | undefined;
  }): Promise<{ id: string; token: string }>;
  revoke(id: string): Promise<void>;
  /** Whether requests without a session are the operator's: true for an instance on this machine whose pages need no sign-in. */
  readonly isOpenWithoutSession: boolean;
}

/**
 * Whether the page can create keys: `none` where no service is known, for an app whose permissions can't be derived, and for an app with
 * its own page; `forbidden` for an agent who may not create keys.
 */
export type KeyOffer = "offered" | "forbidden" | "none";

/** The role is that of the contract's row. */
const mayCreateKeys = (keys: PageKeys, agent: SessionAgent | undefined): boolean => {
  const { session } = admin.createToken.access;
  return agent === undefined ? keys.isOpenWithoutSession : isAtLeast(agent.role_id, session.role);
};

export const keyOfferOf = (
  project: Project | undefined,
  domainSuffix: string,
  keys: PageKeys | undefined,
  agent: SessionAgent | undefined,
): KeyOffer => {
  if (!keys || !project || project.ownPage !== undefined) return "none";
  if (keyPermissions(project, domainSuffix).undecided.length > 0) return "none";
  return mayCreateKeys(keys, agent) ? "offered" : "forbidden";
};

/** Keys that the page of an installation can create in an hour, in each process. @assumed */
const KEYS_PER_HOUR = 20;
/** @units milliseconds */
const HOUR_MS = 3_600_000;

/** -> whether one more key may be created now */
const createKeyLimit = (): (() => boolean) => {
  let times: number[] = [];
  return () => {
    const now = performance.now();
    times = times.filter((time) => now - time < HOUR_MS);
    if (times.length >= KEYS_PER_HOUR) return false;
    times.push(now);
    return true;
  };
};

interface KeyRouteDeps {
  readonly keys: PageKeys | undefined;
  readonly project: () => Project | undefined;
  readonly domainSuffix: string;
  /** Secret of the page, the same in all processes that serve it. */
  readonly secret: () => string;
}

/**
 * `POST /api-key` creates a key for a parameter of the page. It is stored nowhere here: the page enters it into the field. A receipt, which
 * is valid for the parameter and the session, lets the page have a key revoked that it did not save.
 */
export const keyRoutes = (scope: FastifyInstance, { keys, project, domainSuffix, secret }: KeyRouteDeps): void => {
  if (!keys) return;
  const allow = createKeyLimit();

  const receiptOf = (id: string, key: string, request: FastifyRequest): string => {
    const session = request.pageSession?.secret ?? "";
    const proof = createHmac("sha256", secret())
      .update(JSON.stringify(["api-key", id, key, session]))
      .digest("base64url");
    return `${id}.${proof}`;
  };
  const revoke = async (receipt: string, key: string, request: FastifyRequest): Promise<void> => {
    const [id = ""] = receipt.split(".");
    const expected = Buffer.from(receiptOf(id, key, request));
    const given = Buffer.from(receipt);
    if (given.length === expected.length && timingSafeEqual(given, expected)) await keys.revoke(id);
  };

  scope.post<{ Body: InstallKeyRequest }>(
    "/api-key",
    { schema: { body: InstallKeyRequest } },
    async (request, reply) => {
      const { key, replaces } = request.body;
      const app = project();
      const agent = signedInAgentOf(request);
      if (!app || app.ownPage !== undefined || !keyParametersOf(app).includes(key))
        return sendRefusal(reply, 404, "The app has no parameter for an API key of the account by this name.");
      if (!mayCreateKeys(keys, agent))
        return sendRefusal(reply, 403, "Only an account admin can create a key. Ask one for a key.");
      const { permissions, undecided } = keyPermissions(app, domainSuffix);
      if (undecided.length > 0)
        return sendRefusal(
          reply,
          409,
          "The permissions that the app needs can't be derived. Create a key with 'npx parley token create -p <permission>'.",
        );
      if (!allow())
        return sendRefusal(
          reply,
          429,
          `This page has created ${KEYS_PER_HOUR} keys within an hour. Try again later, or create a key with 'npx parley token create'.`,
        );
      try {
        const created = await keys.create({ name: APP_KEY_PREFIX + app.name, permissions, agentId: agent?.agent_id });
        if (replaces !== undefined) await revoke(replaces, key, request);
        const { id, token } = created;
        return { token, receipt: receiptOf(id, key, request) } satisfies InstallKeyAnswer;
      } catch (error) {
        if (isRefusal(error)) return sendRefusal(reply, error.problem.code, error.message);
        throw error;
      }
    },
  );
  scope.post<{ Body: InstallKeyDiscard }>(
    "/api-key/discard",
    { schema: { body: InstallKeyDiscard } },
    async (request) => {
      for (const [key, receipt] of Object.entries(request.body.receipts)) await revoke(receipt, key, request);
      return { ok: true };
    },
  );
};
