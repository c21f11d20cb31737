import type { Migration } from "@parley/database";

/** The schema of the app host's own data. */
export const SCHEMA = "parley_apps";

/** Installations, the apps' records and the events that were handled. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: "installations",
    sql: `
      CREATE TABLE installations (
        id uuid PRIMARY KEY,
        project text NOT NULL,
        account text NOT NULL,
        domain text NOT NULL,
        -- Parameters as JSON text, without secure ones.
        given text NOT NULL,
        -- Secure ones by key, each encrypted by itself.
        secure jsonb NOT NULL,
        version int NOT NULL,
        created_time timestamptz NOT NULL,
        updated_time timestamptz NOT NULL,
        UNIQUE (project, account)
      );

      -- JSON is kept as the text it came as: jsonb would sort its keys and refuse some of its strings.
      CREATE TABLE records (
        project text NOT NULL,
        account text NOT NULL,
        key text NOT NULL,
        value text NOT NULL,
        expires_time timestamptz,
        PRIMARY KEY (project, account, key)
      );

      CREATE TABLE handled_events (
        project text NOT NULL,
        event_id text NOT NULL,
        handled_time timestamptz NOT NULL,
        PRIMARY KEY (project, event_id)
      );
      CREATE INDEX handled_events_time ON handled_events (handled_time);
    `,
  },
];
