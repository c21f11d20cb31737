import Type, { type Static } from "typebox";
import { Agent } from "../api/agents.ts";
import { Conversation } from "../api/conversations.ts";
import { Message } from "../api/messages.ts";
import { StatusBody, Pairs, ShortText, Time } from "../api/values.ts";
import { NewCsat } from "../api/csat.ts";
import { NewUser } from "../api/users.ts";
import { UNSUPPORTED_MEDIA_TYPE } from "../api/problems.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { IMPORT_APP_RECORDS } from "./app-records.ts";
import { AccountDocument } from "../account-document/account-document.ts";
import { ACCOUNT_PATTERNS } from "../account-document/account-limits.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";

const Id = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "A UUID is kept; any other text is mapped to a UUID, always the same one for the account.",
});
const Name = Type.String({ minLength: 1, maxLength: 255, description: "An id, or a name." });
const OrNone = Type.Optional(Type.String({ maxLength: 255, description: "An id, or a name; empty for no object." }));
const Uuid = Type.String({ pattern: ACCOUNT_PATTERNS.uuid });
const InteractionId = Type.Optional(
  Type.String({ pattern: "^[0-9]{1,15}-[0-9]{1,15}$", description: "A number, a hyphen, and epoch milliseconds." }),
);
const STRICT = { additionalProperties: false } as const;

/** An account document; the records that follow belong to this account. */
export const ImportedAccount = Type.Object(
  { type: Type.Literal("account"), ...AccountDocument.properties },
  { title: "ImportedAccount", ...STRICT },
);
export type ImportedAccount = Static<typeof ImportedAccount>;

/** An agent. `groups` and the role can be given by name or by id. */
export const ImportedAgent = Type.Object(
  { type: Type.Literal("agent"), ...Type.Partial(Agent).properties, id: Id, email: ShortText },
  { title: "ImportedAgent", ...STRICT },
);
export type ImportedAgent = Static<typeof ImportedAgent>;

/** A user. A user with a deleted_time is stored without personal data, for the conversations that refer to it. */
export const ImportedUser = Type.Object(
  {
    type: Type.Literal("user"),
    ...NewUser.properties,
    id: Id,
    created_time: Time,
    updated_time: Type.Optional(Time),
    deleted_time: Type.Optional(Time),
    login_status: Type.Optional(Type.Boolean()),
    org_contact_id: Type.Optional(ShortText),
    restore_id: Type.Optional(ShortText),
  },
  { title: "ImportedUser", ...STRICT },
);
export type ImportedUser = Static<typeof ImportedUser>;

/**
 * A conversation without its messages. URLs and organization-level ids are ignored, since the account has its own. The conversation
 * keeps its number, unless another conversation has the number or this database assigns its own numbers from the same range: then it
 * gets a new number.
 */
export const ImportedConversation = Type.Object(
  {
    type: Type.Literal("conversation"),
    ...Type.Partial(Conversation).properties,
    conversation_id: Id,
    channel_id: Name,
    user_id: Id,
    assigned_agent_id: OrNone,
    assigned_group_id: OrNone,
    conversation_internal_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999_999_999 })),
    interaction_id: InteractionId,
    created_time: Time,
    restricted: Type.Optional(Type.Boolean({ description: "A bot takes no further response from the user." })),
  },
  { title: "ImportedConversation", ...STRICT },
);
export type ImportedConversation = Static<typeof ImportedConversation>;

/** A message of a conversation that precedes it in the file or already exists. `app_id` is ignored, since the account has its own. */
export const ImportedMessage = Type.Object(
  {
    type: Type.Literal("message"),
    ...Type.Partial(Message).properties,
    id: Id,
    conversation_id: Id,
    interaction_id: InteractionId,
    created_time: Time,
    actor_type: Message.properties.actor_type,
    message_source: Type.Optional(ShortText),
  },
  { title: "ImportedMessage", ...STRICT },
);
export type ImportedMessage = Static<typeof ImportedMessage>;

/** A customer's rating of a conversation. */
export const ImportedCsat = Type.Object(
  {
    type: Type.Literal("csat"),
    ...NewCsat.properties,
    conversation_id: Id,
    interaction_id: InteractionId,
    created: Type.Integer({ minimum: 0, maximum: 253_402_300_799_999, description: "Epoch milliseconds." }),
    agent_id: Type.Optional(Name),
  },
  { title: "ImportedCsat", ...STRICT },
);
export type ImportedCsat = Static<typeof ImportedCsat>;

