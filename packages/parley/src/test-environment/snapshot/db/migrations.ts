import type { Migration } from "@parley/database";

/** Schema of the list of snapshots. */
export const SNAPSHOT_SCHEMA = "parley_world";

export const SNAPSHOT_MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    name: "snapshots",
    sql: `
      -- The rows of each lie in a schema of its own; those of an empty table nowhere.
      CREATE TABLE snapshots (
        name text PRIMARY KEY,
        saved_time timestamptz NOT NULL,
        -- Of the tables as they were: data of other tables can't be put back.
        shape text NOT NULL,
        row_count bigint NOT NULL,
        file_count int NOT NULL
      );
      CREATE TABLE snapshot_sequences (
        snapshot text NOT NULL REFERENCES snapshots ON DELETE CASCADE,
        schema text NOT NULL,
        name text NOT NULL,
        next bigint NOT NULL,
        PRIMARY KEY (snapshot, schema, name)
      );
    `,
  },
  {
    id: 2,
    name: "place of ids",
    sql: `
      -- Held still: how far the sequences of ids and secrets had come.
      ALTER TABLE snapshots ADD place jsonb;
    `,
  },
];
