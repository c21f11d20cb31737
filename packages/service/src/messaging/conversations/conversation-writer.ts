import { groupCommit, type GroupCommit, type Db } from "@parley/database";
import { currentTraceParent, isTracing } from "@parley/telemetry";
import { type IdempotencyRecord, ReplyAlreadyRecorded } from "../../http/idempotency/idempotency-record.ts";
import { insertNewConversations } from "./create.sql.ts";
import type { UnsavedMessage } from "./unsaved-message.ts";
import type { ConversationRow } from "./store.ts";
import type { Changes, ActorType } from "@parley/contract";
import type { ConversationState } from "./transitions.ts";
import { changeConversations } from "./change.sql.ts";
import { appendMessages, type AppendTarget } from "./append.sql.ts";
import {
  createBatchContext,
  type BatchContext,
  type ConversationMessage,
  type ConversationWriterDeps,
} from "./write-batch.ts";

/**
 * Maximum optimistic-concurrency attempts of a message or a change. Each lost race means that another write succeeded,
 * so this bounds unfairness, not a deadlock.
 */
export const WRITE_ATTEMPTS_MAX = 64;

/** A conversation to be created. The writer assigns the times and the revision. `by`: the actor who starts it. */
export interface NewConversationWrite {
  readonly conversation: Omit<ConversationRow, "created_time" | "updated_time" | "revision">;
  readonly by: Pick<UnsavedMessage, "actor_type" | "actor_id">;
  readonly messages: readonly UnsavedMessage[];
  /** The span that writes it. Default: the present one. */
  readonly trace_parent?: string | undefined;
  /** The reply to be recorded. */
  readonly answer?:
    | { readonly claim: IdempotencyRecord; readonly textOf: (written: WrittenConversation) => string }
    | undefined;
}

/** -> undefined if the user does not exist; nothing was written. */
const conversationCreations = ({
  db,
  newId,
  nextTime,
  toRow,
  wake,
}: BatchContext): GroupCommit<NewConversationWrite, WrittenConversation | undefined> =>
  groupCommit({
    name: "new conversations",
    async run(items) {
      const time = nextTime();
      const planned = items.map(({ conversation, by: { actor_type, actor_id }, messages, answer, trace_parent }) => {
        const { interaction_id } = conversation;
        const rows = messages.map((draft) => toRow(conversation, { draft, interaction_id, trace_parent }, time));
        const message_id = rows.at(-1)?.id ?? null;
        const written: WrittenConversation = {
          conversation: { ...conversation, created_time: time.date, updated_time: time.date, revision: 1 },
          texts: rows.map(({ text }) => text),
        };
        const recordedReply = { claim: answer?.claim, answer: answer?.textOf(written) ?? null };
        const row = {
          ...conversation,
          ...recordedReply,
          event_id: newId(),
          trace_parent,
          actor_type,
          actor_id,
          message_id,
        };
        return { rows, written, row };
      });
      const created = await insertNewConversations(
        db,
        time.text,
        planned.map(({ row }) => row),
        planned.flatMap(({ rows }) => rows),
      );
      wake();
      return planned.map(({ written }) => (created.has(written.conversation.id) ? written : undefined));
    },
  });

const EVENT_FIELDS = ["status", "assigned_agent_id", "assigned_group_id"] as const;

/** JSON text of the event's changes between two states; null if no reported field differs. */
export const modelChangesJson = (before: ConversationState, after: ConversationState): string | null => {
  const changed = EVENT_FIELDS.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return null;
  const model_changes: Changes["model_changes"] = Object.fromEntries(
    changed.map((name) => [name, [before[name], after[name]] as const]),
  );
  return JSON.stringify({ model_changes } satisfies Changes);
};

/** The next state of a conversation and the messages written with it. */
export interface ConversationWrite {
  readonly conversation: ConversationRow;
  readonly next: ConversationState;
  readonly interaction_id: string;
  readonly properties: string;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
  readonly messages: readonly ConversationMessage[];
  /** Its reply is the last of the messages. */
  readonly claim?: IdempotencyRecord | undefined;
  /** The span that writes it. Default: the present one. */
  readonly trace_parent?: string | undefined;
}

/** -> in order: undefined for each conversation that was changed meanwhile; nothing was written for it. */
const writeChanges = async (
  { newId, nextTime, toRow }: BatchContext,
  db: Db,
  changes: readonly ConversationWrite[],
): Promise<(WrittenConversation | undefined)[]> => {
  const time = nextTime();
  const present = currentTraceParent();
  const planned = changes.map(({ conversation, next, interaction_id, properties, messages, claim, ...more }) => ({
    rows: messages.map((message, index) => ({
      ...toRow(conversation, { ...message, trace_parent: more.trace_parent ?? present }, time),
      claim: index === messages.length - 1 ? claim : undefined,
    })),
    after: { ...conversation, ...next, interaction_id, properties, revision: conversation.revision + 1 },
    row: {
      id: conversation.id,
      revision: conversation.revision,
      next,
      interaction_id,
      properties,
      changes: modelChangesJson(conversation, next),
      event_id: newId(),
      trace_parent: more.trace_parent ?? present,
      actor_type: more.actor_type,
      actor_id: more.actor_id,
      byUser: more.actor_type === "user",
    },
  }));
  const written = await changeConversations(
    db,
    time.text,
    planned.map(({ row }) => row),
    planned.flatMap(({ rows }) => rows),
  );
  return planned.map(({ rows, after }) => {
    const updated_time = written.get(after.id);
    return updated_time && { conversation: { ...after, updated_time }, texts: rows.map(({ text }) => text) };
  });
};

