import {
  ACCOUNT_NOT_FOUND,
  DELIVERY_EXCHANGE_LIMITS,
  DELIVERY_NOT_FOUND,
  EVENT_NOT_FOUND,
  INVALID_VALUE,
  PRODUCT_EVENTS,
  refuse,
  SUBSCRIPTION_NOT_FOUND,
  type AdminDelivery,
  type AdminSubscription,
  type deliveries,
  type DeliveryExchange,
  type ReplayRequest,
} from "@parley/contract";
import type { Db, Pool } from "@parley/database";
import { accountStore } from "../../messaging/accounts/store.ts";
import type { RecordAudit } from "../../identity/audit/record.sql.ts";
import type { RouteHandlers } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { appSubscriptionHandlers } from "./app-subscriptions.ts";
import type { EventDelivery } from "./deliveries.sql.ts";
import { notify } from "../../base/log/notifications.sql.ts";
import { overviewStore, type SubscriptionState, replayStore } from "./admin.sql.ts";
import { payloadStore } from "../event-payload/store.ts";
import type { RecordedExchange, SubscriberKind } from "./subscriber-kind.ts";
import { subscriptionStore, type ListedSubscription } from "./subscriptions.sql.ts";
import { PARTITIONS } from "../../base/log/store.ts";

/** Deliveries per page. */
const PAGE_SIZE = 50;

const subscriptionOf = (row: SubscriptionState): AdminSubscription => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  url: row.url,
  ...(row.actions && { actions: [...row.actions] }),
  state: row.off_time === null ? "on" : "off",
  ...(row.off_time && { off_time: row.off_time.toISOString() }),
  ...(row.off_reason !== null && { off_reason: row.off_reason }),
  created_time: row.created_time.toISOString(),
  to_come: row.to_come,
  waiting: row.waiting,
  aside: row.aside,
  dead: row.dead,
  missed: row.missed,
  recent: { attempted: row.recent_attempted, delivered: row.recent_delivered },
});

const deliveryOf = (row: EventDelivery): AdminDelivery => ({
  event_id: row.event_id,
  kind: row.kind,
  entity_id: row.entity_id,
  state: row.state,
  replay: row.is_replay,
  tries: row.tries,
  ...(row.status !== null && { status: row.status }),
  ...(row.reason !== null && { reason: row.reason }),
  ...(row.duration_ms !== null && { milliseconds: row.duration_ms }),
  ...(row.next_time && { next_time: row.next_time.toISOString() }),
  changed_time: row.changed_time.toISOString(),
});

const REDELIVERY_HINT = "say what to bring again by one of: event_id; from, with or without to; failed: true";

/** @errors INVALID_VALUE unless exactly one selection is given */
const checkOne = ({ event_id, from, to, failed }: ReplayRequest): void => {
  const selections = [event_id, from, failed].filter((each) => each !== undefined).length;
  if (selections !== 1 || (to !== undefined && from === undefined)) refuse(INVALID_VALUE, REDELIVERY_HINT);
  if (from !== undefined && to !== undefined && !(new Date(from) < new Date(to)))
    refuse(INVALID_VALUE, "from must lie before to");
};

interface DeliveryAdminDeps {
  readonly pool: Pool;
  readonly ports: Pick<Ports, "now">;
  readonly recordAudit: RecordAudit;
  /** Makes the bodies of requests to webhooks. */
  readonly webhook: Pick<SubscriberKind, "requestsFor">;
}

