import type { Migration } from "@parley/database";
import { PLATFORM_MIGRATION } from "./0009_platform.sql.ts";
import { DELEGATED_REQUESTS_MIGRATION } from "./0010_delegated_requests.sql.ts";

/** The schema of the app host's own data. */
export const APP_SCHEMA = "parley_apps";

/** Tables for installations, apps' records, schedules, tokens, recorded calls and consents. */
export const APP_MIGRATIONS: readonly Migration[] = [
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
        -- Secure parameters by key, each encrypted separately.
        secure jsonb NOT NULL,
        version int NOT NULL,
        created_time timestamptz NOT NULL,
        updated_time timestamptz NOT NULL,
        UNIQUE (project, account)
      );

      -- JSON is stored as text: jsonb would sort its keys and reject some strings.
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
  {
    id: 2,
    name: "schedules_targets_tokens_invocations",
    sql: `
      -- Schedules that apps created with $schedule. due_time is NULL after a schedule without repetition has fired.
      CREATE TABLE schedules (
        project text NOT NULL,
        account text NOT NULL,
        name text NOT NULL,
        data text NOT NULL,
        schedule_at timestamptz NOT NULL,
        time_unit text,
        frequency int,
        due_time timestamptz,
        created_time timestamptz NOT NULL,
        updated_time timestamptz NOT NULL,
        PRIMARY KEY (project, account, name)
      );
      CREATE INDEX schedules_due ON schedules (due_time) WHERE due_time IS NOT NULL;

      -- URLs that raise onExternalEvent, by the hash of their secret part.
      CREATE TABLE targets (
        hash text PRIMARY KEY,
        project text NOT NULL,
        account text NOT NULL,
        created_time timestamptz NOT NULL
      );
      CREATE INDEX targets_owner ON targets (project, account);

      -- OAuth tokens, encrypted as secure parameters are. agent is '' for a token of the account.
      CREATE TABLE oauth_tokens (
        project text NOT NULL,
        account text NOT NULL,
        integration text NOT NULL,
        agent text NOT NULL,
        sealed text NOT NULL,
        expires_time timestamptz,
        updated_time timestamptz NOT NULL,
        PRIMARY KEY (project, account, integration, agent)
      );

      -- Recorded handler calls, for the app's author. JSON is stored as text.
      CREATE TABLE invocations (
        id text PRIMARY KEY,
        project text NOT NULL,
        account text NOT NULL,
        kind text NOT NULL,
        event text NOT NULL,
        handler text NOT NULL,
        source text,
        begun timestamptz NOT NULL,
        ok boolean NOT NULL,
        body text NOT NULL
      );
      CREATE INDEX invocations_project ON invocations (project, id);
      CREATE INDEX invocations_source ON invocations (project, source) WHERE source IS NOT NULL;
    `,
  },
  {
    id: 3,
    name: "failed_schedules",
    sql: `
      -- Occurrences of schedules whose handler failed at every attempt. source is the same for all attempts and hosts.
      CREATE TABLE failed_schedules (
        id text PRIMARY KEY,
        project text NOT NULL,
        account text NOT NULL,
        source text NOT NULL,
        name text NOT NULL,
        data text NOT NULL,
        due_time timestamptz NOT NULL,
        tries int NOT NULL,
        reason text NOT NULL,
        failed_time timestamptz NOT NULL,
        UNIQUE (project, source)
      );
      CREATE INDEX failed_schedules_owner ON failed_schedules (project, account, failed_time);
    `,
  },
  {
    id: 4,
    name: "renewed_targets",
    needs: 4,
    sql: `
      -- One URL per installation. The salt distinguishes it from its predecessors; '' for URLs created before this column.
      ALTER TABLE targets ADD COLUMN salt text NOT NULL DEFAULT '';
      DELETE FROM targets older USING targets newer
        WHERE older.project = newer.project AND older.account = newer.account
          AND (older.created_time, older.hash) < (newer.created_time, newer.hash);
      DROP INDEX targets_owner;
      ALTER TABLE targets ADD CONSTRAINT targets_owner UNIQUE (project, account);
    `,
  },
  {
    id: 5,
    name: "consents",
    sql: `
      -- Permissions of the app's code beyond the default. subject: 'secure-iparams', or a host. state: 'asked', 'given' or 'revoked'.
      CREATE TABLE consents (
        project text NOT NULL,
        subject text NOT NULL,
        state text NOT NULL,
        changed_time timestamptz NOT NULL,
        PRIMARY KEY (project, subject)
      );
    `,
  },
  {
    id: 6,
    name: "entities",
    sql: `
      -- Records of the entities that config/entities.json declares. number is the suffix of display_id.
      CREATE TABLE entity_records (
        project text NOT NULL,
        account text NOT NULL,
        entity text NOT NULL,
        number int NOT NULL,
        value jsonb NOT NULL,
        created_time timestamptz NOT NULL,
        updated_time timestamptz NOT NULL,
        PRIMARY KEY (project, account, entity, number)
      );
      CREATE INDEX entity_records_value ON entity_records USING gin (value jsonb_path_ops);

      -- The last number assigned for an entity.
      CREATE TABLE entity_counters (
        project text NOT NULL,
        account text NOT NULL,
        entity text NOT NULL,
        last int NOT NULL,
        PRIMARY KEY (project, account, entity)
      );
    `,
  },
  {
    id: 7,
    name: "jobs",
    sql: `
      -- Jobs started by client.job.invoke. end_time is NULL while a job is running.
      CREATE TABLE jobs (
        id text PRIMARY KEY,
        project text NOT NULL,
        account text NOT NULL,
        name text NOT NULL,
        tag text NOT NULL,
        status text NOT NULL,
        message text NOT NULL,
        start_time timestamptz NOT NULL,
        end_time timestamptz
      );
      CREATE INDEX jobs_owner ON jobs (project, account, start_time);
    `,
  },
  {
    id: 8,
    name: "app_settings",
    sql: `
      -- Values of the settings that config/app_settings.json declares, each encrypted separately.
      CREATE TABLE app_settings (
        project text NOT NULL,
        key text NOT NULL,
        sealed text NOT NULL,
        changed_time timestamptz NOT NULL,
        PRIMARY KEY (project, key)
      );
    `,
  },
  PLATFORM_MIGRATION,
  DELEGATED_REQUESTS_MIGRATION,
];
