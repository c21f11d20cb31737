import { createHash } from "node:crypto";
import {
  Delegation,
  DELEGATION_HEADER,
  delegatedRequestText,
  FORBIDDEN,
  isAtLeast,
  matchesSchema,
  refuse,
  UNAUTHENTICATED,
  type Access,
  type SessionAgent,
} from "@parley/contract";
import { verifyWebhook, webhookSecret } from "@parley/egress";
import type { FastifyRequest } from "fastify";
import type { DelegatedRequestStore } from "./store.ts";

/** A request that the service has sent for a signed-in agent. */
interface DelegatedRequest {
  readonly agent: SessionAgent;
  /** IP address of the agent's request. */
  readonly address: string;
  /** SHA-256 of the body in base64url. */
  readonly bodyDigest: string;
}

/** Requirements for a delegated request. */
export interface DelegationRules {
  /** Whether the service has signed method, path, query, agent and digest of the body within the last minutes. */
  readonly isSigned: (request: FastifyRequest) => boolean;
  /** Whether the agent may ask this of the account. */
  readonly mayAsk: (access: Access, agent: SessionAgent, account: string | undefined) => boolean;
  /** Whether the request is received for the first time. */
  readonly isFirst: (request: FastifyRequest) => Promise<boolean>;
  /** Whether a body is the signed body. */
  readonly isSignedBody: (body: Uint8Array, digest: string) => boolean;
}

interface DelegationDeps {
  readonly adminKey: string;
  readonly store: DelegatedRequestStore;
  readonly now: () => Date;
}

const headerOf = ({ headers }: FastifyRequest, name: string): string => {
  const value = headers[name];
  return typeof value === "string" ? value : "";
};

/** -> SHA-256 in base64url */
export const digestOfBody = (body: Uint8Array): string => createHash("sha256").update(body).digest("base64url");

/** The rules for requests that are signed by the admin key, which never leaves the service and the platform. */
export const delegationRules = ({ adminKey, store, now }: DelegationDeps): DelegationRules => {
  const secret = webhookSecret(Buffer.from(adminKey));
  return {
    isSigned: (request) =>
      verifyWebhook({
        headers: request.headers,
        body: delegatedRequestText({
          method: request.method,
          target: request.url,
          delegation: headerOf(request, DELEGATION_HEADER),
        }),
        secret,
        nowSeconds: Math.floor(now().getTime() / 1_000),
      }),
    mayAsk: ({ session }, { account: own, role_id }, account) =>
      session !== undefined && account === own && isAtLeast(role_id, session.role),
    isFirst: (request) => store.isFirst(headerOf(request, "webhook-id"), now()),
    isSignedBody: (body, digest) => digestOfBody(body) === digest,
  };
};

const delegationIn = (text: string): Delegation | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return matchesSchema(Delegation, value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Whether a request claims to be one of the service for an agent. */
export const isDelegated = ({ headers }: FastifyRequest): boolean => headers[DELEGATION_HEADER] !== undefined;

/** Admits a request that the service sends for an agent. @errors UNAUTHENTICATED, FORBIDDEN */
export const admitDelegated = async (
  rules: Omit<DelegationRules, "isSignedBody">,
  access: Access,
  request: FastifyRequest,
  account: string | undefined,
): Promise<DelegatedRequest> => {
  const delegation = delegationIn(headerOf(request, DELEGATION_HEADER));
  if (!delegation || !rules.isSigned(request))
    return refuse(UNAUTHENTICATED, "The signature of the service is wrong or too old.");
  const { agent, address, body_digest: bodyDigest } = delegation;
  if (!rules.mayAsk(access, agent, account)) return refuse(FORBIDDEN, "This needs an admin of the account.");
  if (!(await rules.isFirst(request))) return refuse(UNAUTHENTICATED, "This request was received before.");
  return { agent, address, bodyDigest };
};
