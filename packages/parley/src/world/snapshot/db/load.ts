import {
  inDependencyOrder,
  literal,
  qualifiedName,
  quoted,
  type CatalogSequence,
  type CatalogTable,
} from "./catalog.ts";
import { savedName } from "./save.ts";

interface Loading {
  readonly snapshot: string;
  /** Those that have rows in the snapshot, or now. */
  readonly tables: readonly CatalogTable[];
  /** Those that have rows in the snapshot. */
  readonly saved: ReadonlySet<CatalogTable>;
  /** Those whose next number differs. */
  readonly sequences: readonly CatalogSequence[];
  /** Hashes of the tokens that the instance itself holds: it can't go on without them. @shape hex */
  readonly tokens: readonly string[];
  /** Whether the queue of background work has made its tables. */
  readonly hasQueue: boolean;
}

const list = (names: readonly string[], before = ""): string => names.map((name) => before + quoted(name)).join(", ");
const same = (key: readonly string[]): string =>
  key.map((name) => `saved.${quoted(name)} = present.${quoted(name)}`).join(" and ");

// The bulk of two tables is equal: each is read once, and only what differs is written.
const SETTINGS = [
  "set local enable_nestloop = off",
  "set local enable_mergejoin = off",
  "set local jit = off",
  "set local statement_timeout = 0",
  "set local lock_timeout = '10s'",
  "set local parley.loading = 'on'",
];

/** What must go: rows that were not there, and those that were other ones, as far as they can be written again. */
const deletionOf = (table: CatalogTable, { snapshot, saved }: Loading): string => {
  if (!saved.has(table) || table.key.length === 0) return `delete from ${qualifiedName(table)}`;
  const alike = table.isNeeded ? "" : " and saved::text = present::text";
  return `delete from ${qualifiedName(table)} present where not exists (
            select from ${savedName(snapshot, table)} saved where ${same(table.key)}${alike})`;
};

/** What must come. A row that others need can't go first: it is changed in its place. */
const insertionOf = (table: CatalogTable, { snapshot }: Loading): string => {
  const { columns, key, isNeeded } = table;
  const from = `insert into ${qualifiedName(table)} (${list(columns)}) overriding system value
                select ${list(columns, "saved.")} from ${savedName(snapshot, table)} saved`;
  if (key.length === 0) return from;
  const alike = isNeeded ? " and saved::text = present::text" : "";
  const missing = `${from} where not exists (select from ${qualifiedName(table)} present where ${same(key)}${alike})`;
  if (!isNeeded) return missing;
  const others = columns.filter((column) => !key.includes(column));
  const changes = others.map((column) => `${quoted(column)} = excluded.${quoted(column)}`).join(", ");
  return `${missing} on conflict (${list(key)}) do ${changes ? `update set ${changes}` : "nothing"}`;
};

// Who hears of events, of which, where and signed with what, is of the instance and not of its data: an app host or a webhook keeps its
// subscription, goes on where the snapshot had come to, and hears of what follows it where the snapshot didn't know it.
const KEEP = [
  "create temporary table kept_subscriptions on commit drop as table parley_service.subscriptions",
  "create temporary table kept_webhook_keys on commit drop as table parley_service.webhook_keys",
  "create temporary table kept_tokens on commit drop as table parley_service.tokens with no data",
];
const keptTokens = (hashes: readonly string[]): string =>
  `insert into kept_tokens
   select * from parley_service.tokens
    where encode(hash, 'hex') in (${["''", ...hashes.map(literal)].join(", ")})`;
const GIVE_BACK = [
  `delete from parley_service.subscriptions present
    where not exists (
      select from kept_subscriptions kept where kept.account_id = present.account_id and kept.name = present.name)`,
  `insert into parley_service.subscriptions (id, account_id, name, kind, url, secret, old_secrets, old_secrets_until,
          actions, off_time, off_reason, start_seq, created_time)
   select kept.id, kept.account_id, kept.name, kept.kind, kept.url, kept.secret, kept.old_secrets, kept.old_secrets_until,
          kept.actions, kept.off_time, kept.off_reason,
          case when is_called then last_value else last_value - 1 end, kept.created_time
     from kept_subscriptions kept join parley_service.accounts on accounts.id = kept.account_id,
          parley_service.log_positions
   on conflict (account_id, name) do update
      set url = excluded.url, secret = excluded.secret, old_secrets = excluded.old_secrets,
          old_secrets_until = excluded.old_secrets_until, actions = excluded.actions, off_time = excluded.off_time,
          off_reason = excluded.off_reason`,
  "delete from parley_service.webhook_keys",
  `insert into parley_service.webhook_keys
   select kept.* from kept_webhook_keys kept join parley_service.accounts on accounts.id = kept.account_id`,
  `insert into parley_service.tokens
   select kept.* from kept_tokens kept join parley_service.accounts on accounts.id = kept.account_id
   on conflict do nothing`,
  // Work that was under way when it was saved is not: it begins anew.
  "update parley_service.due_work set queued = false, holder = null where queued or holder is not null",
];

/** A transaction that puts the saved rows in the place of the present ones, and the sequences back. */
export function loadingOf(loading: Loading): string {
  const tables = inDependencyOrder(loading.tables);
  const guarded = tables.filter(({ hasTriggers }) => hasTriggers);
  // What triggers note stands in a table too, and is put back with it.
  const triggers = (word: string) => guarded.map((table) => `alter table ${qualifiedName(table)} ${word} trigger user`);
  return [
    "begin",
    ...SETTINGS,
    ...KEEP,
    keptTokens(loading.tokens),
    ...triggers("disable"),
    ...tables.toReversed().map((table) => deletionOf(table, loading)),
    ...tables.filter((table) => loading.saved.has(table)).map((table) => insertionOf(table, loading)),
    ...triggers("enable"),
    // Unlike setval it is undone with the transaction.
    ...loading.sequences.map((sequence) => `alter sequence ${qualifiedName(sequence)} restart with ${sequence.next}`),
    ...GIVE_BACK,
    ...(loading.hasQueue ? ["delete from parley_jobs._private_jobs"] : []),
    "commit",
  ].join(";\n");
}
