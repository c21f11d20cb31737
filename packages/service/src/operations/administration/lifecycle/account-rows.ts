/** A table of the service, as the catalogue of the database describes it. */
export interface CatalogueTable {
  readonly name: string;
  /** Whether it has a column `account_id`. */
  readonly hasAccount: boolean;
  /** Tables that its foreign keys refer to. */
  readonly references: readonly string[];
}

/** A table whose rows belong to the account of another row. */
interface ChildTable {
  readonly name: string;
  /** Column that contains the parent's id. */
  readonly column: string;
}

/** How the rows of an account are found in a table. */
export type AccountRows =
  | { readonly kind: "condition"; readonly table: string; readonly condition: string }
  | { readonly kind: "own"; readonly table: string; readonly children: readonly ChildTable[] };

/** The tables without `account_id` whose rows belong to a row of another table, which has an `id`. */
const CHILDREN: Readonly<Record<string, { readonly parent: string; readonly column: string }>> = {
  conversation_revisions: { parent: "conversations", column: "conversation_id" },
  cursors: { parent: "subscriptions", column: "subscription_id" },
  deliveries: { parent: "subscriptions", column: "subscription_id" },
  inbox_changes: { parent: "conversations", column: "conversation_id" },
  messages: { parent: "conversations", column: "conversation_id" },
  report_links: { parent: "reports", column: "report_id" },
  user_revisions: { parent: "users", column: "user_id" },
};

/**
 * The tables without `account_id` whose rows refer to several others. `$1` is the account.
 * A recorded reply of a session that has ended may refer to nothing; it expires within a day.
 */
const CONDITIONS: Readonly<Record<string, string>> = {
  due_work: `payload::jsonb ->> 'account_id' = $1::integer::text
      or payload::jsonb ->> 'account' = $1::integer::text
      or exists (select from reports r where r.account_id = $1 and r.id = (payload::jsonb ->> 'report')::uuid)
      or exists (
           select from outbound_messages m where m.account_id = $1 and m.id = (payload::jsonb ->> 'message_id')::uuid)`,
  idempotency_keys: `exists (select from tokens t where t.account_id = $1 and t.id = idempotency_keys.token_id)
      or exists (select from agent_sessions s where s.account_id = $1 and s.id = idempotency_keys.token_id)
      or exists (select from visitor_sessions s where s.account_id = $1 and s.id = idempotency_keys.token_id)
      or exists (select from users u where u.account_id = $1 and u.id = idempotency_keys.about)
      or exists (select from uploads u where u.account_id = $1 and u.id = idempotency_keys.about)
      or exists (
           select from messages m
             join conversations c on c.id = m.conversation_id
            where m.id = idempotency_keys.message_id and c.account_id = $1)`,
};

/** The tables that no row of an account is deleted from, with the reason. */
const UNTOUCHED: Readonly<Record<string, string>> = {
  accounts: "the row is deleted last",
  audit_log: "entries outlive their account",
  inbox_backfill: "of the installation",
  migrations: "of the installation",
  projection_cursors: "of the installation",
  search_backfill: "of the installation",
  sign_in_attempts: "hashes that are deleted within an hour",
  signing_keys: "of the installation",
};

/**
 * Lists the tables in the order in which the rows of an account are deleted: a row before those that it refers to, and last the tables
 * without a foreign key, whose rows are derived from others.
 * @errors Error for a table that no rule covers, so that a new table is not forgotten
 */
export const accountRowsIn = (catalogue: readonly CatalogueTable[]): readonly AccountRows[] => {
  const uncovered = catalogue.filter(
    ({ name, hasAccount }) => !hasAccount && !CHILDREN[name] && !CONDITIONS[name] && !UNTOUCHED[name],
  );
  if (uncovered.length > 0)
    throw new Error(`it is not known to which account rows belong in ${uncovered.map(({ name }) => name).join(", ")}`);
  const own = catalogue.filter(({ name, hasAccount }) => hasAccount && !UNTOUCHED[name]);
  const ordered: CatalogueTable[] = [];
  const visit = (table: CatalogueTable): void => {
    if (ordered.includes(table)) return;
    for (const other of own) if (other !== table && other.references.includes(table.name)) visit(other);
    ordered.push(table);
  };
  for (const table of own) if (table.references.length > 0) visit(table);
  for (const table of own) visit(table);
  const childrenOf = (parent: string): ChildTable[] =>
    Object.entries(CHILDREN).flatMap(([name, child]) =>
      child.parent === parent ? [{ name, column: child.column }] : [],
    );
  return [
    ...Object.entries(CONDITIONS).map(([table, condition]): AccountRows => ({ kind: "condition", table, condition })),
    ...ordered.map(({ name }): AccountRows => ({ kind: "own", table: name, children: childrenOf(name) })),
  ];
};
