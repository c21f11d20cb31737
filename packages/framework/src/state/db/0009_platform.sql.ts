import type { Migration } from "@parley/database";

/** Published packages, installations of many accounts, and the processes of the platform. */
export const PLATFORM_MIGRATION: Migration = {
  id: 9,
  name: "platform",
  needs: 9,
  sql: `
    -- Published apps. accounts: those whose catalogue has the app; NULL: all.
    CREATE TABLE apps (
      name text PRIMARY KEY,
      accounts text[],
      created_time timestamptz NOT NULL
    );

    -- Published versions, which never change. number is the order of publication.
    CREATE TABLE app_versions (
      app text NOT NULL REFERENCES apps (name) ON DELETE CASCADE,
      version text NOT NULL,
      number int NOT NULL,
      -- SHA-256 of the package as it was published, in hex.
      digest text NOT NULL,
      -- Archive of the app's files as they are served: scripts compiled, without dependencies.
      files bytea NOT NULL,
      -- The loaded project as JSON, with the bundled code of server/ and its dependencies.
      project text NOT NULL,
      declaration jsonb NOT NULL,
      -- Data URL.
      icon text,
      published_time timestamptz NOT NULL,
      PRIMARY KEY (app, version),
      UNIQUE (app, number)
    );

    -- app_version: NULL for an app that is read from a folder. previous: version and parameters before the last upgrade.
    ALTER TABLE installations
      ADD COLUMN app_version text,
      ADD COLUMN state text NOT NULL DEFAULT 'active',
      ADD COLUMN paused_time timestamptz,
      ADD COLUMN previous jsonb,
      -- Settings of its subscription that the service has confirmed, as JSON; NULL: they have to be sent again.
      ADD COLUMN subscription text;
    CREATE INDEX installations_account ON installations (account);

    -- A consent and an app setting belong to the app on one account. '' for those that were stored before the app was installed.
    ALTER TABLE consents ADD COLUMN account text NOT NULL DEFAULT '';
    UPDATE consents SET account = latest.account
      FROM (SELECT DISTINCT ON (project) project, account FROM installations ORDER BY project, updated_time DESC) latest
      WHERE latest.project = consents.project;
    ALTER TABLE consents DROP CONSTRAINT consents_pkey;
    ALTER TABLE consents ADD PRIMARY KEY (project, account, subject);
    ALTER TABLE app_settings ADD COLUMN account text NOT NULL DEFAULT '';
    UPDATE app_settings SET account = latest.account
      FROM (SELECT DISTINCT ON (project) project, account FROM installations ORDER BY project, updated_time DESC) latest
      WHERE latest.project = app_settings.project;
    ALTER TABLE app_settings DROP CONSTRAINT app_settings_pkey;
    ALTER TABLE app_settings ADD PRIMARY KEY (project, account, key);

    DROP INDEX invocations_project;
    DROP INDEX invocations_source;
    CREATE INDEX invocations_owner ON invocations (project, account, id);
    CREATE INDEX invocations_source ON invocations (project, account, source) WHERE source IS NOT NULL;

    -- Running processes of the platform. A process that does not renew its row in time has ended: others take over its installations.
    CREATE TABLE platform_processes (
      id uuid PRIMARY KEY,
      -- Origin at which other processes of the platform reach it.
      address text NOT NULL,
      -- Process id on its machine, for operators.
      pid int NOT NULL,
      expires_time timestamptz NOT NULL
    );

    -- The process that runs an installation's code.
    CREATE TABLE installation_leases (
      installation_id uuid PRIMARY KEY REFERENCES installations (id) ON DELETE CASCADE,
      process_id uuid NOT NULL REFERENCES platform_processes (id) ON DELETE CASCADE,
      taken_time timestamptz NOT NULL
    );
    CREATE INDEX installation_leases_process ON installation_leases (process_id);

    -- The secret part of a URL, encrypted. NULL: it is derived from the key and the salt.
    ALTER TABLE targets ADD COLUMN sealed text;

    -- Accounts that are closed, as the service reports it: their installations don't run, and their schedules don't fire.
    CREATE TABLE closed_accounts (
      account text PRIMARY KEY
    );

    -- Changes that are not in the service's audit log yet, stored in the transaction of the change.
    CREATE TABLE change_reports (
      id uuid PRIMARY KEY,
      -- NULL: a change of the catalogue.
      account text,
      body jsonb NOT NULL,
      created_time timestamptz NOT NULL
    );
  `,
};
