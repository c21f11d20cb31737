import {
  CONFLICT,
  CONVERSATION_NOT_FOUND,
  INVALID_ACTOR,
  isRefusal,
  refuse,
  USER_NOT_FOUND,
  type ExistingRecordPolicy,
  type User,
} from "@parley/contract";
import { checkProfileFields } from "../../../messaging/accounts/profile-fields.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { userJson } from "../../../messaging/users/user.ts";
import type { ImportLineProblem } from "./batch.ts";
import type { NewCsatRow } from "../../../messaging/csat/store.ts";
import type { NewUploadRow } from "../../../messaging/uploads/store.ts";
import type { ChangedUserRow } from "../../../messaging/users/import.sql.ts";
import type { ImportedConversationRow, ImportedMessageRow } from "../../../messaging/conversations/import.sql.ts";
import type { ImportedUserRow } from "../../../messaging/users/import.sql.ts";
import type { ExistingConversation } from "./lookup.sql.ts";
import {
  conversationRow,
  messageRow,
  userRow,
  type ConversationOfRecord,
  firstDifference,
  recordTime,
} from "./record-fields.ts";
import type { ExistingRows, PreparedBatch } from "./prepare-batch.ts";
import type { AccountDirectory } from "./account-directory.ts";

interface PlanContext {
  readonly directory: AccountDirectory;
  readonly present: ExistingRecordPolicy;
  readonly ports: Ports;
  /** Numbers for new conversations, at least one for each conversation of the batch. */
  readonly numbers: readonly number[];
}

