import { MESSENGER_LIMITS } from "@parley/contract";
import type { Base } from "../base/module.ts";
import type { Events } from "../events/module.ts";
import type { AreaModule } from "../http/area-module.ts";
import type { RunIdempotently } from "../http/idempotency/idempotency.ts";
import { createWindowLimit } from "../identity/allowance/window-limit.ts";
import { createOriginOf, type HostRules } from "../identity/edge/host.ts";
import type { Identity } from "../identity/module.ts";
import type { Messaging } from "../messaging/module.ts";
import { visitorPageStore } from "../messaging/visitor-pages/store.ts";
import { configurationRoutes, createConfigurationReader } from "./configuration/routes.ts";
import { createTopics } from "./configuration/topics.ts";
import { createConversationReader } from "./conversations/reader.ts";
import { messengerConversationRoutes } from "./conversations/routes.ts";
import { createEmbedding } from "./embedding/embedding.ts";
import { cachedEmbeddingStore, embeddingStore, type EmbeddingStore } from "./embedding/store.ts";
import { messengerLiveRoutes } from "./live/routes.ts";
import { messengerMount, readableByAllSites } from "./mount.ts";
import { framePageMount } from "./pages/frame-page.ts";
import { scriptMount } from "./pages/script.ts";
import { createMessengerShapes } from "./shapes/message.ts";
import { visitorUploadEraser, visitorUploadRoutes } from "./uploads/routes.ts";
import { createIdentify } from "./visitors/identify.ts";
import { createVisitorRemoval } from "./visitors/removal.ts";
import { signedSessionRoutes } from "./visitors/signed-session.ts";
import { visitorRoutes } from "./visitors/routes.ts";
import { visitorEraser } from "./visitors/store.ts";
import { createVisitorThrottle } from "./visitors/throttle.ts";
import { createVisitorUsers } from "./visitors/visitor-users.ts";

/** The built messenger for browsers. */
export interface MessengerFiles {
  /** Folder of the panel. */
  readonly panelFolder: string;
  /** The script that sites embed. */
  readonly scriptFile: string;
}

interface MessengerDeps {
  readonly base: Base;
  readonly messaging: Messaging;
  readonly identity: Identity;
  readonly events: Events;
  readonly config: { readonly publicUrl?: string | undefined };
  readonly hosts: HostRules;
  readonly runIdempotently: RunIdempotently;
  /** Median time to the first response of an account; undefined without enough measurements. @units milliseconds */
  readonly typicalResponse: (accountId: number) => Promise<number | undefined>;
  /** Absent: there are endpoints only. */
  readonly messengerFiles?: MessengerFiles | undefined;
}

/** What customers' browsers call: the endpoints of the messenger, its script and its pages. */
export const createMessengerModule = ({ base, messaging, identity, events, config, hosts, ...deps }: MessengerDeps) => {
  const { pool, reads, ports, jobs, openedObjects, log } = base;
  const { now } = ports;
  const { directory, conversations, rate, thread, uploadImage, uploadFile, resignUrls, settings } = messaging;
  const { createUser, changeUser, removeUser } = messaging;
  const accounts = embeddingStore(reads);
  const cachedAccounts = cachedEmbeddingStore(accounts, ports);
  const embeddingOf = (store: EmbeddingStore) =>
    createEmbedding({ store, domain: hosts.domain, isLocal: base.isLocal });
  // Sessions are begun for what the database says now.
  const [embedding, cachedEmbedding] = [embeddingOf(accounts), embeddingOf(cachedAccounts)];
  const topics = createTopics({ channels: settings.channels, ports });
  const throttle = createVisitorThrottle(ports);
  const users = createVisitorUsers({ pool, ports, createUser });
  const sessions = identity.visitors;
  const removal = createVisitorRemoval({ pool, jobs, ports, removeUser, log });
  const shapes = createMessengerShapes({ directory });
  const reader = createConversationReader({ reads, thread, shapes });
  const tables = [
    visitorRoutes({
      ...{ pool, embedding, sessions, users, changeUser, throttle },
      identity: createIdentify({ pool, changeUser, throttle }),
    }),
    signedSessionRoutes({
      ...{ pool, ports, embedding, sessions, users, changeUser, throttle },
      signedTokens: identity.signedTokens,
    }),
    messengerConversationRoutes({
      ...{ reader, conversations, rate, directory, topics, addresses: openedObjects.addresses },
      messageLimit: createWindowLimit({ now, limit: MESSENGER_LIMITS.messages_per_minute }),
    }),
    messengerLiveRoutes({
      ...{ events, shapes, findId: conversations.findId, pages: visitorPageStore(pool), now },
      conversation: (accountId, conversationId) => reader.one(accountId, conversationId, pool),
    }),
    visitorUploadRoutes({ pool, now, uploadImage, uploadFile }),
  ];
  const { typicalResponse } = deps;
  const configuration = createConfigurationReader({
    ...{ embedding: cachedEmbedding, topics, hours: settings.hours, ports, resignUrls, typicalResponse },
  });
  const tablesOfSites = [configurationRoutes(cachedEmbedding, configuration.read)];
  const originOf = createOriginOf(config.publicUrl);
  const mountDeps = {
    ...{ admit: identity.edge.admit, resignUrls, runIdempotently: deps.runIdempotently },
    originOf,
  };
  const { messengerFiles } = deps;
  return {
    mounts: [
      messengerMount(mountDeps, tables),
      readableByAllSites(messengerMount(mountDeps, tablesOfSites)),
      ...(messengerFiles
        ? [
            scriptMount(messengerFiles.scriptFile),
            framePageMount({
              ...{ folder: messengerFiles.panelFolder, embedding: cachedEmbedding, originOf },
              readConfiguration: configuration.read,
            }),
          ]
        : []),
    ],
    tasks: removal.tasks,
    erasers: [visitorEraser, visitorUploadEraser],
    begin: () => removal.begin(),
    /** The next pages of an account are served by what the database says. Other processes cache it for a second. */
    forget(accountId: number) {
      cachedAccounts.forget();
      topics.forget(accountId);
      configuration.forget(accountId);
    },
  } satisfies AreaModule & Record<string, unknown>;
};
