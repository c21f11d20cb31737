import { type AdminDelivery, type AdminSubscription } from "@parley/contract";
import { DISPATCH_RULES, type DispatchRules } from "../../../src/index.ts";
import { adminHarness, type AdminHarness } from "../../operations/administration/endpoints/admin-harness.ts";
import type { ServiceHarnessOptions } from "../../service-harness.ts";
import {
  endpoint,
  type FakeMessageEndpoint,
  type ReceivedDelivery,
  type EndpointReply,
} from "./fake-message-endpoint.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

/** Rules with short delays, otherwise like the default rules. */
export const SHORT_DELAYS: DispatchRules = {
  ...DISPATCH_RULES,
  controlMs: 100,
  webhook: { waitsMs: [60, 120, 200], attemptTimeoutMs: 2_000, holdMs: 10_000 },
};

/** A running clock that can be moved forward. */
export const jumpingClock = () => {
  const listeners = new Set<() => void>();
  let offsetMs = 0;
  return {
    ports: {
      now: () => new Date(Date.now() + offsetMs),
      onJump: (listener: () => void) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    advance(ms: number): void {
      offsetMs += ms;
      for (const listener of listeners) listener();
    },
  };
};

/** One subscriber of new messages, and the admin API's view of it. */
export interface WebhookSubscription {
  readonly id: string;
  readonly endpoint: FakeMessageEndpoint;
  deliveries(query?: string): Promise<AdminDelivery[]>;
  /** -> a delivery in the state @errors Error without such a delivery in time */
  delivery(state: AdminDelivery["state"]): Promise<AdminDelivery>;
  status(): Promise<AdminSubscription>;
  /** Resolves when every delivery is completed and recorded. */
  untilCompleted(): Promise<unknown>;
  replay(body: object): Promise<{ code: number; body: { replayed?: number; status?: string; message?: string } }>;
}

export interface DispatchHarness extends AdminHarness {
  subscribe(
    response?: (delivery: ReceivedDelivery) => EndpointReply | Promise<EndpointReply>,
  ): Promise<WebhookSubscription>;
  /** For an endpoint that the caller closes. */
  subscribeEndpoint(at: FakeMessageEndpoint): Promise<WebhookSubscription>;
  /** The same endpoint in another run of the service on the same database. */
  subscriptionOf(id: string, at: FakeMessageEndpoint): WebhookSubscription;
}

/** The service with webhooks of acme for new messages. */
export const dispatchHarness = async (options: ServiceHarnessOptions = {}): Promise<DispatchHarness> => {
  const w = await adminHarness({
    dispatchRules: SHORT_DELAYS,
    ...options,
    config: { secretsKey: "ab".repeat(32), webhooks: { overlapHours: 24, allowsLoopback: true }, ...options.config },
  });
  const endpoints: FakeMessageEndpoint[] = [];
  const subscriptionOf = (id: string, at: FakeMessageEndpoint): WebhookSubscription => {
    const path = `/admin/accounts/acme/subscriptions/${id}`;
    const deliveries = async (query = "") =>
      (await w.adminRequest<{ deliveries: AdminDelivery[] }>("GET", `${path}/deliveries${query}`)).body.deliveries;
    const status = async () => {
      const { body } = await w.adminRequest<{ subscriptions: AdminSubscription[] }>(
        "GET",
        "/admin/accounts/acme/subscriptions",
      );
      const found = body.subscriptions.find((each) => each.id === id);
      if (!found) throw new Error(`no subscription ${id}`);
      return found;
    };
    return {
      id,
      endpoint: at,
      deliveries,
      async delivery(state) {
        let found: AdminDelivery | undefined;
        await waitUntil(async () => ([found] = await deliveries(`?state=${state}`)).length > 0);
        return found as unknown as AdminDelivery;
      },
      status,
      untilCompleted: () =>
        waitUntil(async () => {
          const { to_come, waiting, aside } = await status();
          return to_come + waiting + aside === 0;
        }),
      replay: (body) => w.adminRequest("POST", `${path}/replay`, body),
    };
  };
  const subscribeEndpoint = async (at: FakeMessageEndpoint): Promise<WebhookSubscription> => {
    const created = await w.adminRequest<{ webhook: { id: string } }>("POST", "/admin/accounts/acme/webhooks", {
      url: at.url,
      actions: ["message_create"],
    });
    if (created.code !== 201) throw new Error(JSON.stringify(created));
    return subscriptionOf(created.body.webhook.id, at);
  };
  return {
    ...w,
    subscriptionOf,
    subscribeEndpoint,
    async subscribe(response) {
      const at = await endpoint(response);
      endpoints.push(at);
      return subscribeEndpoint(at);
    },
    async close() {
      await w.close();
      await Promise.all(endpoints.map((each) => each.close()));
    },
  };
};
