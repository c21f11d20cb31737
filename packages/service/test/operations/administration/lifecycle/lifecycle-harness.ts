import type { AccountSummary, ClosedAccount, CreatedAccount } from "@parley/contract";
import type { AdminResponse } from "../endpoints/admin-harness.ts";
import { jumpingClock } from "../../../events/dispatch/dispatch-harness.ts";
import { sessionHarness, type SessionHarness } from "../../../identity/authentication/session-harness.ts";
import type { ServiceHarnessOptions } from "../../../service-harness.ts";
import { waitUntil } from "../../../../../../test/support/wait-until.ts";

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** The service with a clock that runs and that the test moves forward, and the lifecycle of accounts. */
export interface LifecycleHarness extends SessionHarness {
  advance(ms: number): void;
  create(name: string, more?: object): Promise<AdminResponse<CreatedAccount>>;
  closeAccount(name: string, query?: string): Promise<AdminResponse<ClosedAccount>>;
  reopen(name: string): Promise<AdminResponse<ClosedAccount>>;
  /** -> undefined if no such account exists */
  summaryOf(name: string): Promise<AccountSummary | undefined>;
  /** Waits until an account whose deletion is due is deleted. */
  deleted(name: string): Promise<unknown>;
  /** Sends a request with a token. -> code and problem */
  callWith(token: string, path?: string): Promise<string>;
}

export const lifecycleHarness = async (options: ServiceHarnessOptions = {}): Promise<LifecycleHarness> => {
  const clock = jumpingClock();
  const w = await sessionHarness({
    ...options,
    ports: { ...clock.ports, ...options.ports },
  });
  const summaryOf = async (name: string) => {
    const { body } = await w.adminRequest<{ accounts: AccountSummary[] }>("GET", "/admin/accounts?items_per_page=100");
    return body.accounts.find((account) => account.name === name);
  };
  return {
    ...w,
    advance: (ms) => clock.advance(ms),
    create: (name, more) =>
      w.adminRequest("POST", "/admin/accounts", { name, owner: { email: `owner@${name}.example` }, ...more }),
    closeAccount: (name, query = "") => w.adminRequest("DELETE", `/admin/accounts/${name}${query}`),
    reopen: (name) => w.adminRequest("POST", `/admin/accounts/${name}/reopening`),
    summaryOf,
    deleted: (name) => waitUntil(async () => (await summaryOf(name)) === undefined),
    async callWith(token, path = "/v2/agents") {
      const reply = await fetch(w.url + path, { headers: { authorization: `Bearer ${token}` } });
      const body = (await reply.json()) as { status?: string };
      return [reply.status, ...(reply.ok ? [] : [body.status])].join(" ");
    },
  };
};
