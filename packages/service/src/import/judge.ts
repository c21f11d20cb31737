import {
  CONFLICT,
  CONVERSATION_NOT_FOUND,
  INVALID_ACTOR,
  isRefusal,
  refuse,
  USER_NOT_FOUND,
  type ImportedUser,
  type Present,
  type User,
} from "@parley/contract";
import type { Ports } from "../ports.ts";
import { userText } from "../users/user.ts";
import type { At, Batch, LineProblem } from "./batch.ts";
import type { ChangedUserRow, NewCsatRow, NewUploadRow } from "./db/change.ts";
import type { NewConversationRow, NewMessageRow, NewUserRow } from "./db/insert.ts";
import type { FoundConversation, LookStore } from "./db/look.ts";
import {
  conversationRow,
  givenConversation,
  givenUser,
  messageRow,
  userRow,
  type GivenConversation,
  type GivenUser,
} from "./given.ts";
import type { Roll } from "./roll.ts";
import { differing, timeOf } from "./same.ts";

export interface Judging {
  readonly roll: Roll;
  readonly look: LookStore;
  readonly present: Present;
  readonly ports: Ports;
  /** -> numbers for new conversations */
  readonly numbers: (count: number) => Promise<readonly number[]>;
}

/** What a batch comes to. */
export interface Judged {
  readonly users: NewUserRow[];
  readonly changedUsers: ChangedUserRow[];
  readonly conversations: NewConversationRow[];
  readonly changedConversations: GivenConversation[];
  readonly messages: NewMessageRow[];
  readonly changedMessages: NewMessageRow[];
  /** The last message's time of conversations that were changed earlier. */
  readonly touched: Map<string, string>;
  readonly csats: NewCsatRow[];
  readonly uploads: NewUploadRow[];
  unchanged: number;
  /** In the order of the lines. */
  readonly problems: LineProblem[];
}

const elsewhere = (what: string): never =>
  refuse(CONFLICT, `The id is that of a ${what} of another account. Give it another one`);

const differs = (what: string, member: string): never =>
  refuse(
    CONFLICT,
    `${member} differs from that of the ${what} that is there with this id. Import with present=keep to leave it as it is, with present=update to change it`,
  );

