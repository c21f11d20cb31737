import { statement, type Db } from "@parley/database";
import { refuseChange } from "./sections/section.ts";
import { INITIAL_MESSENGER, type MessengerSettings } from "./sections/state.ts";

const ALIASES = statement(
  "setup_messenger_aliases",
  `select account_id, alias from messenger_aliases where account_id = any($1::integer[])`,
);
const SETTINGS = statement(
  "setup_messenger_settings",
  `select account_id, origins, look, privacy from messenger_settings where account_id = any($1::integer[])`,
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
const PUT_SETTINGS = statement(
  "put_messenger_settings",
  `insert into messenger_settings (account_id, origins, look, privacy) values ($1, $2::text[], $3::json, $4::json)
       on conflict (account_id)
       do update set (origins, look, privacy) = (excluded.origins, excluded.look, excluded.privacy)`,
);

interface SettingsRow extends Omit<MessengerSettings, "aliases"> {
  readonly account_id: number;
}

/** Reads the messenger settings of accounts. -> those of one account, in order */
export const readMessengerSettings = async (
  db: Db,
  accountIds: readonly number[],
): Promise<(accountId: number) => MessengerSettings> => {
  const [aliases, settings] = await Promise.all([
    db.rows<{ account_id: number; alias: string }>(ALIASES, [accountIds]),
    db.rows<SettingsRow>(SETTINGS, [accountIds]),
  ]);
  return (accountId) => {
    const { origins, look, privacy } = settings.find(({ account_id }) => account_id === accountId) ?? INITIAL_MESSENGER;
    return {
      aliases: aliases.flatMap(({ account_id, alias }) => (account_id === accountId ? [alias] : [])).toSorted(),
      ...{ origins, look, privacy },
    };
  };
};

/** @errors INVALID_VALUE for an alias of another account */
export const checkAliases = async (tx: Db, accountId: number, { aliases }: MessengerSettings): Promise<void> => {
  const [foreign] = await tx.rows<{ alias: string }>(FOREIGN_ALIASES, [accountId, aliases]);
  if (foreign) refuseChange("messenger.aliases", `has ${foreign.alias}, which is an alias of another account`);
};

/**
 * Writes the messenger settings of an account.
 * @errors INVALID_VALUE for an alias of another account, also of one that is changed at the same time
 */
export const writeMessengerSettings = async (tx: Db, accountId: number, settings: MessengerSettings): Promise<void> => {
  await tx.rows(REMOVE_ALIASES, [accountId, settings.aliases]);
  await tx.rows(PUT_ALIASES, [accountId, settings.aliases]);
  await checkAliases(tx, accountId, settings);
  const { origins, look, privacy } = settings;
  await tx.rows(PUT_SETTINGS, [accountId, origins, JSON.stringify(look), JSON.stringify(privacy)]);
};