/** -> undefined if the conversation was changed meanwhile; nothing was written. */
const conversationChanges = (context: BatchContext): GroupCommit<ConversationWrite, WrittenConversation | undefined> =>
  groupCommit({
    name: "changes of conversations",
    // Two changes of one conversation are based on the same revision: in one statement only the first could succeed.
    keyOf: ({ conversation }) => conversation.id,
    async run(changes) {
      const written = await writeChanges(context, context.db, changes);
      context.wake();
      return written;
    },
  });

/** Chooses changes, writes them and additional rows, all in one transaction. */
const changeInTransaction =
  (context: BatchContext) =>
  async <T>(
    choose: (tx: Db) => Promise<readonly ConversationWrite[]>,
    more: (tx: Db, written: readonly (WrittenConversation | undefined)[]) => Promise<T>,
  ): Promise<T | undefined> => {
    const done = await context.db.transaction(async (tx) => {
      const changes = await choose(tx);
      return changes.length > 0 ? { result: await more(tx, await writeChanges(context, tx, changes)) } : undefined;
    });
    if (done) context.wake();
    return done?.result;
  };

/** A message that leaves the conversation's state unchanged. */
interface MessageAppend {
  readonly conversation: ConversationRow;
  readonly draft: UnsavedMessage;
  /** Its reply is the message. */
  readonly claim?: IdempotencyRecord | undefined;
  /** The span that writes it. Default: the present one. */
  readonly trace_parent?: string | undefined;
}

/** The conversations of a batch, each in the newest revision known to any of its messages. */
const targetsOf = (appends: readonly MessageAppend[]): ReadonlyMap<string, AppendTarget> => {
  const targets = new Map<string, AppendTarget>();
  for (const { conversation, draft } of appends) {
    const { id, revision } = conversation;
    const target = targets.get(id);
    const byUser = draft.actor_type === "user" || target?.byUser === true;
    targets.set(id, { id, revision: Math.max(revision, target?.revision ?? 0), byUser });
  }
  return targets;
};

/**
 * -> the message's JSON text; undefined if the conversation was changed meanwhile and nothing was written. @errors
 * ReplyAlreadyRecorded
 */
const messageAppends = ({ db, nextTime, toRow, wake }: BatchContext): GroupCommit<MessageAppend, string | undefined> =>
  groupCommit<MessageAppend, string | undefined>({
    name: "messages",
    async run(appends) {
      const time = nextTime();
      const targets = targetsOf(appends);
      const rows = appends.map(({ conversation, draft, claim, trace_parent }) =>
        targets.get(conversation.id)?.revision === conversation.revision
          ? {
              ...toRow(conversation, { draft, interaction_id: conversation.interaction_id, trace_parent }, time),
              claim,
            }
          : undefined,
      );
      const present = rows.filter((message) => message !== undefined);
      const ids = await appendMessages(db, time.text, [...targets.values()], present);
      wake();
      return rows.map((message) => {
        if (message?.claim && ids.has(message.id)) return new ReplyAlreadyRecorded();
        return message && ids.has(message.conversation_id) ? message.text : undefined;
      });
    },
  });

/** The written row and the JSON texts of the messages. */
export interface WrittenConversation {
  readonly conversation: ConversationRow;
  readonly texts: readonly string[];
}

/** Group commit for conversations: concurrent writes of one kind share one statement and one commit. */
export interface ConversationWriter {
  /** -> the message's JSON text; undefined if the conversation was changed meanwhile and nothing was written. */
  append(append: MessageAppend): Promise<string | undefined>;
  /** -> undefined if the conversation was changed meanwhile; nothing was written. */
  change(change: ConversationWrite): Promise<WrittenConversation | undefined>;
  /**
   * Writes a change together with other rows, which `more` inserts in the same transaction.
   * -> the result of `more`; undefined if the conversation was changed meanwhile and nothing was written.
   */
  changeWith<T>(
    change: ConversationWrite,
    more: (tx: Db, written: WrittenConversation) => Promise<T>,
  ): Promise<T | undefined>;
  /**
   * Chooses changes of different conversations on the connection of all writes of this process, and writes them with other rows, in one
   * transaction. `written` has their order, with undefined for conversations that were changed meanwhile.
   */
  changeChosen(
    choose: (tx: Db) => Promise<readonly ConversationWrite[]>,
    more: (tx: Db, written: readonly (WrittenConversation | undefined)[]) => Promise<void>,
  ): Promise<void>;
  /** -> undefined if the user does not exist; nothing was written. */
  create(conversation: NewConversationWrite): Promise<WrittenConversation | undefined>;
  close(): Promise<void>;
}

/**
 * Adds the present span to a write: writes of several requests are committed together, where no span of theirs is present. Without the SDK of
 * OpenTelemetry there is no span, and the copy would cost 10 % of a message's CPU time.
 */
const createTraced = (): (<T extends object>(write: T) => T & { readonly trace_parent?: string | undefined }) =>
  isTracing() ? (write) => ({ ...write, trace_parent: currentTraceParent() }) : (write) => write;

export const createConversationWriter = (deps: ConversationWriterDeps): ConversationWriter => {
  const context = createBatchContext(deps);
  const kinds = {
    append: messageAppends(context),
    change: conversationChanges(context),
    create: conversationCreations(context),
  };
  const changeTogether = changeInTransaction(context);
  const traced = createTraced();
  return {
    append: (append) => kinds.append.submit(traced(append)),
    change: (change) => kinds.change.submit(traced(change)),
    changeWith: (change, more) =>
      changeTogether(
        () => Promise.resolve([change]),
        async (tx, [written]) => written && more(tx, written),
      ),
    changeChosen: changeTogether,
    create: (conversation) => kinds.create.submit(traced(conversation)),
    close: async () => {
      context.close();
      await Promise.all(Object.values(kinds).map((kind) => kind.close()));
    },
  };
};
