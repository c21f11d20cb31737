import { statement, type Db } from "@parley/database";
import { refuseChange } from "./sections/section.ts";
import type { MessengerLists } from "./sections/state.ts";

const ALIASES = statement(
  "setup_messenger_aliases",
  `select account_id, alias from messenger_aliases where account_id = any($1::integer[])`,
);
const ORIGINS = statement(
  "setup_messenger_origins",
  `select account_id, origins from messenger_settings where account_id = any($1::integer[])`,
);
const FOREIGN_ALIASES = statement(
  "foreign_messenger_aliases",
  `select alias from messenger_aliases where alias = any($2::text[]) and account_id <> $1`,
);
const REMOVE_ALIASES = statement(
  "remove_messenger_aliases",
  `delete from messenger_aliases where account_id = $1 and alias <> all($2::text[])`,
);
const PUT_ALIASES = statement(
  "put_messenger_aliases",
  `insert into messenger_aliases (account_id, alias)
   select $1, alias from unnest($2::text[]) as alias order by alias
       on conflict (alias) do nothing`,
);
const PUT_ORIGINS = statement(
  "put_messenger_origins",
  `insert into messenger_settings (account_id, origins) values ($1, $2::text[])
       on conflict (account_id) do update set origins = excluded.origins`,
);

/** Reads the aliases and origins of accounts. -> those of one account, in order */
export const readMessengerLists = async (
  db: Db,
  accountIds: readonly number[],
): Promise<(accountId: number) => MessengerLists> => {
  const [aliases, origins] = await Promise.all([
    db.rows<{ account_id: number; alias: string }>(ALIASES, [accountIds]),
    db.rows<{ account_id: number; origins: string[] }>(ORIGINS, [accountIds]),
  ]);
  return (accountId) => ({
    aliases: aliases.flatMap(({ account_id, alias }) => (account_id === accountId ? [alias] : [])).toSorted(),
    origins: origins.find(({ account_id }) => account_id === accountId)?.origins ?? [],
  });
};

/** @errors INVALID_VALUE for an alias of another account */
export const checkAliases = async (tx: Db, accountId: number, { aliases }: MessengerLists): Promise<void> => {
  const [foreign] = await tx.rows<{ alias: string }>(FOREIGN_ALIASES, [accountId, aliases]);
  if (foreign) refuseChange("messenger.aliases", `has ${foreign.alias}, which is an alias of another account`);
};

/**
 * Writes the aliases and origins of an account.
 * @errors INVALID_VALUE for an alias of another account, also of one that is changed at the same time
 */
export const writeMessengerLists = async (tx: Db, accountId: number, lists: MessengerLists): Promise<void> => {
  await tx.rows(REMOVE_ALIASES, [accountId, lists.aliases]);
  await tx.rows(PUT_ALIASES, [accountId, lists.aliases]);
  await checkAliases(tx, accountId, lists);
  await tx.rows(PUT_ORIGINS, [accountId, lists.origins]);
};
