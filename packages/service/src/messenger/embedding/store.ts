import type { MessengerLook, MessengerPrivacy, SignedIdentityPolicy } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { createTtlCache } from "../../base/concurrency/ttl-cache.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { accountOfRow, type AccountRow } from "../../messaging/accounts/store.ts";
import type { CallerAccount } from "../../http/route-handlers.ts";

/** An open account with what restricts the pages that embed its messenger. */
export interface EmbeddableAccount extends CallerAccount {
  /** The origins whose pages can show the messenger. Empty: every page. */
  readonly origins: readonly string[];
  readonly look: MessengerLook;
  readonly privacy: MessengerPrivacy;
  readonly signed_identity: SignedIdentityPolicy;
}
type Row = AccountRow & Pick<EmbeddableAccount, "origins" | "look" | "privacy"> & SignedIdentityPolicy;

const COLUMNS = `o.id, o.name, o.configuration, o.primary_locale, o.calls_per_hour, coalesce(s.origins, '{}') as origins,
  coalesce(s.look, '{}') as look, coalesce(s.privacy, '{}') as privacy,
  exists (select from messenger_signing_keys k where k.account_id = o.id) as has_key,
  coalesce(r.is_required, false) as is_required, coalesce(r.is_hidden_until_signed, false) as is_hidden_until_signed`;
const OPEN_ACCOUNTS = `accounts o
  left join messenger_settings s on s.account_id = o.id
  left join signed_identity_rules r on r.account_id = o.id
 where o.closed_time is null`;
const BY_NAME = statement("messenger_account_by_name", `select ${COLUMNS} from ${OPEN_ACCOUNTS} and o.name = $1`);
const BY_ALIAS = statement(
  "messenger_account_by_alias",
  `select ${COLUMNS} from ${OPEN_ACCOUNTS} and o.id = (select account_id from messenger_aliases where alias = $1)`,
);
// Two rows are enough to know that it is not the only account.
const FIRST = statement("messenger_accounts", `select ${COLUMNS} from ${OPEN_ACCOUNTS} order by o.id limit 2`);

const accountOf = (row: Row | undefined): EmbeddableAccount | undefined => {
  if (!row) return undefined;
  const { origins, look, privacy, has_key, is_required, is_hidden_until_signed } = row;
  const signed_identity = { has_key, is_required, is_hidden_until_signed };
  return { ...accountOfRow(row), origins, look, privacy, signed_identity };
};

/** Reads of accounts and of their aliases. A text with NUL is unknown; the database rejects NUL in texts. */
export const embeddingStore = (db: Db) => ({
  byName: async (name: string) =>
    name.includes("\0") ? undefined : accountOf(await db.one<Row>(BY_NAME, [name.toLowerCase()])),
  byAlias: async (alias: string) =>
    alias.includes("\0") ? undefined : accountOf(await db.one<Row>(BY_ALIAS, [alias])),
  /** The open account that was created first, and whether it is the only open account. -> undefined without an account */
  first: async () => {
    const [row, another] = await db.rows<Row>(FIRST, []);
    const account = accountOf(row);
    return account && { account, isOnly: another === undefined };
  },
});
export type EmbeddingStore = ReturnType<typeof embeddingStore>;

/**
 * The same reads, cached: pages read the account with each visit. A change is visible after a second, and at once in the process that calls `forget`
 * for it.
 */
export const cachedEmbeddingStore = (
  store: EmbeddingStore,
  ports: Pick<Ports, "monotonicMs">,
): EmbeddingStore & { readonly forget: () => void } => {
  const byName = createTtlCache(store.byName, ports);
  const byAlias = createTtlCache(store.byAlias, ports);
  const first = createTtlCache((_: "first") => store.first(), ports);
  return {
    byName: byName.get,
    byAlias: byAlias.get,
    first: () => first.get("first"),
    forget() {
      for (const each of [byName, byAlias, first]) each.clear();
    },
  };
};
