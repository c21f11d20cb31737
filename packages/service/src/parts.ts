import type { Database } from "@parley/database";
import { directory as openDirectory, type Directory } from "./accounts/directory.ts";
import { accountSlice } from "./accounts/routes.ts";
import { releases, releaseTasks } from "./agents/release.ts";
import { accountStore } from "./accounts/store.ts";
import { agentSettingsHandlers } from "./agents/settings.ts";
import { agentSlice } from "./agents/routes.ts";
import { agentStore } from "./agents/store.ts";
import { businessHoursSlice } from "./business-hours/routes.ts";
import { businessHoursStore } from "./business-hours/store.ts";
import { channelSlice } from "./channels/routes.ts";
import { channelStore } from "./channels/store.ts";
import type { ServiceConfig } from "./config.ts";
import { rating } from "./csat/rating.ts";
import { csatSlice } from "./csat/routes.ts";
import { SCHEMA } from "./db/migrations.ts";
import type { Pools } from "./db/pools.ts";
import { startDispatcher, type Dispatcher, type DispatchRules } from "./events/index.ts";
import { facts as openFacts } from "./facts/index.ts";
import { fieldSlice } from "./fields/routes.ts";
import { fieldStore } from "./fields/store.ts";
import { groupSlice } from "./groups/routes.ts";
import { groupStore } from "./groups/store.ts";
import { hotPath } from "./hot-path.ts";
import type { EdgeDeps } from "./http/edge.ts";
import { idempotencyPart } from "./idempotency/part.ts";
import { jobs as openJobs } from "./jobs/index.ts";
import { metricSlice } from "./metrics/routes.ts";
import { metricStore } from "./metrics/store.ts";
import type { ObjectStore } from "./objects/objects.ts";
import { openObjects } from "./objects/part.ts";
import { outboundPart } from "./outbound/part.ts";
import type { Ports } from "./ports.ts";
import { reportsPart } from "./reports/part.ts";
import { roleSlice } from "./roles/routes.ts";
import { roleStore } from "./roles/store.ts";
import { uploadsPart } from "./uploads/part.ts";
import { streamPart } from "./stream/part.ts";
import type { StreamRules } from "./stream/rules.ts";
import { startUserRanks } from "./users/ranks/ranks.ts";
import { userSlice } from "./users/routes.ts";
import { userStore } from "./users/store.ts";
import { webhooksPart, type WebhooksPart } from "./webhooks/part.ts";

export interface PartsDeps extends Pools {
  readonly database: Database;
  readonly ports: Ports;
  readonly config: ServiceConfig;
  readonly objects: ObjectStore | undefined;
  readonly objectsFolder: string | undefined;
  readonly rules: DispatchRules;
  readonly streamRules: StreamRules | undefined;
  /** Where the key of secrets lies when the settings have none. */
  readonly secretsFolder: string | undefined;
  /** For one's own machine. */
  readonly isLocal: boolean;
  /** How long a request waits for another one with its key; the usual when absent. @units milliseconds */
  readonly keyPatienceMs?: number | undefined;
  /** Nobody is told of what happens. */
  readonly isMute: boolean;
  /** Where this service is reached; known for good when it listens. */
  readonly origin: () => string;
  readonly log: (line: string) => void;
}

/** What answers requests, and what works beside them. */
export interface Parts extends Pick<EdgeDeps, "slices" | "mounts" | "objects" | "fresh" | "once"> {
  readonly directory: Pick<Directory, "forget">;
  /** What the owner does, besides. */
  readonly adminHandlers: WebhooksPart["handlers"] & ReturnType<typeof agentSettingsHandlers>;
  /** Begins what works beside the requests and may wait until they are answered. */
  begin(): void;
  close(graceMs?: number): Promise<void>;
}

const MUTE: Dispatcher = { wake: () => undefined, close: () => Promise.resolve() };