/** The writes of a batch. */
export interface ImportPlan {
  readonly users: ImportedUserRow[];
  readonly changedUsers: ChangedUserRow[];
  readonly conversations: ImportedConversationRow[];
  readonly changedConversations: ConversationOfRecord[];
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
const isoTimeOf = (time: Date | string): string => (typeof time === "string" ? time : time.toISOString());

const refuseForeignId = (what: string): never =>
  refuse(CONFLICT, `The id is that of a ${what} of another account. Give the ${what} another id`);

const refuseDifference = (what: string, member: string): never =>
  refuse(
    CONFLICT,
    `${member} differs from that of the ${what} that is there with this id. Import with present=keep to leave it is, with present=update to change it`,
  );

/** Computes the writes of a batch from the existing rows, without writing them. */
export const planImport = (
  prepared: PreparedBatch,
  found: ExistingRows,
  { directory, present, ports, numbers }: PlanContext,
): ImportPlan => {
  const plan: ImportPlan = {
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
  const accountId = directory.account.id;
  const at = <T>(line: number, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      plan.problems.push({ line, refusal: error });
      return undefined;
    }
  };
  /** Handles a record whose row exists. `change` runs if the row must be updated. */
  const mergeExisting = (what: string, member: string | undefined, change: () => void): void => {
    if (member === undefined || present === "keep") plan.unchanged += 1;
    else if (present === "update") change();
    else refuseDifference(what, member);
  };

  for (const { record } of prepared.batch.uploads) {
    const { id, kind, created_time, object_key, body } = record;
    const text = JSON.stringify(body);
    plan.uploads.push({ id: id.toLowerCase(), kind, created_time: recordTime(created_time), object_key, body: text });
  }

  // Users.
  const userLines = new Map<string, number>();
  for (const { line, isDated, converted } of prepared.users)
    at(line, () => {
      const { user, deleted_time } = converted;
      checkProfileFields({ avatar: user.avatar });
      const existing = found.users.get(user.id);
      if (!existing) plan.users.push(userRow(converted, ports));
      else if (existing.account_id !== accountId) refuseForeignId("user");
      else if (existing.is_deleted || deleted_time !== null) {
        if (existing.is_deleted !== (deleted_time !== null) && present !== "keep")
          refuse(
            CONFLICT,
            "The user was deleted, or will be deleted: the API deletes users, and the deletion can't be undone",
          );
        plan.unchanged += 1;
      } else {
        const stored = JSON.parse(existing.body) as User;
        const incoming = isDated ? user : { ...user, updated_time: undefined };
        mergeExisting("user", firstDifference(incoming, { ...stored }), () => {
          const next: User = { ...stored, ...user };
          plan.changedUsers.push({ user: next, body: userJson(next) });
        });
      }
      userLines.set(user.id, line);
    });

  // Conversations.
  const freeNumbers = new Set(found.freeNumbers);
  const isKnownUser = (id: string) => found.userIds.has(id) || found.users.get(id)?.account_id === accountId;
  const newConversations = new Map<string, { readonly row: ImportedConversationRow; readonly line: number }>();
  for (const { line, record, converted } of prepared.conversations)
    at(line, () => {
      const userLine = userLines.get(converted.user_id);
      if (!(userLine === undefined ? isKnownUser(converted.user_id) : userLine < line))
        refuse(USER_NOT_FOUND, "user_id names no user that stands before it in the file, or is there already");
      const existing = found.conversations.get(converted.id);
      if (!existing) {
        const ownNumber = record.conversation_internal_id;
        const keepsNumber = ownNumber !== undefined && freeNumbers.delete(ownNumber);
        const row = conversationRow(converted, keepsNumber ? ownNumber : (numbers[plan.conversations.length] ?? 0));
        newConversations.set(converted.id, { row, line });
        plan.conversations.push(row);
        return;
      }
      if (existing.account_id !== accountId) refuseForeignId("conversation");
      const incoming = { ...converted, updated_time: undefined, properties: converted.properties };
      const stored = {
        ...existing,
        created_time: existing.created_time.toISOString(),
        properties: JSON.parse(existing.properties) as object,
      };
      // updated_time of the row may be later: messages may have arrived since the export.
      const isLater = record.updated_time !== undefined && existing.updated_time < new Date(converted.updated_time);
      const member = firstDifference(incoming, stored) ?? (isLater ? "updated_time" : undefined);
      mergeExisting("conversation", member, () => {
        if (existing.user_id !== converted.user_id) refuseDifference("conversation", "user_id");
        plan.changedConversations.push(converted);
      });
    });
  /** @errors CONVERSATION_NOT_FOUND */
  const conversationOf = (id: string, line: number): ExistingConversation | ImportedConversationRow => {
    const existing = found.conversations.get(id);
    if (existing && existing.account_id === accountId) return existing;
    const added = newConversations.get(id);
    if (added && added.line < line) return added.row;
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
      const row = messageRow(directory, place, conversation);
      if (
        record.actor_type === "user" &&
        record.actor_id &&
        directory.idOf("user", record.actor_id) !== conversation.user_id
      )
        refuse(INVALID_ACTOR, "actor_id of a user's message must be the user of its conversation");
      const existing = found.messages.get(id);
      if (!existing) {
        plan.messages.push(row);
        if (isoTimeOf(conversation.updated_time) < row.created_time) {
          const last = plan.touched.get(row.conversation_id);
          if (last === undefined || last < row.created_time) plan.touched.set(row.conversation_id, row.created_time);
        }
        return;
      }
      if (existing.conversation_id !== row.conversation_id)
        refuse(CONFLICT, "The id is that of a message of another conversation. Give the message another id");
      if (existing.body === row.body) return void (plan.unchanged += 1);
      const incoming = JSON.parse(row.body) as Record<string, unknown>;
      if (record.org_actor_id === undefined) delete incoming["org_actor_id"];
      mergeExisting(
        "message",
        firstDifference(incoming, JSON.parse(existing.body) as object as Record<string, unknown>),
        () => plan.changedMessages.push(row),
      );
    });

  for (const { line, record, conversation_id } of prepared.csats)
    at(line, () => {
      const conversation = conversationOf(conversation_id, line);
      const agent = record.agent_id ? directory.agentId(record.agent_id) : null;
      plan.csats.push({
        conversation_id: conversation.id,
        interaction_id: record.interaction_id ?? conversation.interaction_id,
        created_time: new Date(record.created).toISOString(),
        issue_resolved: record.issue_resolved,
        rating: record.rating,
        additional_feedback: record.additional_feedback,
        reopened: record.reopen_conversation ?? false,
        agent_id: agent,
        agent_internal_id: agent === null ? undefined : directory.agents.get(agent)?.internal_id,
      });
    });
  plan.problems.sort((one, other) => one.line - other.line);
  return plan;
};
