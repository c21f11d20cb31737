import { isRefusal, type Permission } from "@parley/contract";
import { ServiceRefused, type ServiceAccess } from "../../front/service.ts";
import type { PlatformServiceClient } from "./service-client.ts";

interface AgentPageAccessDeps {
  readonly service: Pick<PlatformServiceClient, "createKey">;
  /** Origin of the service, as this process reaches it. */
  readonly serviceOrigin: string;
}

/** Data and actions of the agent's page. */
const PERMISSIONS: readonly Permission[] = [
  "user:read",
  "conversation:read",
  "conversation:update",
  "message:read",
  "message:create",
  "agent:read",
  "channel:read",
];
const KEY_LIFETIME_SECONDS = 86_400;
/** A key is replaced this much before it expires. @units milliseconds */
const KEY_MARGIN_MS = 3_600_000;

interface AccountKey {
  readonly token: Promise<string>;
  /** @units milliseconds of the monotonic clock */
  readonly validUntilMs: number;
}

/**
 * Access of the agent's pages to the conversations of their accounts. The process has one API key an account: it is created when an agent
 * opens a page, is kept in memory only, and expires after a day.
 */
export const createAgentPageAccess = ({ service, serviceOrigin }: AgentPageAccessDeps) => {
  const keys = new Map<string, AccountKey>();

  const create = async (account: string): Promise<string> => {
    const key = { name: "pages of apps", permissions: PERMISSIONS, lifetimeSeconds: KEY_LIFETIME_SECONDS };
    try {
      return (await service.createKey(account, key)).token;
    } catch (error) {
      keys.delete(account);
      if (isRefusal(error)) throw new ServiceRefused(error.problem.code, error.message);
      throw error;
    }
  };
  const tokenOf = (account: string): Promise<string> => {
    const known = keys.get(account);
    if (known && known.validUntilMs > performance.now()) return known.token;
    const validUntilMs = performance.now() + KEY_LIFETIME_SECONDS * 1_000 - KEY_MARGIN_MS;
    const token = create(account);
    keys.set(account, { token, validUntilMs });
    return token;
  };
  return (account: string): ServiceAccess => ({
    origin: serviceOrigin,
    account,
    token: () => tokenOf(account),
    receivesAllEvents: false,
    // An admin has revoked it: the next request gets another key.
    keyRefused: () => void keys.delete(account),
  });
};