/** Endpoints of all subscriptions and of their deliveries. */
const deliveryAdminHandlers = ({
  pool,
  ports: { now },
  recordAudit,
  webhook,
}: DeliveryAdminDeps): RouteHandlers<typeof deliveries> => {
  const [accounts, subscribers, overview] = [accountStore(pool), subscriptionStore(pool), overviewStore(pool)];
  const events = payloadStore(pool);
  const accountOf = async (name: string) => (await accounts.byName(name)) ?? refuse(ACCOUNT_NOT_FOUND);
  const find = async ({ account, subscription_id: id }: { account: string; subscription_id: string }) => {
    const owner = await accountOf(account);
    const found = isUuid(id) ? await subscribers.byId(owner.id, id) : undefined;
    return found ?? refuse(SUBSCRIPTION_NOT_FOUND);
  };

  /**
   * @assumed A replay of a time range delivers all events that the subscriber wants, also those from before it subscribed; events that
   * are not delivered yet are left out.
   */
  const replay = async (db: Db, subscription: ListedSubscription, selections: ReplayRequest): Promise<number> => {
    const replays = replayStore(db);
    const { id, account_id } = subscription;
    const { event_id, from, to } = selections;
    if (from !== undefined) {
      const span = { from: new Date(from), to: to === undefined ? now() : new Date(to) };
      const appKinds = Object.keys(PRODUCT_EVENTS);
      const kinds =
        subscription.kind === "app" ? (subscription.actions ?? appKinds) : [...appKinds, "outbound_message_update"];
      return replays.span(id, now(), span, kinds);
    }
    if (event_id === undefined) return replays.failed(id, now());
    if (!isUuid(event_id) || !(await replays.isKnown(account_id, event_id))) refuse(EVENT_NOT_FOUND);
    return replays.one(id, now(), event_id);
  };

  /** The recorded request with its body, which is made from the event log, as for each attempt. */
  const exchangeOf = async (subscription: ListedSubscription, seq: number, text: string): Promise<DeliveryExchange> => {
    const { request, ...exchange } = JSON.parse(text) as RecordedExchange;
    const [row] = await events.read([seq]);
    // Its actions may have been changed since the request.
    const requests = row ? await webhook.requestsFor({ ...subscription, actions: null }, row) : [];
    const body = requests.find(({ id }) => id === request.id)?.body;
    const max = DELIVERY_EXCHANGE_LIMITS.shownRequestBody;
    const { url, headers } = request;
    return {
      ...exchange,
      request: {
        url,
        headers,
        ...(body !== undefined && { body: body.slice(0, max) }),
        truncated: (body?.length ?? 0) > max,
      },
    };
  };

  return {
    async listSubscriptions({ params }) {
      const { id } = await accountOf(params.account);
      return { subscriptions: (await overview.subscriptionStates(id, PARTITIONS)).map(subscriptionOf) };
    },
    async listDeliveries({ params, query }) {
      const { id } = await find(params);
      const { limit = PAGE_SIZE } = query;
      const rows = await overview.page(id, { ...query, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        deliveries: shown.map(deliveryOf),
        ...(rows.length > limit && last && { next_before: String(last.seq) }),
      };
    },
    async getDelivery({ params }) {
      const subscription = await find(params);
      const { event_id } = params;
      const found = isUuid(event_id) ? await overview.byEvent(subscription.id, event_id) : undefined;
      const row = found ?? refuse(DELIVERY_NOT_FOUND);
      const { seq, exchange_text } = row;
      return {
        delivery: deliveryOf(row),
        ...(exchange_text !== null && { exchange: await exchangeOf(subscription, seq, exchange_text) }),
      };
    },
    async replayDeliveries({ params, body, actor }) {
      const account = await accountOf(params.account);
      const subscription = await find(params);
      checkOne(body);
      const replayed = await pool.transaction(async (tx) => {
        const count = await replay(tx, subscription, body);
        const details = { name: subscription.name, selection: body, replayed: count };
        await recordAudit(tx, { actor, action: "subscription.replay", account, subject: subscription.id, details });
        return count;
      });
      await notify(pool, "control");
      return { replayed };
    },
  };
};

/** Admin endpoints of subscriptions: those of apps, and the deliveries to all. */
export const dispatchAdminHandlers = (deps: DeliveryAdminDeps & Parameters<typeof appSubscriptionHandlers>[0]) => ({
  ...appSubscriptionHandlers(deps),
  ...deliveryAdminHandlers(deps),
});
