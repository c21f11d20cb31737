import {
  qualifiedName,
  quoted,
  type CatalogTable,
  inDependencyOrder,
  literal,
  type CatalogSequence,
} from "./catalog.ts";

/** Schema that holds the rows of a snapshot. */
export const schemaOf = (snapshot: string): string => `parley_snapshot_${snapshot}`;

/** Name of the table in that schema that holds the rows of another table. */
export const savedTable = ({ schema, name }: CatalogTable): string => `${schema.replace(/^parley_/, "")}_${name}`;

const savedName = (snapshot: string, table: CatalogTable): string =>
  `${quoted(schemaOf(snapshot))}.${quoted(savedTable(table))}`;

/** Statements that copy the rows of tables, replacing the previous content of the snapshot. */
export const savingOf = (snapshot: string, tables: readonly CatalogTable[]): string =>
  [
    `drop schema if exists ${quoted(schemaOf(snapshot))} cascade`,
    `create schema ${quoted(schemaOf(snapshot))}`,
    ...tables.map((table) => `create table ${savedName(snapshot, table)} as table ${qualifiedName(table)}`),
  ].join(";\n");

export const removalOf = (snapshot: string): string => `drop schema if exists ${quoted(schemaOf(snapshot))} cascade`;

export const renamingOf = (snapshot: string, name: string): string =>
  `alter schema ${quoted(schemaOf(snapshot))} rename to ${quoted(schemaOf(name))}`;

/** Statement that counts the saved rows. */
export const countOf = (snapshot: string, tables: readonly CatalogTable[]): string =>
  `select ${tables.map((table) => `(select count(*) from ${savedName(snapshot, table)})`).join(" + ") || "0"} as count`;

interface Loading {
  readonly snapshot: string;
  /** Tables that have rows in the snapshot or at present. */
  readonly tables: readonly CatalogTable[];
  /** Tables that have rows in the snapshot. */
  readonly saved: ReadonlySet<CatalogTable>;
  /** Sequences whose next value differs. */
  readonly sequences: readonly CatalogSequence[];
  /** Hashes of the tokens that the instance itself uses and that have to stay valid. @shape hex */
  readonly tokens: readonly string[];
  /** Whether the tables of the background job queue exist. */
  readonly hasQueue: boolean;
}

const list = (names: readonly string[], before = ""): string => names.map((name) => before + quoted(name)).join(", ");
const same = (key: readonly string[]): string =>
  key.map((name) => `saved.${quoted(name)} = present.${quoted(name)}`).join(" and ");

// Most rows are equal: hash joins read each table once, and only the differences are written.
const SETTINGS = [
  "set local enable_nestloop = off",
  "set local enable_mergejoin = off",
  "set local jit = off",
  "set local statement_timeout = 0",
  "set local lock_timeout = '10s'",
  "set local parley.loading = 'on'",
];

/** Deletes rows that the snapshot does not have, and changed rows that can be inserted again. */
const deletionOf = (table: CatalogTable, { snapshot, saved }: Loading): string => {
  if (!saved.has(table) || table.key.length === 0) return `delete from ${qualifiedName(table)}`;
  const isUnchanged = table.isNeeded ? "" : " and saved::text = present::text";
  return `delete from ${qualifiedName(table)} present where not exists (
            select from ${savedName(snapshot, table)} saved where ${same(table.key)}${isUnchanged})`;
};

/** Inserts missing rows. Rows that foreign keys reference can't be deleted first, so they are updated in place. */
const insertionOf = (table: CatalogTable, { snapshot }: Loading): string => {
  const { columns, key, isNeeded } = table;
  const from = `insert into ${qualifiedName(table)} (${list(columns)}) overriding system value
                select ${list(columns, "saved.")} from ${savedName(snapshot, table)} saved`;
  if (key.length === 0) return from;
  const isUnchanged = isNeeded ? " and saved::text = present::text" : "";
  const missing = `${from} where not exists (select from ${qualifiedName(table)} present where ${same(key)}${isUnchanged})`;
  if (!isNeeded) return missing;
  const others = columns.filter((column) => !key.includes(column));
  const changes = others.map((column) => `${quoted(column)} = excluded.${quoted(column)}`).join(", ");
  return `${missing} on conflict (${list(key)}) do ${changes ? `update set ${changes}` : "nothing"}`;
};

// Subscriptions and webhook keys belong to the instance, not to its data. An app host or a webhook keeps its subscription and resumes at the
// position of the snapshot; a subscription that the snapshot does not have starts at the end of the log.
const SAVE_SUBSCRIPTIONS = [
  "create temporary table kept_subscriptions on commit drop as table parley_service.subscriptions",
  "create temporary table kept_webhook_keys on commit drop as table parley_service.webhook_keys",
  "create temporary table kept_tokens on commit drop as table parley_service.tokens with no data",
];
const insertKeptTokens = (hashes: readonly string[]): string =>
  `insert into kept_tokens
   select * from parley_service.tokens
    where encode(hash, 'hex') in (${["''", ...hashes.map(literal)].join(", ")})`;
const RESTORE_SUBSCRIPTIONS = [
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
  // Work that was claimed when the snapshot was saved is released.
  "update parley_service.due_work set queued = false, holder = null where queued or holder is not null",
];

/** Script of the transaction that replaces the present rows by the saved rows and restores the sequences. */
export function loadingOf(loading: Loading): string {
  const tables = inDependencyOrder(loading.tables);
  const triggered = tables.filter(({ hasTriggers }) => hasTriggers);
  // Triggers are disabled: the rows that they write are restored as well.
  const triggers = (word: string) =>
    triggered.map((table) => `alter table ${qualifiedName(table)} ${word} trigger user`);
  return [
    "begin",
    ...SETTINGS,
    ...SAVE_SUBSCRIPTIONS,
    insertKeptTokens(loading.tokens),
    ...triggers("disable"),
    ...tables.toReversed().map((table) => deletionOf(table, loading)),
    ...tables.filter((table) => loading.saved.has(table)).map((table) => insertionOf(table, loading)),
    ...triggers("enable"),
    // Unlike setval, RESTART is undone when the transaction is rolled back.
    ...loading.sequences.map((sequence) => `alter sequence ${qualifiedName(sequence)} restart with ${sequence.next}`),
    ...RESTORE_SUBSCRIPTIONS,
    ...(loading.hasQueue ? ["delete from parley_jobs._private_jobs"] : []),
    "commit",
  ].join(";\n");
}
