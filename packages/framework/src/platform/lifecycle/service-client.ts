import {
  ACCOUNT_CLOSED,
  ACCOUNT_NOT_FOUND,
  admin,
  FORBIDDEN,
  refuse,
  type AppSubscriptionSettings,
  SERVICE_UNAVAILABLE,
  type Permission,
} from "@parley/contract";
import { callServiceAdmin, type AdminResponse, type ServiceAdmin } from "../../identity/service-admin.ts";

/** @units milliseconds */
const CALL_TIMEOUT_MS = 10_000;

/** Requests of the platform to the service. @errors Refusal */
export interface PlatformServiceClient {
  /** @errors ACCOUNT_NOT_FOUND */
  requireAccount(account: string): Promise<void>;
  putSubscription(account: string, app: string, settings: AppSubscriptionSettings): Promise<void>;
  deleteSubscription(account: string, app: string): Promise<void>;
  /** -> id and text of a new API key @errors FORBIDDEN for an agent who may not create it */
  createKey(
    account: string,
    key: { name: string; permissions: readonly Permission[]; agentId?: string | undefined; lifetimeSeconds?: number },
  ): Promise<{ id: string; token: string }>;
  revokeKey(id: string): Promise<void>;
}

export const createPlatformServiceClient = (service: ServiceAdmin): PlatformServiceClient => {
  const settled = ({ status, body }: AdminResponse): unknown => {
    if (status >= 200 && status < 300) return body;
    if (status === 404) return refuse(ACCOUNT_NOT_FOUND);
    const { status: token, message } = (body ?? {}) as { status?: string; message?: string };
    for (const problem of [ACCOUNT_CLOSED, FORBIDDEN]) if (token === problem.status) return refuse(problem, message);
    return refuse(
      SERVICE_UNAVAILABLE,
      status === 0
        ? "The service does not answer the platform. Try again in a moment."
        : `The service answered the platform with ${status}. ${message ?? ""}`.trim(),
    );
  };
  const call = async (
    ...[row, options]: [Parameters<typeof callServiceAdmin>[1], { params: Record<string, string>; body?: unknown }]
  ) => callServiceAdmin(service, row, { ...options, timeoutMs: CALL_TIMEOUT_MS });

  return {
    async requireAccount(account) {
      settled(await call(admin.getAccount, { params: { account } }));
    },
    async putSubscription(account, app, settings) {
      settled(await call(admin.putAppSubscription, { params: { account, app }, body: settings }));
    },
    async deleteSubscription(account, app) {
      const answer = await call(admin.deleteAppSubscription, { params: { account, app } });
      if (answer.status !== 404) settled(answer);
    },
    async createKey(account, { name, permissions, agentId, lifetimeSeconds }) {
      const body = {
        name,
        permissions,
        ...(agentId !== undefined && { agent_id: agentId }),
        ...(lifetimeSeconds !== undefined && { expires_in_seconds: lifetimeSeconds }),
      };
      return settled(await call(admin.createToken, { params: { account }, body })) as { id: string; token: string };
    },
    async revokeKey(id) {
      await call(admin.revokeToken, { params: { token_id: id } });
    },
  };
};
