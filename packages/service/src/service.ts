import type { AddressInfo } from "node:net";
import { migrate, statement, type Database } from "@parley/database";
import { directory as openDirectory } from "./accounts/directory.ts";
import { accountSlice } from "./accounts/routes.ts";
import { admin, type Admin } from "./admin/admin.ts";
import { adminPart } from "./admin/part.ts";
import { releases, releaseTasks } from "./agents/release.ts";
import { agentSlice } from "./agents/routes.ts";
import { agentStore } from "./agents/store.ts";
import { allowance } from "./allowance/allowance.ts";
import { guard } from "./allowance/guard.ts";
import { allowanceStore } from "./allowance/store.ts";
import { businessHoursSlice } from "./business-hours/routes.ts";
import { businessHoursStore } from "./business-hours/store.ts";
import { channelSlice } from "./channels/routes.ts";
import { channelStore } from "./channels/store.ts";
import { rating } from "./csat/rating.ts";
import { csatSlice } from "./csat/routes.ts";
import { serviceConfig, type ServiceConfig } from "./config.ts";
import { MIGRATIONS, SCHEMA } from "./db/migrations.ts";
import { KEYED_PLANS } from "./db/plans.ts";
import { DISPATCH_RULES, startDispatcher, type DispatchRules } from "./events/index.ts";
import { facts as openFacts } from "./facts/index.ts";
import { fieldSlice } from "./fields/routes.ts";
import { fieldStore } from "./fields/store.ts";
import { groupSlice } from "./groups/routes.ts";
import { groupStore } from "./groups/store.ts";
import { hotPath } from "./hot-path.ts";
import { drain } from "./http/drain.ts";
import { edge, type Patience } from "./http/edge.ts";
import { addressCheck, hostRules } from "./http/host.ts";
import type { Observe } from "./http/record.ts";
import type { ObjectStore } from "./objects/objects.ts";
import { openObjects } from "./objects/part.ts";
import { jobs as openJobs } from "./jobs/index.ts";
import { outboundPart } from "./outbound/part.ts";
import { metricSlice } from "./metrics/routes.ts";
import { metricStore } from "./metrics/store.ts";
import { realPorts, type Ports } from "./ports.ts";
import { reportsPart } from "./reports/part.ts";
import { roleSlice } from "./roles/routes.ts";
import { roleStore } from "./roles/store.ts";
import { uploadsPart } from "./uploads/part.ts";
import { callers } from "./tokens/callers.ts";
import { tokenStore } from "./tokens/store.ts";
import { startUserRanks } from "./users/ranks/ranks.ts";
import { userSlice } from "./users/routes.ts";
import { userStore } from "./users/store.ts";

export interface Service {
  /** Without the version segment. */
  readonly url: string;
  readonly port: number;
  readonly admin: Admin;
  /** Takes no more requests, gives those under way three seconds, saves how far events came, ends. May be called again. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** The caller's: it is not closed here. */
  readonly database: Database;
  /** 0: any free one. */
  readonly port: number;
  /** This machine only when absent. */
  readonly host?: string;
  readonly ports?: Ports;
  readonly config?: ServiceConfig;
  /** Opens the addresses below /admin, which are none when it is absent. */
  readonly adminKey?: string | undefined;
  /** Where uploads and reports are kept; a folder when absent. */
  readonly objects?: ObjectStore | undefined;
  /** The folder, where the settings don't name one. */
  readonly objectsFolder?: string | undefined;
  /** How the road of events is driven; the usual rules when absent. */
  readonly dispatchRules?: DispatchRules | undefined;
  /** How long requests may take to arrive; the usual rules when absent. */
  readonly patience?: Patience | undefined;
  /** Hears of every answer that is given. */
  readonly observe?: Observe | undefined;
  readonly log?: (line: string) => void;
}

const LOOPBACK = "127.0.0.1";
const ALIVE = statement("alive", "select 1");

