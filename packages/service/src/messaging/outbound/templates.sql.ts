import type { Template } from "@parley/contract";
import { statement, type Db, type Pool } from "@parley/database";

/** Key of a template. */
interface TemplateName {
  readonly namespace: string;
  readonly name: string;
  readonly language: string;
}

/** A template and the state of its name. */
export interface StoredTemplate {
  /** undefined if the account has no such template. */
  readonly template: Template | undefined;
  /** In any language. */
  readonly isNameApproved: boolean;
  /** First use while the template was not approved. */
  readonly firstFailure: Date | undefined;
}

const FIND = statement(
  "find_template",
  `select (select body from templates where account_id = $1 and namespace = $2 and name = $3 and language = $4) as body,
          exists (
            select from templates
             where account_id = $1 and namespace = $2 and name = $3 and body::json ->> 'status' = 'approved'
          ) as approved,
          (select failed_time from template_failures where account_id = $1 and namespace = $2 and name = $3) as failed_time`,
);
const FAIL = statement(
  "fail_template",
  `with forgotten as (
     delete from template_failures
      where account_id = $1 and failed_time < $5 and (namespace, name) <> ($2, $3)
   )
   insert into template_failures (account_id, namespace, name, failed_time)
   values ($1, $2, $3, $4)
   on conflict do nothing`,
);
const FORGET = statement(
  "forget_template_failure",
  `delete from template_failures where account_id = $1 and namespace = $2 and name = $3`,
);
const PUT_ONE = statement(
  "put_template",
  `insert into templates (account_id, namespace, name, language, body) values ($1, $2, $3, $4, $5)
   on conflict (account_id, namespace, name, language) do update set body = excluded.body`,
);

/** Puts the templates of a JSON array. */
export const PUT_TEMPLATES = statement(
  "put_templates",
  `insert into templates (account_id, namespace, name, language, body)
   select $1, r.namespace, r.name, r.language, r.body
     from json_to_recordset($2) as r(namespace text, name text, language text, body text)
       on conflict (account_id, namespace, name, language) do update set body = excluded.body`,
);
/** Removes the templates with the keys [namespace, name, language]. */
export const REMOVE_TEMPLATES = statement(
  "remove_templates",
  `delete from templates
    where account_id = $1
      and (namespace, name, language) in (
            select key ->> 0, key ->> 1, key ->> 2 from unnest($2::json[]) as asked (key))`,
);

interface Row {
  readonly body: string | null;
  readonly approved: boolean;
  readonly failed_time: Date | null;
}

/** Retention of a failure, so that wrong names do not fill the table. @units milliseconds */
const FAILURE_RETENTION_MS = 90 * 24 * 60 * 60 * 1_000;

/** Statements on the tables `templates` and `template_failures`. */
export const outboundTemplateStore = (pool: Pool) => ({
  find: async (accountId: number, { namespace, name, language }: TemplateName): Promise<StoredTemplate> => {
    const row = await pool.one<Row>(FIND, [accountId, namespace, name, language]);
    return {
      template: row?.body ? (JSON.parse(row.body) as Template) : undefined,
      isNameApproved: row?.approved ?? false,
      firstFailure: row?.failed_time ?? undefined,
    };
  },
  /** Only the first failure counts. */
  fail: (accountId: number, { namespace, name }: TemplateName, now: Date) =>
    pool.rows(FAIL, [accountId, namespace, name, now, new Date(now.getTime() - FAILURE_RETENTION_MS)]),
  put: (accountId: number, template: Template) =>
    pool.rows(PUT_ONE, [accountId, template.namespace, template.name, template.language, JSON.stringify(template)]),
});
export type OutboundTemplateStore = ReturnType<typeof outboundTemplateStore>;

/** Deletes the failure after a successful use, so that a later failure starts a new waiting period. */
export const forgetFailure = (db: Db, accountId: number, { namespace, name }: TemplateName) =>
  db.rows(FORGET, [accountId, namespace, name]);