/** Joins the resources to their stores, to each other and to what works in the background: the one place that knows them all. */
export async function openParts(deps: PartsDeps): Promise<Parts> {
  const { database, pool, writes, reads, heavy, ports, config, rules, origin, log } = deps;
  const { now } = ports;
  const [agents, channels, fields, groups] = [agentStore(pool), channelStore(pool), fieldStore(pool), groupStore(pool)];
  const roles = roleStore(pool);
  const directory = openDirectory({ agents, channels, fields, groups });
  const jobs = openJobs({ database, ports, log });
  const folder = config.objectsFolder ?? deps.objectsFolder;
  const kept = await openObjects({ objects: deps.objects, folder, db: pool, ports });
  const uploads = uploadsPart({ kept, db: pool, jobs, ports, addressSeconds: config.addressSeconds, origin });
  const idempotency = idempotencyPart({ reads, pool, jobs, now, patienceMs: deps.keyPatienceMs });
  const fresh = (text: string, accountId: number) => uploads.fresh(text, accountId, origin());
  const { secretsFolder, isLocal } = deps;
  const { webhooks: webhookConfig, secretsKey } = config;
  const webhooks = await webhooksPart({
    pool,
    directory,
    ports,
    config: webhookConfig,
    secretsKey,
    secretsFolder,
    isLocal,
    fresh,
  });
  const events = deps.isMute
    ? MUTE
    : await startDispatcher({ database, directory, ports, rules, webhook: webhooks.kind, fresh, log });
  const facts = openFacts({ connect: () => database.connect(SCHEMA), db: pool, log });
  const ranks = startUserRanks({ pool, log });
  const stream = streamPart({ database, directory, ports, feedRules: rules, rules: deps.streamRules, fresh, log });
  const wake = () => {
    events.wake();
    stream.wake();
    facts.wake();
  };
  const wakeForUsers = () => {
    wake();
    ranks.wake();
  };
  const outbound = outboundPart({ pool, jobs, ports, config: config.outbound, wake });
  const { answered } = outbound;
  const hot = hotPath({ writes, reads, heavy, directory, answered, filesOf: uploads.filesOf, ports, wake });
  const reports = reportsPart({ database, pool, facts, jobs, kept, ports, config: config.reports, log });
  const users = userStore({ writes, reads, pool, heavy });

  return {
    directory,
    slices: [
      accountSlice(),
      userSlice({
        users,
        directory,
        erasers: [outbound.eraser, uploads.eraser, idempotency.eraser],
        ports,
        wake: wakeForUsers,
      }),
      hot.conversations,
      hot.messages,
      fieldSlice({ fields }),
      agentSlice({ agents, roles, directory, releases: releases(jobs, now), ports }),
      channelSlice({ channels }),
      groupSlice({ groups }),
      roleSlice({ roles }),
      csatSlice({ rate: rating({ db: pool, directory, find: hot.find, reopen: hot.reopen, now }) }),
      ...uploads.slices,
      outbound.slice,
      reports.slice,
      metricSlice({ store: metricStore(heavy), facts }),
      businessHoursSlice({ hours: businessHoursStore(pool), directory, now }),
      stream.slice,
    ],
    mounts: [outbound.mount, stream.mount],
    objects: kept,
    adminHandlers: {
      ...webhooks.handlers,
      ...agentSettingsHandlers({ accounts: accountStore(pool), agents, directory, ports }),
    },
    fresh: uploads.fresh,
    once: idempotency.once,
    begin() {
      facts.begin();
      jobs.begin({
        ...releaseTasks(hot.release),
        ...outbound.tasks,
        ...reports.tasks,
        ...uploads.tasks,
        ...idempotency.tasks,
      });
    },
    async close(graceMs) {
      await stream.close();
      await jobs.close();
      await outbound.close();
      await hot.close();
      await Promise.all([events.close(graceMs), facts.close()]);
      await Promise.all([ranks.close(), webhooks.close()]);
    },
  };
}
