import Type, { type Static } from "typebox";
import { Time } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";
import { APP_NOT_FOUND, APP_VERSION_NOT_FOUND, AppVersionName, SPEC_OF_PLATFORM } from "./packages.ts";

/**
 * States of an installation: active → paused → active; uninstalled installations don't exist.
 * While an installation is paused, its events wait in order and its schedules don't fire.
 */
export const INSTALLATION_STATES = ["active", "paused"] as const;
export type InstallationState = (typeof INSTALLATION_STATES)[number];

/** The answer to each step of an installation's life. */
export const InstalledApp = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    version: Type.String(),
    account: Type.String(),
    state: Type.Enum([...INSTALLATION_STATES]),
  },
  { title: "InstalledApp" },
);
export type InstalledApp = Static<typeof InstalledApp>;

/** An installation as admins see it. It contains no secure value. */
export const InstallationDetails = Type.Object(
  {
    ...InstalledApp.properties,
    title: Type.String(),
    page: Type.String({ description: "Address of its installation page." }),
    /** The newest version that the account can install, if it differs from the installed version. */
    newer_version: Type.Optional(Type.String()),
    /** Whether an upgrade to the newer version creates an API key, because it needs more permissions: an agent must be an account admin for it. */
    upgrade_creates_key: Type.Optional(Type.Boolean()),
    /** The version that a rollback returns to. */
    previous_version: Type.Optional(Type.String()),
    installed_time: Time,
    changed_time: Time,
    paused_time: Type.Optional(Time),
    /** Whether a process is running its code at present. */
    is_running: Type.Boolean(),
  },
  { title: "InstallationDetails" },
);
export type InstallationDetails = Static<typeof InstallationDetails>;

/** Parameters by key. Those that are left out keep their value, or get their default. */
const Values = Type.Optional(Type.Record(Type.String(), Type.Unknown()));

export const NewInstallation = Type.Object(
  { name: Type.String(), version: Type.Optional(AppVersionName), iparams: Values },
  { title: "NewInstallation" },
);
export type NewInstallation = Static<typeof NewInstallation>;

export const InstallationUpgrade = Type.Object(
  { version: Type.Optional(AppVersionName), iparams: Values },
  { title: "InstallationUpgrade" },
);
export type InstallationUpgrade = Static<typeof InstallationUpgrade>;

export const APP_INSTALLED = problem({
  code: 409,
  status: "APP_INSTALLED",
  message: "The app is installed on this account.",
  remedy: "Upgrade it, or change its parameters on its installation page.",
});
export const APP_NOT_INSTALLED = problem({
  code: 404,
  status: "APP_NOT_INSTALLED",
  message: "The app is not installed on this account.",
});
/** The message names the parameters. */
export const IPARAMS_REFUSED = problem({
  code: 422,
  status: "IPARAMS_REFUSED",
  message: "Installation parameters are missing or invalid.",
  remedy: "Correct the parameters that the message names.",
});
/** The message is the app's own. */
export const APP_REFUSED = problem({
  code: 422,
  status: "APP_REFUSED",
  message: "The app refused the change.",
});
export const NO_PREVIOUS_VERSION = problem({
  code: 409,
  status: "NO_PREVIOUS_VERSION",
  message: "There is no upgrade to roll back.",
});

const ADMINS = { adminKey: true, session: sessionsOf("ADMIN", "account") } as const;
/** Path of the apps of an account. */
export const ACCOUNT_APPS = "/platform/accounts/{account}/apps";

/** Installations of apps on accounts. */
export const appInstallations = {
  listInstallations: endpoint({
    route: `GET ${ACCOUNT_APPS}`,
    summary: "List the apps that are installed on an account",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    reply: { code: 200, body: Type.Object({ apps: Type.Array(InstallationDetails) }) },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  getInstallation: endpoint({
    route: `GET ${ACCOUNT_APPS}/{name}`,
    summary: "Get an installation",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    reply: { code: 200, body: InstallationDetails },
    problems: [APP_NOT_INSTALLED],
  }),
  installApp: endpoint({
    route: `POST ${ACCOUNT_APPS}`,
    summary: "Install an app on an account",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    body: NewInstallation,
    reply: { code: 201, body: InstalledApp },
    problems: [ACCOUNT_NOT_FOUND, APP_NOT_FOUND, APP_VERSION_NOT_FOUND, APP_INSTALLED, IPARAMS_REFUSED, APP_REFUSED],
  }),
  upgradeApp: endpoint({
    route: `POST ${ACCOUNT_APPS}/{name}/upgrade`,
    summary: "Upgrade an installation to another version, the newest one by default",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    body: InstallationUpgrade,
    reply: { code: 200, body: InstalledApp },
    problems: [APP_NOT_INSTALLED, APP_VERSION_NOT_FOUND, IPARAMS_REFUSED, APP_REFUSED],
  }),
  rollBackApp: endpoint({
    route: `POST ${ACCOUNT_APPS}/{name}/rollback`,
    summary: "Return an installation to the version and the parameters that it had before its last upgrade",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    reply: { code: 200, body: InstalledApp },
    problems: [APP_NOT_INSTALLED, NO_PREVIOUS_VERSION, APP_REFUSED],
  }),
  pauseApp: endpoint({
    route: `POST ${ACCOUNT_APPS}/{name}/pause`,
    summary: "Pause an installation: its events wait in order until it is resumed",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    reply: { code: 200, body: InstalledApp },
    problems: [APP_NOT_INSTALLED],
  }),
  resumeApp: endpoint({
    route: `POST ${ACCOUNT_APPS}/{name}/resume`,
    summary: "Resume a paused installation: it receives the events that waited",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    reply: { code: 200, body: InstalledApp },
    problems: [APP_NOT_INSTALLED],
  }),
  uninstallApp: endpoint({
    route: `DELETE ${ACCOUNT_APPS}/{name}`,
    summary: "Uninstall an app and remove everything that it stored for the account",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    reply: { code: 200, body: InstalledApp },
    problems: [APP_NOT_INSTALLED],
  }),
};
