import type { Base } from "../base/module.ts";
import type { AreaModule } from "../http/area-module.ts";
import type { NotifyOwnChange } from "../http/own-change.ts";
import type { PersonalDataEraser } from "../base/db/tables.ts";
import { SESSION_RULES, type SessionRules } from "../http/session-rules.ts";
import { businessHoursRoutes } from "./business-hours/routes.ts";
import { businessHoursStore } from "./business-hours/store.ts";
import type { NotifyPropertyChange } from "./conversations/change.ts";
import { createConversations } from "./conversations/conversations.ts";
import { createAgentReach } from "./conversations/reach.sql.ts";
import { releaseTasks } from "./conversations/release.ts";
import { conversationNumberStore } from "./conversations/store.ts";
import { createRate, csatRoutes } from "./csat/routes.ts";
import { createDirectory, type ConversationUrl, type DirectorySources } from "./directory/directory.ts";
import { accountRoutes, channelRoutes, fieldRoutes, groupRoutes, roleRoutes } from "./directory/routes.ts";
import { channelStore, fieldStore, groupStore, roleStore } from "./directory/store.ts";
import type { OutboundConfig } from "./outbound/config.ts";
import { createOutbound } from "./outbound/outbound.ts";
import { createRouter } from "./routing/router.ts";
import { threadRoutes } from "./threads/routes.ts";
import { threadStore } from "./threads/store.ts";
import { uploadObjectOwner } from "./uploads/object-owner.ts";
import { createUploads } from "./uploads/uploads.ts";
import { createUsers } from "./users/users.ts";
import { visitorPageEraser } from "./visitor-pages/store.ts";

interface MessagingDeps {
  readonly base: Base;
  /** The agents of accounts, which identity stores. */
  readonly agents: DirectorySources["agents"];
  readonly config: {
    readonly addressSeconds?: number | undefined;
    readonly outbound?: OutboundConfig | undefined;
    readonly sessions?: SessionRules | undefined;
  };
  /** Origin of this service; final once it listens. */
  readonly origin: () => string;
  readonly conversationUrl: ConversationUrl;
  /** The erasers of all areas. Called when a user is deleted. */
  readonly erasers: () => readonly PersonalDataEraser[];
  readonly notifyOwnChange: NotifyOwnChange;
  readonly notifyPropertyChange: NotifyPropertyChange;
}

/** Accounts, users, conversations with their messages, and the objects that they refer to: topics, groups, fields, uploads, templates. */
export const createMessagingModule = async ({
  base,
  agents,
  config,
  origin,
  conversationUrl,
  ...deps
}: MessagingDeps) => {
  const { pool, reads, writes, heavy, ports, jobs, openedObjects, log } = base;
  const { now } = ports;
  const wake = () => base.commits.notify();
  // On a local machine numbers start at 1, and are the same after each reset of a test environment.
  if (!base.isLocal) await conversationNumberStore(pool).chooseRange(ports.random);
  const [channels, fields, groups] = [channelStore(pool), fieldStore(pool), groupStore(pool)];
  const hours = businessHoursStore(pool);
  const directory = createDirectory({ agents, channels, fields, groups, conversationUrl, ports });
  const { addressSeconds } = config;
  const uploads = createUploads({ openedObjects, db: pool, jobs, ports, addressSeconds, origin });
  const outbound = createOutbound({ pool, jobs, ports, config: config.outbound, wake });
  const conversations = createConversations({
    ...{ writes, reads, heavy, directory, ports, wake },
    pendingReplies: outbound.pendingReplies,
    filesOf: uploads.filesOf,
    notifyPropertyChange: deps.notifyPropertyChange,
  });
  const { findId, find, reopen, writer } = conversations;
  const router = createRouter({ db: pool, writer, now, sessionRules: config.sessions ?? SESSION_RULES, log });
  base.commits.subscribe(() => router.wake());
  const reach = createAgentReach({ db: reads, findId });
  const rate = createRate({ db: pool, directory, find, reopen, now });
  const thread = threadStore(reads);
  const { erasers, notifyOwnChange } = deps;
  const users = createUsers({
    writes,
    reads,
    pool,
    heavy,
    directory,
    reach,
    erasers,
    ports,
    wake,
    log,
    notifyOwnChange,
  });
  return {
    directory,
    conversations,
    reach,
    rate,
    thread,
    uploadImage: uploads.uploadImage,
    uploadFile: uploads.uploadFile,
    createUser: users.createUser,
    changeUser: users.changeUser,
    removeUser: users.removeUser,
    /** Renews expired addresses of uploads, with the origin of the request. */
    resignUrls: uploads.resignUrls,
    /** Renews them with the origin of this service, for texts outside of a reply. */
    resignWithOwnOrigin: (text: string, accountId: number) => uploads.resignUrls(text, accountId, origin()),
    objectOwner: uploadObjectOwner,
    settings: { channels, fields, groups, hours },
    routes: [
      accountRoutes(),
      users.slice,
      ...conversations.routes,
      fieldRoutes({ fields }),
      channelRoutes({ channels }),
      groupRoutes({ groups }),
      roleRoutes({ roles: roleStore(pool) }),
      csatRoutes({ rate }),
      ...uploads.slices,
      outbound.slice,
      businessHoursRoutes({ hours, directory, now }),
    ],
    consoleRoutes: [threadRoutes({ store: thread, findId })],
    mounts: [outbound.mount],
    tasks: { ...releaseTasks(conversations.release), ...outbound.tasks, ...uploads.tasks },
    erasers: [outbound.eraser, uploads.eraser, visitorPageEraser],
    begin: () => router.begin(),
    async close() {
      await outbound.close();
      await router.close();
      await conversations.close();
      await users.close();
    },
  } satisfies AreaModule & Record<string, unknown>;
};
export type Messaging = Awaited<ReturnType<typeof createMessagingModule>>;
