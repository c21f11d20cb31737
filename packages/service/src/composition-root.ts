import type { PageAddressOf } from "@parley/contract";
import { openBase } from "./base/module.ts";
import { createConsoleModule } from "./console/module.ts";
import { createEventsModule } from "./events/module.ts";
import type { AreaModule } from "./http/area-module.ts";
import { createHttpModule } from "./http/module.ts";
import type { HostRules } from "./identity/edge/host.ts";
import { agentStore, createIdentityModule } from "./identity/module.ts";
import { createMessengerModule } from "./messenger/module.ts";
import { createMessagingModule } from "./messaging/module.ts";
import type { ConversationUrl } from "./messaging/directory/directory.ts";
import { isDemoAccount } from "./operations/demo/demo.ts";
import { createOperationsModule } from "./operations/module.ts";

type OptionsOf<Create extends (deps: never) => unknown, Made extends string = never> = Omit<
  Parameters<Create>[0],
  "base" | "messaging" | "identity" | "events" | "agents" | "config" | Made
>;

interface ServiceDeps
  extends
    Omit<Parameters<typeof openBase>[0], "config">,
    OptionsOf<typeof createIdentityModule>,
    OptionsOf<typeof createEventsModule>,
    OptionsOf<typeof createConsoleModule, "isDemoAccount">,
    OptionsOf<typeof createMessengerModule, "hosts" | "runIdempotently" | "typicalResponse">,
    OptionsOf<typeof createOperationsModule, "domain" | "objectOwners" | "forgetAccount"> {
  readonly config: Parameters<typeof createOperationsModule>[0]["config"];
  readonly hosts: HostRules;
  readonly pageAddressOf: PageAddressOf;
  readonly conversationUrl: ConversationUrl;
  /** How long a request waits for another request with the same key; the default when absent. @units milliseconds */
  readonly keyWaitMs?: number | undefined;
}

/** Creates the areas of the service, each from the areas below it, and joins their parts. */
export const composeService = async (deps: ServiceDeps) => {
  const base = await openBase(deps);
  const agents = agentStore(base.pool);
  const http = createHttpModule(base, deps);
  const messaging = await createMessagingModule({
    ...{ ...deps, base, agents },
    erasers: () => [messaging, http, identity, console, events, messenger].flatMap(({ erasers }) => erasers),
    // The streams of the events area carry these notices.
    notifyOwnChange: (...notice) => events.notifyOwnChange(...notice),
    notifyPropertyChange: (...notice) => events.notifyPropertyChange(...notice),
  });
  const identity = createIdentityModule({ ...deps, base, messaging, agents });
  const events = await createEventsModule({ ...deps, base, messaging, identity });
  const console = createConsoleModule({ ...deps, base, messaging, identity, events, agents, isDemoAccount });
  const messenger = createMessengerModule({
    ...deps,
    ...{ base, messaging, identity, events },
    runIdempotently: http.runIdempotently,
    typicalResponse: console.typicalResponse,
  });
  const objectOwners = [messaging.objectOwner, console.objectOwner];
  const operations = createOperationsModule({
    ...{ ...deps, base, messaging, identity, events, objectOwners },
    domain: deps.hosts.domain,
    forgetAccount(accountId) {
      messaging.directory.forget(accountId);
      messenger.forget(accountId);
    },
  });
  const areas: readonly AreaModule[] = [http, messaging, identity, events, console, messenger, operations];

  return {
    admin: operations.admin,
    /** Routes and pages of the HTTP server. */
    served: {
      ...identity.edge,
      slices: areas.flatMap(({ routes = [] }) => routes),
      mounts: areas.flatMap(({ mounts = [] }) => mounts),
      objects: base.openedObjects,
      resignUrls: messaging.resignUrls,
      runIdempotently: http.runIdempotently,
      health: base.health,
      metrics: base.metrics,
    },
    /** Starts the background work. Call it once the service listens. */
    begin() {
      for (const area of areas) area.begin?.();
      base.jobs.begin(Object.fromEntries(areas.flatMap(({ tasks = {} }) => Object.entries(tasks))));
    },
    /** Ends the streams, identity and operations first, then the jobs that use the other areas, then those areas from the highest to the lowest. */
    async close(graceMs?: number) {
      await Promise.all([events.endStreams(), identity.close(), operations.close()]);
      await base.jobs.close();
      await console.close();
      await messaging.close();
      await Promise.all([events.close(graceMs), identity.returnCalls()]);
      await base.close();
    },
  };
};
