import { urlOf, VISITOR_PAGE_LIMITS, type SeenVisitorPage, type VisitorPage } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { PersonalDataEraser } from "../../base/db/tables.ts";

/** The conversation of a visitor. */
interface VisitorPlace {
  readonly accountId: number;
  readonly conversationId: string;
  readonly userId: string;
}

/** The columns of a page as agents see it; null where there is no page. */
export interface VisitorPageColumns {
  readonly url: string | null;
  readonly title: string | null;
  readonly language: string | null;
  readonly seen_time: Date | null;
}

/** -> condition that the account of a column or value lets agents see pages */
const arePagesShown = (account: string): string =>
  `exists (select from messenger_settings where account_id = ${account} and (privacy ->> 'is_page_shown')::boolean)`;

/** -> the pages, as a table of a query, that agents may see */
export const SHOWN_VISITOR_PAGES = `(select * from visitor_pages shown where ${arePagesShown("shown.account_id")})`;

// The row of the user is locked, so that the user is not deleted before the page is stored.
const PUT = statement(
  "put_visitor_page",
  `insert into visitor_pages as present (conversation_id, account_id, user_id, url, title, language, seen_time)
   select c.id, c.account_id, c.user_id, $4::text, $5::text, $6::text, $7::timestamptz
     from conversations c
     join users u on u.account_id = c.account_id and u.id = c.user_id and u.deleted_time is null
    where c.account_id = $1 and c.id = $2 and c.user_id = $3 and ${arePagesShown("$1")}
      for key share of u
       on conflict (conversation_id) do update
      set url = excluded.url, title = excluded.title, language = excluded.language, seen_time = excluded.seen_time
    where (present.url, present.title, present.language) is distinct from (excluded.url, excluded.title, excluded.language)
   returning conversation_id`,
);
const FIND = statement(
  "visitor_page",
  "select url, title, language, seen_time from visitor_pages where account_id = $1 and conversation_id = $2",
);
const ERASE = statement("erase_visitor_pages", "delete from visitor_pages where account_id = $1 and user_id = $2");
const ACCOUNTS_WITH_HIDDEN = statement(
  "accounts_with_hidden_visitor_pages",
  `select o.id
     from accounts o
    where exists (select from visitor_pages where account_id = o.id) and not ${arePagesShown("o.id")}
    order by o.id`,
);
const REMOVE_HIDDEN = statement(
  "remove_hidden_visitor_pages",
  `delete from visitor_pages
    where conversation_id = any(array(select conversation_id from visitor_pages where account_id = $1 limit $2))
      and not ${arePagesShown("$1")}
   returning conversation_id`,
);

/** Rows that one statement removes. */
const BATCH_SIZE = 1_000;

/** -> undefined without a page */
export const visitorPageOf = (columns: VisitorPageColumns): SeenVisitorPage | undefined => {
  const { url, title, language, seen_time } = columns;
  if (seen_time === null) return undefined;
  return {
    ...(url !== null && { url }),
    ...(title !== null && { title }),
    ...(language !== null && { language }),
    seen_time: seen_time.toISOString(),
  };
};

/** -> the origin and the path of an address; undefined for an address that agents must not open */
const addressOf = (text: string): string | undefined => {
  const url = urlOf(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const address = url.origin + url.pathname;
  return address.length <= VISITOR_PAGE_LIMITS.address ? address : undefined;
};

/** Rows of the table `visitor_pages`: the last page of the visitor in each conversation. */
export const visitorPageStore = (db: Db) => ({
  /** Stores the page if the account lets agents see pages. -> whether it was another page */
  put: async (place: VisitorPlace, page: VisitorPage, now: Date): Promise<boolean> => {
    const { accountId, conversationId, userId } = place;
    const shown = [page.url && addressOf(page.url), page.title, page.language];
    if (!shown.some(Boolean)) return false;
    return (await db.one(PUT, [accountId, conversationId, userId, ...shown, now])) !== undefined;
  },
  /** The page of a conversation, also while agents don't see it. */
  find: async (accountId: number, conversationId: string): Promise<SeenVisitorPage | undefined> => {
    const row = await db.one<VisitorPageColumns>(FIND, [accountId, conversationId]);
    return row && visitorPageOf(row);
  },
  /** Removes the pages of accounts that don't let agents see pages any more. */
  async removeHidden(signal: AbortSignal): Promise<void> {
    for (const { id } of await db.rows<{ readonly id: number }>(ACCOUNTS_WITH_HIDDEN, []))
      for (let removed = BATCH_SIZE; removed === BATCH_SIZE;) {
        signal.throwIfAborted();
        removed = (await db.rows(REMOVE_HIDDEN, [id, BATCH_SIZE])).length;
      }
  },
});
export type VisitorPageStore = ReturnType<typeof visitorPageStore>;

export const visitorPageEraser: PersonalDataEraser = {
  async user(tx, accountId, _bodies, userId) {
    await tx.rows(ERASE, [accountId, userId]);
  },
};
