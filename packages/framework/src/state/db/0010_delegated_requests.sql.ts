import type { Migration } from "@parley/database";

/** Ids of requests of the service for signed-in agents, so that each is answered once by all processes of the platform together. */
export const DELEGATED_REQUESTS_MIGRATION: Migration = {
  id: 10,
  name: "delegated_requests",
  sql: `
    CREATE TABLE delegated_requests (
      id text PRIMARY KEY,
      received_time timestamptz NOT NULL
    );
    CREATE INDEX delegated_requests_time ON delegated_requests (received_time);
  `,
};
