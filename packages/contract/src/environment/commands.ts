/** Headings of the settings, in the order of the documentation. */
export const ENVIRONMENT_GROUPS = [
  "Addresses and data",
  "Uploads and reports",
  "Keys",
  "Limits and lifetimes",
  "Outbound messages and webhooks",
  "Apps",
  "E-mail",
  "Monitoring",
] as const;

/** The commands that read environment variables. */
export const ENVIRONMENT_COMMANDS = [
  "start",
  "run",
  "serve",
  "load",
  "import",
  "export",
  "backup",
  "restore",
  "secrets",
  "upgrade",
  "objects",
] as const;
/** The commands that run an instance. */
export const INSTANCE_COMMANDS: readonly EnvironmentCommand[] = ["start", "run", "serve"];
export type EnvironmentCommand = (typeof ENVIRONMENT_COMMANDS)[number];

/** A variable of the environment. */
export interface EnvironmentRow {
  readonly group: (typeof ENVIRONMENT_GROUPS)[number];
  /** A noun phrase: the value that the variable sets. */
  readonly sets: string;
  /** The value or behaviour when the variable is not set. */
  readonly unset: string;
  readonly commands: readonly EnvironmentCommand[];
  /** A page with details: its title, and its path from docs/. */
  readonly page?: readonly [title: string, path: string];
}
