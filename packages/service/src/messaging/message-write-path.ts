import type { Pool } from "@parley/database";
import type { Log } from "@parley/telemetry";
import type { Directory } from "./directory/directory.ts";
import { type FilesOf, createMessageComposer } from "./conversations/compose-message.ts";
import type { Ports } from "../base/environment/ports.ts";
import type { MessageComposer, PendingReplies } from "./conversations/unsaved-message.ts";
import { createAddMessage, type AddMessage } from "./conversations/add-message.ts";
import {
  createChangeConversation,
  type NotifyPropertyChange,
  type ReopenConversation,
  createReopenConversation,
} from "./conversations/change.ts";
import {
  createCreateConversation,
  createNumberAllocator,
  createConversationWithPreludes,
} from "./conversations/create.ts";
import {
  type FindConversation,
  type FindConversationId,
  createFindConversation,
  createFindConversationId,
} from "./conversations/find.ts";
import { type ReleaseConversations, createReleaseConversations } from "./conversations/release.ts";
import { createTemplatePreludes } from "./conversations/template-preludes.ts";
import { conversationRoutes } from "./conversations/routes.ts";
import { conversationStore, NUMBER_BLOCK_SIZE, conversationNumberStore } from "./conversations/store.ts";
import { createConversationWriter } from "./conversations/conversation-writer.ts";
import type { ResourceRoutes } from "../http/route-handlers.ts";
import { messageRoutes } from "./conversations/message-routes.ts";
import { messageStore } from "./conversations/messages.sql.ts";
import { SESSION_RULES, type SessionRules } from "../http/session-rules.ts";
import { createRouter, type Router } from "./routing/router.ts";

/** Dependencies of conversations and messages, supplied by the composition root. */
interface MessageWritePathDeps {
  /** For batched writes only, because a read would wait behind a commit. One connection. */
  readonly writes: Pool;
  /** For batched reads. */
  readonly reads: Pool;
  /** For pages far from the newest message. */
  readonly heavy: Pool;
  /** For the search of conversations that wait for an agent. */
  readonly pool: Pool;
  readonly directory: Directory;
  readonly pendingReplies: PendingReplies;
  /** Looks up uploaded files for message parts. */
  readonly filesOf: FilesOf;
  readonly ports: Ports;
  /** Notifies the event dispatcher of a commit. */
  readonly wake: () => void;
  readonly notifyPropertyChange: NotifyPropertyChange;
  /** When agents' sessions end; defaults when absent. */
  readonly sessionRules?: SessionRules | undefined;
  readonly log: Log;
}

/** The routes that share the conversation writer, and what other modules use of it. */
export interface MessageWritePath {
  readonly conversations: ResourceRoutes;
  readonly messages: ResourceRoutes;
  /** Operations on conversations for other modules. */
  readonly find: FindConversation;
  readonly change: ReturnType<typeof createChangeConversation>;
  readonly reopen: ReopenConversation;
  readonly release: ReleaseConversations;
  readonly create: ReturnType<typeof createCreateConversation>;
  readonly add: AddMessage;
  readonly composer: MessageComposer;
  readonly findId: FindConversationId;
  readonly router: Router;
  /** Resolves when all pending writes are committed. */
  close(): Promise<void>;
}

/** Wires conversations and messages to one writer. */
export const createMessageWritePath = ({
  writes,
  reads,
  heavy,
  pool,
  directory,
  pendingReplies,
  filesOf,
  ports,
  wake,
  notifyPropertyChange,
  sessionRules = SESSION_RULES,
  log,
}: MessageWritePathDeps): MessageWritePath => {
  const store = conversationStore(reads);
  const writer = createConversationWriter({ writes, ports, wake });
  const router = createRouter({ db: pool, writer, now: ports.now, sessionRules, log });
  const composer = createMessageComposer(directory, filesOf);
  const preludes = createTemplatePreludes({ pendingReplies, composer, writer });
  const findId = createFindConversationId(store);
  const find = createFindConversation(store, findId);
  const { now, newId } = ports;
  const nextNumber = createNumberAllocator(() => conversationNumberStore(writes).take(), NUMBER_BLOCK_SIZE);
  const create = createCreateConversation({
    directory,
    composer,
    writeConversation: createConversationWithPreludes({ preludes, writer }),
    nextNumber,
    now,
    newId,
  });
  const change = createChangeConversation({ directory, composer, find, writer, notifyPropertyChange, now });
  const add = createAddMessage({ composer, find, preludes, writer, now });
  return {
    conversations: conversationRoutes({ directory, find, create, change }),
    messages: messageRoutes({ store: messageStore(reads, heavy), findId, composer, add }),
    find,
    change,
    reopen: createReopenConversation({ composer, writer, now }),
    release: createReleaseConversations({ store, writer }),
    create,
    add,
    composer,
    findId,
    router,
    async close() {
      await router.close();
      await writer.close();
    },
  };
};