/** Metadata of an uploaded file. The file itself is in the object folder under `object_key`. */
export const ImportedUpload = Type.Object(
  {
    type: Type.Literal("upload"),
    id: Uuid,
    kind: Type.Enum(["image", "file"]),
    created_time: Time,
    object_key: Type.String({ pattern: "^[\\w-][\\w.-]{0,199}(/[\\w-][\\w.-]{0,199})*$", maxLength: 512 }),
    body: Pairs,
  },
  { title: "ImportedUpload", ...STRICT },
);
export type ImportedUpload = Static<typeof ImportedUpload>;

/** The last line of an export: the number of records before it, which makes a truncated export detectable. */
export const ImportedEnd = Type.Object(
  { type: Type.Literal("end"), records: Type.Integer({ minimum: 0 }) },
  { title: "ImportedEnd", ...STRICT },
);
export type ImportedEnd = Static<typeof ImportedEnd>;

/** Records of imports and exports by `type`, one per line. */
export const IMPORT_RECORDS = {
  account: ImportedAccount,
  agent: ImportedAgent,
  upload: ImportedUpload,
  user: ImportedUser,
  conversation: ImportedConversation,
  message: ImportedMessage,
  csat: ImportedCsat,
  ...IMPORT_APP_RECORDS,
  end: ImportedEnd,
} as const;
export type RecordType = keyof typeof IMPORT_RECORDS;
export type ImportedRecord = { [K in RecordType]: Static<(typeof IMPORT_RECORDS)[K]> }[RecordType];

export const ImportedRecord = Type.Union(Object.values(IMPORT_RECORDS));

/** Policies for a record whose id already exists with other content. */
export const EXISTING_RECORD_POLICIES = ["refuse", "keep", "update"] as const;
export type ExistingRecordPolicy = (typeof EXISTING_RECORD_POLICIES)[number];

const counts = {
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer({ description: "Existing records that were not changed." }),
  refused: Type.Integer(),
};

/** Progress of an import: everything up to `line` is committed. */
export const ImportProgress = Type.Object(
  {
    line: Type.Integer(),
    done: Type.Boolean({ description: "true: the import is complete." }),
    ...counts,
    skipped: Type.Optional(
      Type.Integer({
        description:
          "Records of apps that are not published here, or not for the account; absent if there are no such records.",
      }),
    ),
    problem: Type.Optional(
      Type.Object({ ...StatusBody.properties, line: Type.Integer() }, { description: "Why the line was refused." }),
    ),
  },
  { title: "ImportProgress" },
);
export type ImportProgress = Static<typeof ImportProgress>;

/** One JSON value per line. */
export const LINES_TYPE = "application/x-ndjson";

const SPEC = "Resources and their fields";

/** Import and export of all data of an account, one record per line, authenticated by the admin key. */
export const transfer = {
  importRecords: endpoint({
    route: "POST /admin/import",
    summary:
      "Import records with their own ids and times, one per line; the response reports the progress, one line at a time",
    spec: SPEC,
    access: { adminKey: true },
    query: Type.Object({
      account: Type.Optional(Type.String({ description: "Account of records that no account record precedes." })),
      dry_run: Type.Optional(Type.Boolean({ description: "true: check every line without writing." })),
      present: Type.Optional(
        Type.Enum([...EXISTING_RECORD_POLICIES], {
          description: "Policy for a record that exists with other content; refuse when absent.",
        }),
      ),
    }),
    body: ImportedRecord,
    bodyType: LINES_TYPE,
    reply: { code: 200, body: ImportProgress, type: LINES_TYPE },
    problems: [UNSUPPORTED_MEDIA_TYPE],
  }),
  exportRecords: endpoint({
    route: "GET /admin/export",
    summary: "Export all accounts as records, one per line, in the format of POST /admin/import",
    spec: SPEC,
    access: { adminKey: true },
    query: Type.Object({
      account: Type.Optional(Type.String({ description: "Only this account." })),
      since: Type.Optional(
        Type.String({ format: "date-time", description: "Only records created or changed since this time." }),
      ),
    }),
    reply: { code: 200, body: ImportedRecord, type: LINES_TYPE },
    problems: [ACCOUNT_NOT_FOUND],
  }),
};
