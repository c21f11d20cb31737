import type { Base } from "../base/module.ts";
import type { AreaModule } from "../http/area-module.ts";
import type { Identity } from "../identity/module.ts";
import type { Messaging } from "../messaging/module.ts";
import { createExchangeEraser, dispatchAdminHandlers, openAppEgress, openDispatcher } from "./dispatch/index.ts";
import type { EventsConfig } from "./dispatch/config.ts";
import type { DispatchRules } from "./dispatch/dispatch-rules.ts";
import type { StreamRules } from "./stream/stream-rules.ts";
import { createStreams } from "./stream/streams.ts";
import type { WebhookConfig } from "./webhooks/config.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

interface EventsDeps {
  readonly base: Base;
  readonly messaging: Pick<Messaging, "directory" | "reach" | "resignWithOwnOrigin">;
  readonly identity: Pick<Identity, "recordAudit">;
  readonly config: { readonly events?: EventsConfig | undefined; readonly webhooks?: WebhookConfig | undefined };
  readonly rules: DispatchRules;
  readonly streamRules?: StreamRules | undefined;
  /** Events are not delivered. */
  readonly isDispatchDisabled: boolean;
}

/** Delivers the event log: to apps and webhooks, and to streams, with the presence of agents. */
export const createEventsModule = async ({ base, messaging, identity, config, rules, ...deps }: EventsDeps) => {
  const { database, pool, jobs, ports, vault, isLocal, metrics, log } = base;
  const { directory, reach, resignWithOwnOrigin: resignUrls } = messaging;
  const { recordAudit } = identity;
  const webhookDeps = { pool, directory, ports, vault, isLocal, recordAudit, resignUrls };
  const webhooks = createWebhooks({ ...webhookDeps, config: config.webhooks });
  const appEgress = openAppEgress(config.events?.platformUrl);
  const dispatcher = await openDispatcher({
    ...{ database, directory, ports, rules, resignUrls, metrics, log },
    isDisabled: deps.isDispatchDisabled,
    egress: appEgress,
    webhook: webhooks.kind,
  });
  base.commits.subscribe(() => dispatcher.wake());
  const streams = createStreams({
    ...{ database, directory, reach, ports, resignUrls, log },
    feedRules: rules,
    rules: deps.streamRules,
  });
  base.commits.subscribe(() => streams.wake());
  const exchanges = createExchangeEraser({ pool, jobs, ports });
  return {
    /** The guard of requests to platforms. */
    appEgress,
    notifyOwnChange: streams.notifyOwnChange,
    notifyPropertyChange: streams.notifyPropertyChange,
    visitorStreams: streams.visitorStreams,
    customers: streams.customers,
    routes: [streams.slice],
    consoleRoutes: [streams.consoleTable],
    mounts: [streams.mount],
    tasks: exchanges.tasks,
    erasers: [exchanges.eraser],
    adminHandlers: {
      ...webhooks.handlers,
      ...dispatchAdminHandlers({ pool, ports, egress: appEgress, recordAudit, webhook: webhooks.kind }),
    },
    endStreams: () => streams.close(),
    async close(graceMs?: number) {
      await streams.close();
      await dispatcher.close(graceMs);
      await webhooks.close();
    },
  } satisfies AreaModule & Record<string, unknown>;
};
export type Events = Awaited<ReturnType<typeof createEventsModule>>;