/** Brings the schema up to date, serves the API and sends events. @errors what listening on the port failed with */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { database, host = LOOPBACK, ports = realPorts, config = serviceConfig(), log = console.error } = options;
  const { dispatchRules: rules = DISPATCH_RULES } = options;
  const { now } = ports;
  await migrate(database, SCHEMA, MIGRATIONS);
  const pool = database.pool(SCHEMA, { max: 4 });
  // On connections of their own: a read behind a commit waits for it.
  const writes = database.pool(SCHEMA, { max: 1, settings: KEYED_PLANS });
  const reads = database.pool(SCHEMA, { max: 3, settings: KEYED_PLANS });

  const [agents, channels, fields, groups] = [agentStore(pool), channelStore(pool), fieldStore(pool), groupStore(pool)];
  const roles = roleStore(pool);
  const directory = openDirectory({ agents, channels, fields, groups });
  const jobs = openJobs({ database, ports, log });
  const folder = config.objectsFolder ?? options.objectsFolder;
  const kept = await openObjects({ objects: options.objects, folder, db: pool, ports });
  // Known for good when the port is.
  let origin = config.publicUrl ?? `http://${host}:${options.port}`;
  const { addressSeconds } = config;
  const uploads = uploadsPart({ kept, db: pool, jobs, ports, addressSeconds, origin: () => origin });
  const fresh = (text: string, accountId: number) => uploads.fresh(text, accountId, origin);
  const events = await startDispatcher({ database, directory, ports, rules, fresh, log });
  const facts = openFacts({ connect: () => database.connect(SCHEMA), db: pool, log });
  const wake = () => {
    events.wake();
    facts.wake();
  };
  const ranks = startUserRanks({ pool, log });
  const wakeBoth = () => {
    wake();
    ranks.wake();
  };
  const outbound = outboundPart({ pool, jobs, ports, config: config.outbound, wake });
  const { answered } = outbound;
  const hot = hotPath({ writes, reads, directory, answered, filesOf: uploads.filesOf, ports, wake });
  const reports = reportsPart({ database, pool, facts, jobs, kept, ports, config: config.reports, log });
  const doorkeeper = guard({ now });
  const hosts = hostRules(config);
  const owner = adminPart({
    key: options.adminKey,
    guard: doorkeeper,
    pool,
    ports,
    embedded: database.embedded,
    callsPerHour: config.callsPerHour,
    domain: hosts.domain,
  });
  const app = await edge({
    slices: [
      accountSlice(),
      userSlice({
        users: userStore({ writes, reads, pool }),
        directory,
        erasers: [outbound.eraser, uploads.eraser],
        ports,
        wake: wakeBoth,
      }),
      hot.conversations,
      hot.messages,
      fieldSlice({ fields }),
      agentSlice({ agents, roles, directory, releases: releases(jobs, now), ports }),
      channelSlice({ channels }),
      groupSlice({ groups }),
      metricSlice({ store: metricStore(pool), facts }),
      businessHoursSlice({ hours: businessHoursStore(pool), directory, now }),
      roleSlice({ roles }),
      outbound.slice,
      reports.slice,
      ...uploads.slices,
      csatSlice({ rate: rating({ db: pool, directory, find: hot.find, reopen: hot.reopen, now }) }),
    ],
    callers: callers({ store: tokenStore(pool), now }),
    allowance: allowance({ store: allowanceStore(pool), now, callsPerHour: config.callsPerHour }),
    guard: doorkeeper,
    checkAddress: addressCheck(hosts),
    patience: options.patience,
    observe: options.observe,
    alive: () => pool.one(ALIVE, []),
    objects: kept,
    mounts: [outbound.mount, ...owner.mounts],
    publicUrl: config.publicUrl,
    fresh: uploads.fresh,
    log,
  });

  const end = async () => {
    await drain(app);
    await jobs.close();
    await outbound.close();
    await hot.close();
    await Promise.all([events.close(), facts.close()]);
    await ranks.close();
    await Promise.all([pool, writes, reads].map((each) => each.end()));
  };
  try {
    await app.listen({ port: options.port, host });
  } catch (error) {
    await end();
    throw error;
  }
  facts.begin();
  jobs.begin({ ...releaseTasks(hot.release), ...outbound.tasks, ...reports.tasks, ...uploads.tasks });
  // The type knows sockets in the file system too, which is no way to listen on a port.
  const { port } = app.server.address() as AddressInfo;
  origin = config.publicUrl ?? `http://${host}:${port}`;
  let ended: Promise<void> | undefined;
  return { url: `http://${host}:${port}`, port, admin: admin(pool, ports), close: () => (ended ??= end()) };
}
