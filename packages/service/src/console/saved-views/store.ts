import { SAVED_VIEWS_MAX, type InboxFilter, type SavedView } from "@parley/contract";
import { statement, type Db, type Pool } from "@parley/database";
import { lockSavedItems } from "../saved-items/item-locks.sql.ts";
import { sortKey } from "../../base/db/page.ts";

/** Columns of a view. `filter` is a JSON text. */
const COLUMNS = `id, owner_id, agent_id is null as is_shared, name, filter, sort_order as "order"`;
/** The agent sees its own views and the shared views. @shape $1: account, $2: agent */
const VISIBLE = "account_id = $1 and (agent_id is null or agent_id = $2)";

const LIST = statement(
  "list_saved_views",
  `select ${COLUMNS} from saved_views where ${VISIBLE} order by ${sortKey("name")}, id`,
);
const FIND = statement("find_saved_view", `select ${COLUMNS} from saved_views where ${VISIBLE} and id = $3`);
const COUNT = statement(
  "count_saved_views",
  `select count(*)::integer as count from saved_views where account_id = $1 and agent_id is not distinct from $2`,
);
const ADD = statement(
  "add_saved_view",
  `insert into saved_views (account_id, owner_id, agent_id, id, name, filter, sort_order) values ($1, $2, $3, $4, $5, $6, $7)`,
);
const CHANGE = statement(
  "change_saved_view",
  `update saved_views set agent_id = $3, name = $4, filter = $5, sort_order = $6 where account_id = $1 and id = $2`,
);
const REMOVE = statement("remove_saved_view", `delete from saved_views where account_id = $1 and id = $2`);

type ViewRow = Omit<SavedView, "filter"> & { readonly filter: string };

const viewOf = ({ filter, ...row }: ViewRow): SavedView => ({ ...row, filter: JSON.parse(filter) as InboxFilter });

/** The owner of a view while it is not shared. */
const privateTo = ({ is_shared, owner_id }: Pick<SavedView, "is_shared" | "owner_id">): string | null =>
  is_shared ? null : owner_id;

/** Statements on the table `saved_views` in a transaction that holds the lock of the account's views. */
const changesIn = (tx: Db, accountId: number, agentId: string) => ({
  find: async (id: string): Promise<SavedView | undefined> => {
    const row = await tx.one<ViewRow>(FIND, [accountId, agentId, id]);
    return row && viewOf(row);
  },
  /** Whether the maximum number of other views is reached. */
  isFull: async (view: Pick<SavedView, "is_shared" | "owner_id">): Promise<boolean> =>
    ((await tx.one<{ count: number }>(COUNT, [accountId, privateTo(view)]))?.count ?? 0) >= SAVED_VIEWS_MAX,
  add: (view: SavedView) =>
    tx.rows(ADD, [
      ...[accountId, view.owner_id, privateTo(view), view.id],
      ...[view.name, JSON.stringify(view.filter), view.order],
    ]),
  change: (view: SavedView) =>
    tx.rows(CHANGE, [accountId, view.id, privateTo(view), view.name, JSON.stringify(view.filter), view.order]),
  remove: (id: string) => tx.rows(REMOVE, [accountId, id]),
});
type SavedViewChanges = ReturnType<typeof changesIn>;

/** Reads and changes of the table `saved_views`. */
export const savedViewStore = (pool: Pool) => ({
  list: async (accountId: number, agentId: string): Promise<SavedView[]> =>
    (await pool.rows<ViewRow>(LIST, [accountId, agentId])).map(viewOf),
  /** Changes of one account are made one after another. @errors FORBIDDEN if the agent was deleted, and those of `work` */
  change: <T>(accountId: number, agentId: string, work: (changes: SavedViewChanges) => Promise<T>): Promise<T> =>
    pool.transaction(async (tx) => {
      await lockSavedItems(tx, "saved_views", accountId, agentId);
      return work(changesIn(tx, accountId, agentId));
    }),
});
export type SavedViewStore = ReturnType<typeof savedViewStore>;
