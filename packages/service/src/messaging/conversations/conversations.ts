import type { Pool } from "@parley/database";
import type { Directory } from "../directory/directory.ts";
import { createMessageComposer, type FilesOf, type MessageComposer } from "./compose-message.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { PendingReplies } from "./unsaved-message.ts";
import { createAddMessage, type AddMessage } from "./add-message.ts";
import {
  createChangeConversation,
  type NotifyPropertyChange,
  type ReopenConversation,
  createReopenConversation,
} from "./change.ts";
import { createCreateConversation, createNumberAllocator, createConversationWithPreludes } from "./create.ts";
import {
  type FindConversation,
  type FindConversationId,
  createFindConversation,
  createFindConversationId,
} from "./find.ts";
import { type ReleaseConversations, createReleaseConversations } from "./release.ts";
import { createTemplatePreludes } from "./template-preludes.ts";
import { conversationRoutes } from "./routes.ts";
import { conversationStore, NUMBER_BLOCK_SIZE, conversationNumberStore } from "./store.ts";
import { type ConversationWriter, createConversationWriter } from "./conversation-writer.ts";
import type { ResourceRoutes } from "../../http/route-handlers.ts";
import { messageRoutes } from "./message-routes.ts";
import { messageStore } from "./messages.sql.ts";

interface ConversationsDeps {
  /** For batched writes only, because a read would wait behind a commit. One connection. */
  readonly writes: Pool;
  /** For batched reads. */
  readonly reads: Pool;
  /** For pages far from the newest message. */
  readonly heavy: Pool;
  readonly directory: Directory;
  readonly pendingReplies: PendingReplies;
  /** Looks up uploaded files for message parts. */
  readonly filesOf: FilesOf;
  readonly ports: Ports;
  /** Notifies the event dispatcher of a commit. */
  readonly wake: () => void;
  readonly notifyPropertyChange: NotifyPropertyChange;
}

/** Operations on conversations and their messages, which share one writer. */
export interface Conversations {
  readonly routes: readonly ResourceRoutes[];
  readonly find: FindConversation;
  readonly change: ReturnType<typeof createChangeConversation>;
  readonly reopen: ReopenConversation;
  readonly release: ReleaseConversations;
  readonly create: ReturnType<typeof createCreateConversation>;
  readonly add: AddMessage;
  readonly composer: MessageComposer;
  readonly findId: FindConversationId;
  /** Writes changes of conversations in batches, each with its event and its idempotency record. */
  readonly writer: ConversationWriter;
  /** Resolves when all pending writes are committed. */
  close(): Promise<void>;
}

/** Wires conversations and messages to one writer. */
export const createConversations = ({
  writes,
  reads,
  heavy,
  directory,
  pendingReplies,
  filesOf,
  ports,
  wake,
  notifyPropertyChange,
}: ConversationsDeps): Conversations => {
  const store = conversationStore(reads);
  const writer = createConversationWriter({ writes, ports, wake });
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
    routes: [
      conversationRoutes({ directory, find, create, change }),
      messageRoutes({ store: messageStore(reads, heavy), findId, composer, add }),
    ],
    find,
    change,
    reopen: createReopenConversation({ composer, writer, now }),
    release: createReleaseConversations({ store, writer }),
    create,
    add,
    composer,
    findId,
    writer,
    close: () => writer.close(),
  };
};
