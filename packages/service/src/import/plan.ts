import {
  CONFLICT,
  CONVERSATION_NOT_FOUND,
  INVALID_ACTOR,
  isRefusal,
  refuse,
  USER_NOT_FOUND,
  type Present,
  type User,
} from "@parley/contract";
import type { Ports } from "../environment/ports.ts";
import { userJson } from "../users/user.ts";
import type { ImportLineProblem } from "./batch.ts";
import type { ChangedUserRow, NewCsatRow, NewUploadRow } from "./change.sql.ts";
import type { ImportedConversationRow, ImportedMessageRow, ImportedUserRow } from "./insert.sql.ts";
import type { ExistingConversation } from "./lookup.sql.ts";
import {
  conversationRow,
  messageRow,
  userRow,
  type GivenConversation,
  differsFromStored,
  recordTime,
} from "./record-fields.ts";
import type { ExistingRows, PreparedBatch } from "./prepare-batch.ts";
import type { AccountDirectory } from "./account-directory.ts";

interface Judging {
  readonly roll: AccountDirectory;
  readonly present: Present;
  readonly ports: Ports;
  /** Numbers for new conversations, at least one for each conversation of the batch. */
  readonly numbers: readonly number[];
}

/** The writes of a batch. */
export interface ImportPlan {
  readonly users: ImportedUserRow[];
  readonly changedUsers: ChangedUserRow[];
  readonly conversations: ImportedConversationRow[];
  readonly changedConversations: GivenConversation[];
  readonly messages: ImportedMessageRow[];
  readonly changedMessages: ImportedMessageRow[];
  /** The time of the last message of each conversation whose updated_time is earlier. */
  readonly touched: Map<string, string>;
  readonly csats: NewCsatRow[];
  readonly uploads: NewUploadRow[];
  unchanged: number;
  /** In line order. */
  readonly problems: ImportLineProblem[];
}

/** A row contains a Date, a record a text. */
const textOf = (time: Date | string): string => (typeof time === "string" ? time : time.toISOString());

const elsewhere = (what: string): never =>
  refuse(CONFLICT, `The id is that of a ${what} of another account. Give it another one`);

const differs = (what: string, member: string): never =>
  refuse(
    CONFLICT,
    `${member} differs from that of the ${what} that is there with this id. Import with present=keep to leave it is, with present=update to change it`,
  );

