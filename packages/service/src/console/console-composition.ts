import type { Pool } from "@parley/database";
import type { RecordAudit } from "../identity/audit/record.sql.ts";
import type { NotifyOwnChange } from "../http/own-change.ts";
import type { PlatformRequestsDeps } from "./platform/platform-requests.ts";
import { platformRoutes } from "./platform/routes.ts";
import type { AgentReach } from "../messaging/conversations/reach.sql.ts";
import { customerRoutes } from "./customers/routes.ts";
import { customerStore } from "./customers/store.ts";
import type { PersonalDataEraser } from "../base/db/tables.ts";
import type { Directory } from "../messaging/directory/directory.ts";
import { draftRoutes } from "./drafts/routes.ts";
import { draftEraser, draftStore } from "./drafts/store.ts";
import type { Ports } from "../base/environment/ports.ts";
import type { ResourceRoutes } from "../http/route-handlers.ts";
import type { MessageWritePath } from "../messaging/message-write-path.ts";
import { createFetchPicture } from "./pictures/fetch-picture.ts";
import { pictureRoutes } from "./pictures/routes.ts";
import { pictureStore } from "./pictures/store.ts";
import { replyTemplateRoutes } from "./reply-templates/routes.ts";
import { replyTemplateStore } from "./reply-templates/store.ts";
import { savedViewRoutes } from "./saved-views/routes.ts";
import { savedViewStore } from "./saved-views/store.ts";
import { threadRoutes } from "../messaging/threads/routes.ts";
import { threadStore } from "../messaging/threads/store.ts";
import { testCustomerRoutes } from "./test-customer/routes.ts";
import { testCustomerStore } from "./test-customer/store.ts";
import type { CreateUser } from "../messaging/users/create.ts";

/** What the endpoints of the console need, supplied by the composition root. */
export interface ConsoleDeps extends PlatformRequestsDeps {
  readonly pool: Pool;
  /** For statements that find rows by key. */
  readonly reads: Pool;
  /** For lists that are counted and sorted for each request. */
  readonly heavy: Pool;
  readonly ports: Ports;
  readonly directory: Directory;
  readonly reach: AgentReach;
  readonly writePath: MessageWritePath;
  readonly createUser: CreateUser;
  readonly recordAudit: RecordAudit;
  /** Renews expired addresses of uploads in replies that are streamed; in others the mount does. */
  readonly resignUrls: (text: string, accountId: number) => string;
  readonly notifyOwnChange: NotifyOwnChange;
  /** Overrides of hosts that pictures are loaded from, for tests. None when absent. */
  readonly pictureHosts?: Parameters<typeof createFetchPicture>[0];
}

/** What erases the data of a deleted user in tables of the console. */
export const consoleErasers: readonly PersonalDataEraser[] = [draftEraser];

/** Creates the handlers of the console's tables. */
export const composeConsole = (
  deps: ConsoleDeps,
): { readonly tables: readonly ResourceRoutes[]; readonly close: () => Promise<void> } => {
  const { pool, reads, heavy, ports, directory, reach, writePath, notifyOwnChange } = deps;
  const { findId, composer, create: createConversation, add: addMessage } = writePath;
  const { fetchPicture, close } = createFetchPicture(deps.pictureHosts);
  const tables = [
    platformRoutes(deps),
    threadRoutes({ store: threadStore(reads), findId }),
    customerRoutes({ ...deps, store: customerStore({ db: pool, heavy }) }),
    draftRoutes({ store: draftStore(pool), findId, reach, ports, notifyOwnChange }),
    savedViewRoutes({ store: savedViewStore(pool), ports, notifyOwnChange }),
    replyTemplateRoutes({ store: replyTemplateStore(pool), ports, notifyOwnChange }),
    testCustomerRoutes({
      store: testCustomerStore({ pool, reads }),
      directory,
      createUser: deps.createUser,
      createConversation,
      composer,
      addMessage,
    }),
    pictureRoutes({ store: pictureStore(reads), findId, fetchPicture }),
  ];
  return { tables, close };
};
