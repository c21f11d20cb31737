import { REPLY_TEMPLATES_MAX, type ReplyTemplate } from "@parley/contract";
import { statement, type Db, type Pool } from "@parley/database";
import { lockSavedItems } from "../saved-items/item-locks.sql.ts";
import { sortKey } from "../../base/db/page.ts";

const COLUMNS = `id, owner_id, agent_id is null as is_shared, name, shortcut, text, updated_time`;
/** The agent sees its own templates and the shared templates. @shape $1: account, $2: agent */
const VISIBLE = "account_id = $1 and (agent_id is null or agent_id = $2)";

const LIST = statement(
  "list_reply_templates",
  `select ${COLUMNS} from reply_templates where ${VISIBLE} order by ${sortKey("name")}, id`,
);
const FIND = statement("find_reply_template", `select ${COLUMNS} from reply_templates where ${VISIBLE} and id = $3`);
const COUNT = statement(
  "count_reply_templates",
  `select count(*)::integer as count from reply_templates where account_id = $1 and agent_id is not distinct from $2`,
);
const WITH_SHORTCUT = statement(
  "reply_template_with_shortcut",
  `select id from reply_templates where ${VISIBLE} and shortcut = $3 and id <> $4 limit 1`,
);
const ADD = statement(
  "add_reply_template",
  `insert into reply_templates (account_id, owner_id, agent_id, id, name, shortcut, text, updated_time)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const CHANGE = statement(
  "change_reply_template",
  `update reply_templates set agent_id = $3, name = $4, shortcut = $5, text = $6, updated_time = $7
    where account_id = $1 and id = $2`,
);
const REMOVE = statement("remove_reply_template", `delete from reply_templates where account_id = $1 and id = $2`);

type TemplateRow = Omit<ReplyTemplate, "shortcut" | "updated_time"> & {
  readonly shortcut: string | null;
  readonly updated_time: Date;
};

const templateOf = (row: TemplateRow): ReplyTemplate => {
  const { shortcut, updated_time, ...template } = row;
  return { ...template, ...(shortcut !== null && { shortcut }), updated_time: updated_time.toISOString() };
};

/** The owner of a template while it is not shared. */
const privateTo = ({ is_shared, owner_id }: Pick<ReplyTemplate, "is_shared" | "owner_id">): string | null =>
  is_shared ? null : owner_id;

const addTemplate = (tx: Db, accountId: number, template: ReplyTemplate): Promise<unknown> =>
  tx.rows(ADD, [
    ...[accountId, template.owner_id, privateTo(template), template.id],
    ...[template.name, template.shortcut, template.text, template.updated_time],
  ]);

/** Inserts templates with given ids, such as those of the demo accounts. */
export const insertReplyTemplates = async (
  tx: Db,
  accountId: number,
  templates: readonly ReplyTemplate[],
): Promise<void> => {
  for (const template of templates) await addTemplate(tx, accountId, template);
};

/** Statements on the table `reply_templates` in a transaction that holds the lock of the account's templates. */
const changesIn = (tx: Db, accountId: number, agentId: string) => ({
  find: async (id: string): Promise<ReplyTemplate | undefined> => {
    const row = await tx.one<TemplateRow>(FIND, [accountId, agentId, id]);
    return row && templateOf(row);
  },
  /** Whether the maximum number of other templates is reached. */
  isFull: async (template: Pick<ReplyTemplate, "is_shared" | "owner_id">): Promise<boolean> =>
    ((await tx.one<{ count: number }>(COUNT, [accountId, privateTo(template)]))?.count ?? 0) >= REPLY_TEMPLATES_MAX,
  /** Whether another template that the agent sees has the shortcut. */
  isTaken: async ({ id, shortcut }: Pick<ReplyTemplate, "id" | "shortcut">): Promise<boolean> =>
    shortcut !== undefined && (await tx.one(WITH_SHORTCUT, [accountId, agentId, shortcut, id])) !== undefined,
  add: (template: ReplyTemplate) => addTemplate(tx, accountId, template),
  change: (template: ReplyTemplate) =>
    tx.rows(CHANGE, [
      ...[accountId, template.id, privateTo(template)],
      ...[template.name, template.shortcut, template.text, template.updated_time],
    ]),
  remove: (id: string) => tx.rows(REMOVE, [accountId, id]),
});
type ReplyTemplateChanges = ReturnType<typeof changesIn>;

/** Reads and changes of the table `reply_templates`. */
export const replyTemplateStore = (pool: Pool) => ({
  list: async (accountId: number, agentId: string): Promise<ReplyTemplate[]> =>
    (await pool.rows<TemplateRow>(LIST, [accountId, agentId])).map(templateOf),
  /** Changes of one account are made one after another. @errors FORBIDDEN if the agent was deleted, and those of `work` */
  change: <T>(accountId: number, agentId: string, work: (changes: ReplyTemplateChanges) => Promise<T>): Promise<T> =>
    pool.transaction(async (tx) => {
      await lockSavedItems(tx, "reply_templates", accountId, agentId);
      return work(changesIn(tx, accountId, agentId));
    }),
});
export type ReplyTemplateStore = ReturnType<typeof replyTemplateStore>;