/** Works out what a batch does, with a few looks at what is there; nothing is written. */
export const judge = async (batch: Batch, { roll, look, present, ports, numbers }: Judging): Promise<Judged> => {
  const judged: Judged = {
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
    problems: [],
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
  /** What becomes of a record that is there: `change` where it is to be changed. */
  const meet = (what: string, member: string | undefined, change: () => void): void => {
    if (member === undefined || present === "keep") judged.unchanged += 1;
    else if (present === "update") change();
    else differs(what, member);
  };

  for (const { record } of batch.uploads) {
    const { id, kind, created_time, object_key, body } = record;
    const text = JSON.stringify(body);
    judged.uploads.push({ id: id.toLowerCase(), kind, created_time: timeOf(created_time), object_key, body: text });
  }

  // Users.
  const userLines = new Map<string, number>();
  const givenUsers = batch.users.map((each): { at: At<ImportedUser>; given: GivenUser } => ({
    at: each,
    given: givenUser(roll, each.record),
  }));
  const usersThere = await look.users(givenUsers.map(({ given }) => given.user.id));
  for (const { at: place, given } of givenUsers)
    at(place.line, () => {
      const { user, deleted_time } = given;
      const there = usersThere.get(user.id);
      if (!there) judged.users.push(userRow(given, ports));
      else if (there.account_id !== accountId) elsewhere("user");
      else if (there.is_deleted || deleted_time !== null) {
        if (there.is_deleted !== (deleted_time !== null) && present !== "keep")
          refuse(CONFLICT, "The user was deleted, or is to be: that is done over the API, and can't be undone");
        judged.unchanged += 1;
      } else {
        const stored = JSON.parse(there.body) as User;
        const said = place.record.updated_time === undefined ? { ...user, updated_time: undefined } : user;
        meet("user", differing(said, { ...stored }), () => {
          const next: User = { ...stored, ...user };
          judged.changedUsers.push({ user: next, body: userText(next) });
        });
      }
      userLines.set(user.id, place.line);
    });

  // Conversations.
  const givens = batch.conversations.flatMap((each) => {
    const given = at(each.line, () => givenConversation(roll, each.record));
    return given ? [{ place: each, given }] : [];
  });
  const wanted = [...batch.messages, ...batch.csats].map(({ record }) =>
    roll.idOf("conversation", record.conversation_id),
  );
  const there = await look.conversations([...new Set([...givens.map(({ given }) => given.id), ...wanted])]);
  const unknown = givens.map(({ given }) => given.user_id).filter((id) => !userLines.has(id));
  const known = await look.userIds(accountId, [...new Set(unknown)]);
  const fresh: { readonly given: GivenConversation; readonly line: number }[] = [];
  for (const { place, given } of givens)
    at(place.line, () => {
      const line = userLines.get(given.user_id);
      if (!(line === undefined ? known.has(given.user_id) : line < place.line))
        refuse(USER_NOT_FOUND, "user_id names no user that stands before it in the file, or is there already");
      const found = there.get(given.id);
      if (!found) return void fresh.push({ given, line: place.line });
      if (found.account_id !== accountId) elsewhere("conversation");
      const said = { ...given, updated_time: undefined, properties: given.properties };
      const stored = {
        ...found,
        created_time: found.created_time.toISOString(),
        properties: JSON.parse(found.properties) as object,
      };
      // It goes on with the messages that came since.
      const isLater = place.record.updated_time !== undefined && found.updated_time < new Date(given.updated_time);
      const member = differing(said, stored) ?? (isLater ? "updated_time" : undefined);
      meet("conversation", member, () => {
        if (found.user_id !== given.user_id) differs("conversation", "user_id");
        judged.changedConversations.push(given);
      });
    });
  const drawn = await numbers(fresh.length);
  const begun = new Map<string, { readonly row: NewConversationRow; readonly line: number }>();
  for (const [index, { given, line }] of fresh.entries()) {
    const row = conversationRow(given, drawn[index] ?? 0);
    begun.set(given.id, { row, line });
    judged.conversations.push(row);
  }

  /** @errors CONVERSATION_NOT_FOUND */
  const conversationOf = (text: string, line: number): FoundConversation | NewConversationRow => {
    const id = roll.idOf("conversation", text);
    const found = there.get(id);
    if (found && found.account_id === accountId) return found;
    const own = begun.get(id);
    if (own && own.line < line) return own.row;
    return refuse(
      CONVERSATION_NOT_FOUND,
      "conversation_id names no conversation that stands before it in the file, or is there already",
    );
  };

  // Messages.
  const placed = batch.messages.flatMap(({ line, record }) => {
    const found = at(line, () => {
      const conversation = conversationOf(record.conversation_id, line);
      const row = messageRow(roll, record, conversation);
      if (
        record.actor_type === "user" &&
        record.actor_id &&
        roll.idOf("user", record.actor_id) !== conversation.user_id
      )
        refuse(INVALID_ACTOR, "actor_id of a user's message must be the user of its conversation");
      return { line, record, row, conversation };
    });
    return found ?? [];
  });
  const messagesThere = await look.messages(placed.map(({ row }) => row.id));
  for (const { line, record, row, conversation } of placed)
    at(line, () => {
      const found = messagesThere.get(row.id);
      if (!found) {
        judged.messages.push(row);
        if (timeOf(new Date(conversation.updated_time).toISOString()) < row.created_time) {
          const last = judged.touched.get(row.conversation_id);
          if (last === undefined || last < row.created_time) judged.touched.set(row.conversation_id, row.created_time);
        }
        return;
      }
      if (found.conversation_id !== row.conversation_id)
        refuse(CONFLICT, "The id is that of a message of another conversation. Give it another one");
      if (found.body === row.body) return void (judged.unchanged += 1);
      const said = JSON.parse(row.body) as Record<string, unknown>;
      if (record.org_actor_id === undefined) delete said["org_actor_id"];
      meet("message", differing(said, JSON.parse(found.body) as object as Record<string, unknown>), () =>
        judged.changedMessages.push(row),
      );
    });

  for (const { line, record } of batch.csats)
    at(line, () => {
      const conversation = conversationOf(record.conversation_id, line);
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
