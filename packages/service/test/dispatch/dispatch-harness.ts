import { type AdminDelivery, type AdminSubscription } from "@parley/contract";
import { setTimeout } from "node:timers/promises";
import { DISPATCH_RULES, type DispatchRules } from "../../src/index.ts";
import { adminWorld, type AdminWorld } from "../admin/admin-harness.ts";
import type { WorldOptions } from "../service-harness.ts";
import { endpoint, type Endpoint, type ReceivedDelivery, type Reply } from "./fake-message-endpoint.ts";

/** Rules with short delays, otherwise like the default rules. */
export const QUICK: DispatchRules = {
  ...DISPATCH_RULES,
  controlMs: 100,
  webhook: { waitsMs: [60, 120, 200], tryMs: 2_000, holdMs: 10_000 },
};

/** Resolves when the condition holds. @errors Error if it does not hold within twenty seconds */
export const eventually = async (holds: () => Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + 20_000; !(await holds()); await setTimeout(20))
    if (performance.now() > end) throw new Error("it did not come about");
};

/** A running clock that can be moved forward. */
export const clock = () => {
  const listeners = new Set<() => void>();
  let ahead = 0;
  return {
    ports: {
      now: () => new Date(Date.now() + ahead),
      onJump: (listener: () => void) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    advance(ms: number): void {
      ahead += ms;
      for (const listener of listeners) listener();
    },
  };
};

/** One subscriber of new messages, and the admin API's view of it. */
export interface Hook {
  readonly id: string;
  readonly endpoint: Endpoint;
  deliveries(query?: string): Promise<AdminDelivery[]>;
  /** -> a delivery in the state @errors Error if there is none in time */
  delivery(state: AdminDelivery["state"]): Promise<AdminDelivery>;
  standing(): Promise<AdminSubscription>;
  /** Resolves when every delivery is completed and recorded. */
  settled(): Promise<void>;
  replay(body: object): Promise<{ code: number; body: { replayed?: number; status?: string; message?: string } }>;
}

export interface Hooks extends AdminWorld {
  hook(answer?: (knock: ReceivedDelivery) => Reply | Promise<Reply>): Promise<Hook>;
  /** For an endpoint that the caller closes. */
  hookAt(at: Endpoint): Promise<Hook>;
  /** The same endpoint in another run of the service on the same database. */
  known(id: string, at: Endpoint): Hook;
}

/** The service with webhooks of acme for new messages. */
export const hooks = async (options: WorldOptions = {}): Promise<Hooks> => {
  const w = await adminWorld({
    dispatchRules: QUICK,
    ...options,
    config: { secretsKey: "ab".repeat(32), webhooks: { overlapHours: 24, allowsLoopback: true }, ...options.config },
  });
  const endpoints: Endpoint[] = [];
  const known = (id: string, at: Endpoint): Hook => {
    const path = `/admin/accounts/acme/subscriptions/${id}`;
    const deliveries = async (query = "") =>
      (await w.ask<{ deliveries: AdminDelivery[] }>("GET", `${path}/deliveries${query}`)).body.deliveries;
    const standing = async () => {
      const { body } = await w.ask<{ subscriptions: AdminSubscription[] }>("GET", "/admin/accounts/acme/subscriptions");
      const found = body.subscriptions.find((each) => each.id === id);
      if (!found) throw new Error(`no subscription ${id}`);
      return found;
    };
    return {
      id,
      endpoint: at,
      deliveries,
      async delivery(state) {
        const end = performance.now() + 20_000;
        while (performance.now() < end) {
          const [found] = await deliveries(`?state=${state}`);
          if (found) return found;
          await setTimeout(20);
        }
        throw new Error(`none is ${state}: ${JSON.stringify(await deliveries())}`);
      },
      standing,
      settled: () =>
        eventually(async () => {
          const { to_come, waiting, aside } = await standing();
          return to_come + waiting + aside === 0;
        }),
      replay: (body) => w.ask("POST", `${path}/replay`, body),
    };
  };
  const hookAt = async (at: Endpoint): Promise<Hook> => {
    const made = await w.ask<{ webhook: { id: string } }>("POST", "/admin/accounts/acme/webhooks", {
      url: at.url,
      actions: ["message_create"],
    });
    if (made.code !== 201) throw new Error(JSON.stringify(made));
    return known(made.body.webhook.id, at);
  };
  return {
    ...w,
    known,
    hookAt,
    async hook(answer) {
      const at = await endpoint(answer);
      endpoints.push(at);
      return hookAt(at);
    },
    async close() {
      await w.close();
      await Promise.all(endpoints.map((each) => each.close()));
    },
  };
};
