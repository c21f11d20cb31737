import { statement, type Db } from "@parley/database";

export interface ConsentRow {
  readonly subject: string;
  readonly state: "asked" | "given" | "revoked";
  readonly changed_time: Date;
}

const LIST = statement(
  "list_consents",
  "SELECT subject, state, changed_time FROM consents WHERE project = $1 ORDER BY subject",
);
const PUT = statement(
  "put_consent",
  `INSERT INTO consents (project, subject, state, changed_time) VALUES ($1, $2, $3, $4)
   ON CONFLICT (project, subject) DO UPDATE SET state = excluded.state, changed_time = excluded.changed_time
     WHERE consents.state <> excluded.state`,
);
/** What was decided stays, and an app that asks for ever more is not kept count of. */
const ASK = statement(
  "ask_consent",
  `INSERT INTO consents (project, subject, state, changed_time)
   SELECT $1, $2, 'asked', $3 WHERE (SELECT count(*) FROM consents WHERE project = $1 AND state = 'asked') < $4
   ON CONFLICT DO NOTHING`,
);
export const REMOVE_CONSENTS = statement("remove_consents", "DELETE FROM consents WHERE project = $1");

/** A condition on a row of a table with the column `project`: whether this consent is given. */
export const isConsentGiven = (table: string, subject: string): string =>
  `EXISTS (SELECT FROM consents WHERE consents.project = ${table}.project AND subject = '${subject}' AND state = 'given')`;

/** Rows of the table `consents`. */
export const consentStore = (db: Db) => ({
  list: (project: string) => db.rows<ConsentRow>(LIST, [project]),
  put: async (project: string, subject: string, state: ConsentRow["state"], now: Date) => {
    await db.rows(PUT, [project, subject, state, now]);
  },
  /** @shape most: how many may be asked about at once */
  ask: async (project: string, subject: string, now: Date, most: number) => {
    await db.rows(ASK, [project, subject, now, most]);
  },
});
export type ConsentStore = ReturnType<typeof consentStore>;
