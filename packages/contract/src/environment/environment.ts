import {
  ENVIRONMENT_COMMANDS,
  INSTANCE_COMMANDS as INSTANCE,
  type EnvironmentCommand,
  type EnvironmentRow,
} from "./commands.ts";
import { MONITORING_ENVIRONMENT } from "./monitoring.ts";
import { OBJECTS_ENVIRONMENT } from "./objects.ts";

const APPS: readonly EnvironmentCommand[] = ["start", "run"];

/**
 * Every environment variable that configures Parley. The documentation and the help of the commands are printed from these rows, and
 * readers of the environment are typed by their names.
 */
export const ENVIRONMENT = {
  PARLEY_SERVICE_PORT: {
    group: "Addresses and data",
    sets: "port of the service; 0 chooses a free port",
    unset: "10002",
    commands: INSTANCE,
  },
  PARLEY_APP_PORT: {
    group: "Addresses and data",
    sets: "port of the app host and the installation page, or of the platform; 0 chooses a free port",
    unset: "10001",
    commands: INSTANCE,
  },
  PARLEY_SHOP_PORT: {
    group: "Addresses and data",
    sets: "port of the demo shop, a page that embeds the messenger; 0 chooses a free port",
    unset: "10003, or a free port if it is in use",
    commands: ["start"],
  },
  PARLEY_DATA: {
    group: "Addresses and data",
    sets: "folder of all data; the embedded PostgreSQL is in its folder postgres",
    unset: ".parley",
    commands: ENVIRONMENT_COMMANDS,
  },
  DATABASE_URL: {
    group: "Addresses and data",
    sets: "your own PostgreSQL server, version 15 or later",
    unset: "the embedded server",
    commands: ENVIRONMENT_COMMANDS,
    page: ["PostgreSQL", "operators/postgresql.md"],
  },
  PARLEY_DOMAIN: {
    group: "Addresses and data",
    sets: "domain of accounts: hosts are <account>.<domain>; a token is valid on its own account's host only",
    unset: "parley.localhost",
    commands: INSTANCE,
  },
  PARLEY_PUBLIC_URL: {
    group: "Addresses and data",
    sets: "beginning of the addresses of uploads, such as https://chat.example.com",
    unset: "that of the request",
    commands: INSTANCE,
  },
  PARLEY_CORS_ORIGINS: {
    group: "Addresses and data",
    sets: "origins whose pages can call the API from a browser, separated by commas",
    unset: "none",
    commands: INSTANCE,
    page: ["Security", "security.md#browsers"],
  },
  PARLEY_TRUSTED_PROXIES: {
    group: "Addresses and data",
    sets: "IP addresses and ranges of proxies whose X-Forwarded-For header names the client, separated by commas",
    unset: "none",
    commands: INSTANCE,
    page: ["Production", "operators/production.md"],
  },
  PARLEY_SECRETS_KEY: {
    group: "Keys",
    sets: "key that encrypts stored secrets, 64 hex digits, or several separated by commas, of which the first one seals; all processes of one database need the same keys",
    unset: "a file in the data folder",
    commands: [...INSTANCE, "secrets"],
    page: ["The key of stored secrets", "operators/secrets-key.md"],
  },
  PARLEY_ADMIN_KEY: {
    group: "Keys",
    sets: "bearer token of the endpoints below /admin",
    unset: "a file in the data folder",
    commands: INSTANCE,
  },
  PARLEY_APP_SIGN_IN: {
    group: "Keys",
    sets: "on: the installation page and the agent's page of apps need a signed-in agent; off: the app host, on the loopback address, needs no sign-in",
    unset: "off",
    commands: APPS,
    page: ["Security", "security.md#sign-in-to-pages-of-apps"],
  },
  PARLEY_TRUST_APPS: {
    group: "Keys",
    sets: "1 runs packages of apps even where the operating system does not isolate their code",
    unset: "off",
    commands: INSTANCE,
    page: ["Isolation of apps", "operators/app-isolation.md"],
  },
  PARLEY_CALLS_PER_HOUR: {
    group: "Limits and lifetimes",
    sets: "API calls that an account can make in an hour",
    unset: "by plan",
    commands: INSTANCE,
  },
  PARLEY_ADDRESS_DAYS: {
    group: "Limits and lifetimes",
    sets: "days for which the address of an upload is valid",
    unset: "7",
    commands: INSTANCE,
  },
  PARLEY_REPORTS_PER_MINUTE: {
    group: "Limits and lifetimes",
    sets: "raw reports of one event that an account can request in a minute",
    unset: "1",
    commands: INSTANCE,
    page: ["Raw reports", "integrators/reports.md"],
  },
  PARLEY_REPORTS_PER_DAY: {
    group: "Limits and lifetimes",
    sets: "raw reports of one event that an account can request in 24 hours",
    unset: "120",
    commands: INSTANCE,
    page: ["Raw reports", "integrators/reports.md"],
  },
  PARLEY_REPORT_DAYS: {
    group: "Limits and lifetimes",
    sets: "days for which the files of a report are kept",
    unset: "7",
    commands: INSTANCE,
  },
  PARLEY_SESSION_DAYS: {
    group: "Limits and lifetimes",
    sets: "days after which an agent has to sign in again",
    unset: "14",
    commands: INSTANCE,
    page: ["Sign-in", "admins/sign-in.md"],
  },
  PARLEY_SESSION_IDLE_HOURS: {
    group: "Limits and lifetimes",
    sets: "hours without a request after which an agent has to sign in again",
    unset: "24",
    commands: INSTANCE,
    page: ["Sign-in", "admins/sign-in.md"],
  },
  PARLEY_AUDIT_LOG_DAYS: {
    group: "Limits and lifetimes",
    sets: "days for which entries of the audit log are kept",
    unset: "400",
    commands: INSTANCE,
    page: ["Audit log", "admins/audit-log.md"],
  },
  PARLEY_EVENTS_DAYS: {
    group: "Limits and lifetimes",
    sets: "days for which events are kept for replays and for streams that resume",
    unset: "30",
    commands: INSTANCE,
  },
  PARLEY_OUTBOUND_HOST: {
    group: "Outbound messages and webhooks",
    sets: "host for outbound messages, where the token alone identifies the account",
    unset: "outbound.<domain>",
    commands: INSTANCE,
  },
  PARLEY_OUTBOUND_URL: {
    group: "Outbound messages and webhooks",
    sets: "address of your provider of outbound messages; set PARLEY_OUTBOUND_SECRET too",
    unset: "the sandbox",
    commands: INSTANCE,
    page: ["Outbound messages", "integrators/outbound-messages.md"],
  },
  PARLEY_OUTBOUND_SECRET: {
    group: "Outbound messages and webhooks",
    sets: "secret that signs the requests to your provider and its reports",
    unset: "the sandbox",
    commands: INSTANCE,
    page: ["Outbound messages", "integrators/outbound-messages.md"],
  },
  PARLEY_WEBHOOK_RETRIES: {
    group: "Outbound messages and webhooks",
    sets: "delays before each further attempt of a webhook delivery",
    unset: "5s,5m,30m,2h,5h,10h,14h,20h,24h",
    commands: INSTANCE,
    page: ["Webhooks", "integrators/webhooks.md"],
  },
  PARLEY_WEBHOOK_HOLD: {
    group: "Outbound messages and webhooks",
    sets: "time for which a failing delivery holds back its conversation",
    unset: "5m",
    commands: INSTANCE,
  },
  PARLEY_WEBHOOK_OVERLAP_HOURS: {
    group: "Outbound messages and webhooks",
    sets: "hours until a new key signs, and for which a replaced secret still signs",
    unset: "24",
    commands: INSTANCE,
  },
  PARLEY_WEBHOOK_LOOPBACK: {
    group: "Outbound messages and webhooks",
    sets: "whether a webhook can address this machine: on or off",
    unset: "on for a local instance",
    commands: INSTANCE,
  },
  PARLEY_APPS_URL: {
    group: "Apps",
    sets: "origin below which each app has host names of its own on each account, such as https://apps.example.com",
    unset: "http://apps.localhost:<port of the platform>",
    commands: ["serve"],
    page: ["Apps in production", "operators/apps.md"],
  },
  PARLEY_PLATFORM_URL: {
    group: "Apps",
    sets: "address at which the service reaches the platform, such as http://10.0.0.7:10001",
    unset: "http://127.0.0.1:<port of the platform>",
    commands: ["serve"],
    page: ["Apps in production", "operators/apps.md"],
  },
  PARLEY_SERVICE_URL: {
    group: "Apps",
    sets: "address at which the platform reaches the service, such as http://10.0.0.6:10002",
    unset: "http://127.0.0.1:<port of the service>",
    commands: ["serve"],
    page: ["Apps in production", "operators/apps.md"],
  },
  PARLEY_APP_IDLE_SECONDS: {
    group: "Apps",
    sets: "seconds without work after which the process of an installation is stopped",
    unset: "60",
    commands: INSTANCE,
    page: ["Apps in production", "operators/apps.md"],
  },
  PARLEY_APP_PROCESSES: {
    group: "Apps",
    sets: "number of processes of installations that one process of the platform keeps at most",
    unset: "100",
    commands: INSTANCE,
    page: ["Apps in production", "operators/apps.md"],
  },
  PARLEY_APP_MEMORY_MB: {
    group: "Apps",
    sets: "memory for JavaScript objects of one process of an installation, in mebibytes",
    unset: "128",
    commands: INSTANCE,
    page: ["Apps in production", "operators/apps.md"],
  },
  PARLEY_APP_CPU_PERCENT: {
    group: "Apps",
    sets: "share of one processor core that an installation may use for longer than some seconds, before it is slowed down; 100 is one core",
    unset: "50",
    commands: INSTANCE,
    page: ["Apps in production", "operators/apps.md"],
  },
  PARLEY_PAUSED_EVENTS_DAYS: {
    group: "Apps",
    sets: "days for which the events of a paused app are kept",
    unset: "90",
    commands: INSTANCE,
    page: ["Apps in production", "operators/apps.md"],
  },
  PARLEY_SMTP_URL: {
    group: "E-mail",
    sets: "mail server for invitations and password resets, such as smtp://user:password@mail.example.com:587, or smtps://; set PARLEY_MAIL_FROM too",
    unset: "no e-mail is sent; admins get the links",
    commands: INSTANCE,
    page: ["Production", "operators/production.md#e-mail"],
  },
  PARLEY_MAIL_FROM: {
    group: "E-mail",
    sets: "sender of e-mails, such as Parley <parley@example.com>",
    unset: "no e-mail is sent",
    commands: INSTANCE,
    page: ["Production", "operators/production.md#e-mail"],
  },
  ...OBJECTS_ENVIRONMENT,
  ...MONITORING_ENVIRONMENT,
} as const satisfies Readonly<Record<string, EnvironmentRow>>;
export type EnvironmentVariable = keyof typeof ENVIRONMENT;

/** The environment of a process, as far as it configures Parley. */
export type Environment = Readonly<Partial<Record<EnvironmentVariable, string>>>;

/** The rows that a command reads, in their order; all rows without a command. */
export const environmentRows = (command?: EnvironmentCommand): (EnvironmentRow & { readonly name: string })[] =>
  Object.entries<EnvironmentRow>(ENVIRONMENT)
    .filter(([, { commands }]) => command === undefined || commands.includes(command))
    .map(([name, row]) => ({ name, ...row }));
