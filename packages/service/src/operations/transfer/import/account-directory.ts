import { hash } from "node:crypto";
import { isUuid } from "../../../http/uuid.ts";
import { ACCOUNT_CLOSED, refuse, type AccountDocument, type Role } from "@parley/contract";
import type { Pool } from "@parley/database";
import { accountOfRow, accountStore } from "../../../messaging/accounts/store.ts";
import { agentStore } from "../../../identity/agents/store.ts";
import type { DirectoryAgent } from "../../../messaging/directory/directory.ts";
import type { CallerAccount } from "../../../http/route-handlers.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { readState } from "../../administration/document/account-lists.sql.ts";
import { planAccount } from "../../administration/document/plan.ts";
import { BUILT_IN_ROLES } from "../../administration/document/sections/agents-and-groups.ts";
import { initialSettings } from "../../administration/document/settings.ts";
import {
  NO_LISTS,
  type AccountLists,
  type OrgGroup,
  type AgentStatusSetting,
  type ChannelTopic,
} from "../../administration/document/sections/state.ts";

/** Namespace of the derived ids. It is fixed: the same foreign id gives the same UUID on every machine and in every run. */
const NAMESPACE = Buffer.from("0d7b7a7e6a534c539b1e2f5f1a3c9d84", "hex");

type IdKind = "agent" | "user" | "conversation" | "message" | "channel" | "group";

/** Kinds whose ids occur in many records and are cached. The id of a message occurs once. */
const CACHED_KINDS = ["agent", "user", "conversation", "channel", "group"] as const satisfies IdKind[];
/** Cached ids per kind. References to the same id are usually close together in the file. */
const CACHED_IDS_MAX = 20_000;

const VARIANTS = "89ab";

/** The UUID of version 5 of a text. The packages for this take four times as long, which would be most of the time of an import. */
const uuidV5Of = (text: string): string => {
  const name = Buffer.allocUnsafe(NAMESPACE.length + Buffer.byteLength(text));
  NAMESPACE.copy(name);
  name.write(text, NAMESPACE.length);
  const digits = hash("sha1", name, "hex");
  const variant = VARIANTS[parseInt(digits.charAt(16), 16) & 3] ?? "";
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-5${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
};

/**
 * Maps the ids in records of one account to the ids in the tables.
 * @assumed An id that is not a UUID is replaced by a UUID derived (version 5) from the account, the kind and the id. For a user it
 * also becomes the reference_id, unless the record contains a reference_id.
 */
const createIdResolver = (account: string) => {
  const caches = new Map<IdKind, Map<string, string>>(CACHED_KINDS.map((kind) => [kind, new Map()]));
  return (kind: IdKind, text: string): string => {
    if (isUuid(text)) return text.toLowerCase();
    const cache = caches.get(kind);
    const found = cache?.get(text);
    if (found !== undefined) return found;
    const id = uuidV5Of(`${account}/${kind}/${text}`);
    if (cache && cache.size >= CACHED_IDS_MAX) cache.clear();
    cache?.set(text, id);
    return id;
  };
};
type IdOf = ReturnType<typeof createIdResolver>;

/** The parts of an account that records may refer to, by id and by name. */
export interface AccountDirectory {
  readonly account: CallerAccount;
  readonly idOf: IdOf;
  readonly groups: readonly OrgGroup[];
  readonly roles: readonly Role[];
  readonly statuses: readonly AgentStatusSetting[];
  readonly agents: ReadonlyMap<string, DirectoryAgent>;
  /** -> the id that the text denotes, whether such a channel exists or not */
  readonly channelId: (text: string) => string;
  readonly groupId: (text: string) => string;
  readonly agentId: (text: string) => string;
  readonly hasChannel: (id: string) => boolean;
  readonly hasGroup: (id: string) => boolean;
}

type DirectoryLists = Pick<AccountLists, "channels" | "groups" | "roles" | "statuses">;

const namesOf = (topic: ChannelTopic): string[] => Object.values(topic.texts).map(({ name }) => name);

const directoryOf = (
  account: CallerAccount,
  lists: DirectoryLists,
  agents: readonly DirectoryAgent[],
): AccountDirectory => {
  const idOf = createIdResolver(account.name);
  const channels = new Map(lists.channels.flatMap((topic) => namesOf(topic).map((name) => [name, topic.id])));
  const groups = new Map(lists.groups.map(({ name, id }) => [name, id]));
  const emails = new Map(agents.map(({ email, id }) => [email.toLowerCase(), id]));
  const channelIds = new Set(lists.channels.map(({ id }) => id));
  const groupIds = new Set(lists.groups.map(({ id }) => id));
  return {
    account,
    idOf,
    groups: lists.groups,
    roles: lists.roles,
    statuses: lists.statuses,
    agents: new Map(agents.map((each) => [each.id, each])),
    channelId: (text) => channels.get(text) ?? idOf("channel", text),
    groupId: (text) => groups.get(text) ?? idOf("group", text),
    agentId: (text) => emails.get(text.toLowerCase()) ?? idOf("agent", text),
    hasChannel: (id) => channelIds.has(id),
    hasGroup: (id) => groupIds.has(id),
  };
};

/** The directory with one more agent, for a dry run. */
export const withImportedAgent = (directory: AccountDirectory, agent: DirectoryAgent): AccountDirectory => {
  const agents = new Map([...directory.agents, [agent.id, agent]]);
  const emails = new Map([...agents.values()].map(({ email, id }) => [email.toLowerCase(), id]));
  return { ...directory, agents, agentId: (text) => emails.get(text.toLowerCase()) ?? directory.idOf("agent", text) };
};

/**
 * Reads the directory of an account. It is read again after the account or an agent has changed. -> undefined: no such account
 * @errors ACCOUNT_CLOSED
 */
export const readAccountDirectory = async (pool: Pool, name: string): Promise<AccountDirectory | undefined> => {
  const row = await accountStore(pool).byName(name);
  if (!row) return undefined;
  if (row.closed_time) refuse(ACCOUNT_CLOSED);
  const [{ lists }, agents] = await Promise.all([readState(pool, row), agentStore(pool).facts(row.id)]);
  return directoryOf(accountOfRow(row), lists, agents);
};

/** The directory as it will be once the document is applied. @errors INVALID_VALUE that names the place in the document, ACCOUNT_CLOSED */
export const plannedDirectory = async (
  pool: Pool,
  document: AccountDocument,
  { newId, now, domain }: Pick<Ports, "newId" | "now"> & { readonly domain: string },
): Promise<AccountDirectory> => {
  const { name } = document;
  const row = await accountStore(pool).byName(name);
  if (row?.closed_time) refuse(ACCOUNT_CLOSED);
  const state = row
    ? await readState(pool, row)
    : { ...initialSettings({ id: 0, name, domain, app_id: newId() }), lists: { ...NO_LISTS, roles: BUILT_IN_ROLES } };
  const plan = planAccount(state, document, { isNew: !row, prune: false, newId, now: now() });
  const { channels, groups, roles, statuses } = plan.lists;
  const { configuration, primary_locale, calls_per_hour } = plan.settings;
  const { plan_type } = configuration;
  const account = { id: row?.id ?? 0, name, configuration, plan_type, primary_locale, calls_per_hour };
  const lists = { channels: channels.after, groups: groups.after, roles: roles.after, statuses: statuses.after };
  return directoryOf(account, lists, row ? await agentStore(pool).facts(row.id) : []);
};