/** Computes the writes of a batch from the existing rows, without writing them. */
export const planImport = (
  prepared: PreparedBatch,
  found: ExistingRows,
  { roll, present, ports, numbers }: Judging,
): ImportPlan => {
  const judged: ImportPlan = {
    users: [],
    changedUsers: [],
    conversations: [],
    changedConversations: [],
    messages: [],
    changedMessages: [],
    touched: new Map(),
    csats: [],
    uploads: [],
    unchanged: 0,
    problems: [...prepared.problems],
  };
  const accountId = roll.account.id;
  const at = <T>(line: number, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      judged.problems.push({ line, refusal: error });
      return undefined;
    }
  };
  /** Handles a record whose row exists. `change` runs if the row is to be updated. */
  const meet = (what: string, member: string | undefined, change: () => void): void => {
    if (member === undefined || present === "keep") judged.unchanged += 1;
    else if (present === "update") change();
    else differs(what, member);
  };

  for (const { record } of prepared.batch.uploads) {
    const { id, kind, created_time, object_key, body } = record;
    const text = JSON.stringify(body);
    judged.uploads.push({ id: id.toLowerCase(), kind, created_time: recordTime(created_time), object_key, body: text });
  }

  // Users.
  const userLines = new Map<string, number>();
  for (const { line, isDated, given } of prepared.users)
    at(line, () => {
      const { user, deleted_time } = given;
      const there = found.users.get(user.id);
      if (!there) judged.users.push(userRow(given, ports));
      else if (there.account_id !== accountId) elsewhere("user");
      else if (there.is_deleted || deleted_time !== null) {
        if (there.is_deleted !== (deleted_time !== null) && present !== "keep")
          refuse(CONFLICT, "The user was deleted, or is to be: that is done over the API, and can't be undone");
        judged.unchanged += 1;
      } else {
        const stored = JSON.parse(there.body) as User;
        const said = isDated ? user : { ...user, updated_time: undefined };
        meet("user", differsFromStored(said, { ...stored }), () => {
          const next: User = { ...stored, ...user };
          judged.changedUsers.push({ user: next, body: userJson(next) });
        });
      }
      userLines.set(user.id, line);
    });

  // Conversations.
  const free = new Set(found.freeNumbers);
  const isKnown = (id: string) => found.userIds.has(id) || found.users.get(id)?.account_id === accountId;
  const begun = new Map<string, { readonly row: ImportedConversationRow; readonly line: number }>();
  for (const { line, record, given } of prepared.conversations)
    at(line, () => {
      const userLine = userLines.get(given.user_id);
      if (!(userLine === undefined ? isKnown(given.user_id) : userLine < line))
        refuse(USER_NOT_FOUND, "user_id names no user that stands before it in the file, or is there already");
      const there = found.conversations.get(given.id);
      if (!there) {
        const own = record.conversation_internal_id;
        const keepsNumber = own !== undefined && free.delete(own);
        const row = conversationRow(given, keepsNumber ? own : (numbers[judged.conversations.length] ?? 0));
        begun.set(given.id, { row, line });
        judged.conversations.push(row);
        return;
      }
      if (there.account_id !== accountId) elsewhere("conversation");
      const said = { ...given, updated_time: undefined, properties: given.properties };
      const stored = {
        ...there,
        created_time: there.created_time.toISOString(),
        properties: JSON.parse(there.properties) as object,
      };
      // updated_time of the row may be later: messages may have arrived since the export.
      const isLater = record.updated_time !== undefined && there.updated_time < new Date(given.updated_time);
      const member = differsFromStored(said, stored) ?? (isLater ? "updated_time" : undefined);
      meet("conversation", member, () => {
        if (there.user_id !== given.user_id) differs("conversation", "user_id");
        judged.changedConversations.push(given);
      });
    });
  /** @errors CONVERSATION_NOT_FOUND */
  const conversationOf = (id: string, line: number): ExistingConversation | ImportedConversationRow => {
    const there = found.conversations.get(id);
    if (there && there.account_id === accountId) return there;
    const own = begun.get(id);
    if (own && own.line < line) return own.row;
    return refuse(
      CONVERSATION_NOT_FOUND,
      "conversation_id names no conversation that stands before it in the file, or is there already",
    );
  };

  // Messages.
  for (const place of prepared.messages)
    at(place.line, () => {
      const { line, record, id } = place;
      const conversation = conversationOf(place.conversation_id, line);
      const row = messageRow(roll, place, conversation);
      if (
        record.actor_type === "user" &&
        record.actor_id &&
        roll.idOf("user", record.actor_id) !== conversation.user_id
      )
        refuse(INVALID_ACTOR, "actor_id of a user's message must be the user of its conversation");
      const there = found.messages.get(id);
      if (!there) {
        judged.messages.push(row);
        if (textOf(conversation.updated_time) < row.created_time) {
          const last = judged.touched.get(row.conversation_id);
          if (last === undefined || last < row.created_time) judged.touched.set(row.conversation_id, row.created_time);
        }
        return;
      }
      if (there.conversation_id !== row.conversation_id)
        refuse(CONFLICT, "The id is that of a message of another conversation. Give it another one");
      if (there.body === row.body) return void (judged.unchanged += 1);
      const said = JSON.parse(row.body) as Record<string, unknown>;
      if (record.org_actor_id === undefined) delete said["org_actor_id"];
      meet("message", differsFromStored(said, JSON.parse(there.body) as object as Record<string, unknown>), () =>
        judged.changedMessages.push(row),
      );
    });

  for (const { line, record, conversation_id } of prepared.csats)
    at(line, () => {
      const conversation = conversationOf(conversation_id, line);
      const agent = record.agent_id ? roll.agentId(record.agent_id) : null;
      judged.csats.push({
        conversation_id: conversation.id,
        interaction_id: record.interaction_id ?? conversation.interaction_id,
        created_time: new Date(record.created).toISOString(),
        issue_resolved: record.issue_resolved,
        rating: record.rating,
        additional_feedback: record.additional_feedback,
        reopened: record.reopen_conversation ?? false,
        agent_id: agent,
        agent_internal_id: agent === null ? undefined : roll.agents.get(agent)?.internal_id,
      });
    });
  judged.problems.sort((one, other) => one.line - other.line);
  return judged;
};
