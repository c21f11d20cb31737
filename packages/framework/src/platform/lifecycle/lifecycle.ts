import {
  APP_INSTALLED,
  APP_NOT_FOUND,
  APP_NOT_INSTALLED,
  APP_REFUSED,
  APP_VERSION_NOT_FOUND,
  IPARAMS_REFUSED,
  NO_PREVIOUS_VERSION,
  refuse,
  type InstallationAction,
  type Permission,
  type InstallationDetails,
  type InstallationUpgrade,
  type InstalledApp,
  type NewInstallation,
} from "@parley/contract";
import type { HostPorts } from "../../environment/ports.ts";
import { SITE_NAMES_MAX, siteLabel } from "../../pages/origin.ts";
import { installationReport, type ChangeAuthor } from "../../identity/change-reports.ts";
import { ownAccountValues, type InstallWorkflow } from "../../installation/workflow/install.ts";
import { appTitle, type Project } from "../../model/project.ts";
import { keyParametersOf, keyPermissions } from "../../package/validate/key-permissions.ts";
import type { AppUnit } from "../../unit/app-unit.ts";
import type { PublishedUnits, VersionSource } from "../published/published-units.ts";
import type { PublishedInstallation, PublishedInstallationStore } from "../published/store.ts";
import type { PlatformServiceClient } from "./service-client.ts";
import type { InstallationSubscriptions } from "./subscriptions.ts";

/** The life of installations of published apps. @errors Refusal */
export interface InstallationLifecycle {
  list(account: string): Promise<readonly InstallationDetails[]>;
  find(account: string, name: string): Promise<InstallationDetails>;
  install(account: string, wanted: NewInstallation, author: ChangeAuthor): Promise<InstalledApp>;
  upgrade(account: string, name: string, to: InstallationUpgrade, author: ChangeAuthor): Promise<InstalledApp>;
  rollBack(account: string, name: string, author: ChangeAuthor): Promise<InstalledApp>;
  pause(account: string, name: string, author: ChangeAuthor): Promise<InstalledApp>;
  resume(account: string, name: string, author: ChangeAuthor): Promise<InstalledApp>;
  uninstall(account: string, name: string, author: ChangeAuthor): Promise<InstalledApp>;
}

interface LifecycleDeps extends Pick<HostPorts, "now" | "newId"> {
  readonly store: PublishedInstallationStore;
  readonly units: PublishedUnits;
  readonly versions: VersionSource;
  readonly service: PlatformServiceClient;
  readonly subscriptions: InstallationSubscriptions;
  readonly domainSuffix: string;
  /** Address of the installation page of an app on an account. */
  readonly pageOf: (app: string, account: string) => string;
  /** Called after each change: its report can be sent. */
  readonly changed: () => void;
}

type Outcome = Awaited<ReturnType<InstallWorkflow>>;

const keyValues = (project: Project, token: string): Record<string, string> =>
  Object.fromEntries(keyParametersOf(project).map((key) => [key, token]));

const installedApp = ({ id, project, version, account, state }: PublishedInstallation): InstalledApp => ({
  id,
  name: project,
  version,
  account,
  state,
});

/** @errors IPARAMS_REFUSED, APP_REFUSED */
const settled = (outcome: Outcome): void => {
  if (outcome.ok) return;
  const fields = Object.entries(outcome.errors).map(([key, text]) => `${key}: ${text}`);
  if (outcome.isByApp) refuse(APP_REFUSED, outcome.message);
  refuse(IPARAMS_REFUSED, [outcome.message, ...fields].join(" "));
};

export const createInstallationLifecycle = (deps: LifecycleDeps): InstallationLifecycle => {
  const { units, versions, service, subscriptions, now, newId, store } = deps;

  const present = async (account: string, name: string): Promise<PublishedInstallation> =>
    (await store.find({ project: name, account })) ?? refuse(APP_NOT_INSTALLED);

  const permissionsOf = (project: Project | undefined): readonly Permission[] =>
    project ? keyPermissions(project, deps.domainSuffix).permissions : [];

  /**
   * Whether a version gets a key of its own.
   * @shape before: the permissions of the version that is replaced
   */
  const needsNewKey = (project: Project, before: readonly Permission[]): boolean => {
    const { permissions, undecided } = keyPermissions(project, deps.domainSuffix);
    if (keyParametersOf(project).length === 0 || permissions.every((permission) => before.includes(permission)))
      return false;
    // A key with more permissions than are known to be needed is created by a person only.
    return undecided.length === 0;
  };
  const upgradeCreatesKey = async (name: string, version: string, newer: string): Promise<boolean> => {
    const [before, after] = await Promise.all([versions.project(name, version), versions.project(name, newer)]);
    return after !== undefined && needsNewKey(after, permissionsOf(before));
  };

  /** -> undefined when the app is not installed any more */
  const details = async (stored: PublishedInstallation): Promise<InstallationDetails | undefined> => {
    const installation = await subscriptions.confirmed(stored);
    if (!installation) return undefined;
    const { project: name, account, version, previous_version, created_time, updated_time, paused_time } = installation;
    const newest = await versions.newest(name, account);
    return {
      ...installedApp(installation),
      title: appTitle(name),
      page: deps.pageOf(name, account),
      ...(newest !== undefined &&
        newest !== version && {
          newer_version: newest,
          upgrade_creates_key: await upgradeCreatesKey(name, version, newest),
        }),
      ...(previous_version !== null && { previous_version }),
      installed_time: created_time.toISOString(),
      changed_time: updated_time.toISOString(),
      ...(paused_time && { paused_time: paused_time.toISOString() }),
      is_running: installation.is_running,
    };
  };

  /** The version to install: the wanted version, or the newest. @errors APP_NOT_FOUND, APP_VERSION_NOT_FOUND */
  const versionFor = async (account: string, name: string, wanted: string | undefined): Promise<string> => {
    const newest = await versions.newest(name, account);
    if (newest === undefined) return refuse(APP_NOT_FOUND);
    if (wanted === undefined) return newest;
    return (await versions.isOffered(name, account, wanted)) ? wanted : refuse(APP_VERSION_NOT_FOUND);
  };
  const unitFor = async (account: string, name: string, version: string): Promise<AppUnit> =>
    (await units.openVersion({ project: name, account }, version)) ?? refuse(APP_VERSION_NOT_FOUND);

  /** Completes a change: the subscription follows the installation. */
  const completed = async (account: string, name: string): Promise<InstalledApp> => {
    const installation = await present(account, name);
    deps.changed();
    await subscriptions.synchronise(installation);
    // The processes of a replaced version end.
    await units.open({ project: name, account });
    return installedApp(installation);
  };

  /**
   * A key for the key parameters that the caller left out, with exactly the permissions that the app needs.
   * @shape before: the permissions of the version that is replaced: a key is created only if more are needed
   * @errors Refusal: FORBIDDEN for an agent who may not create keys
   */
  const ownKey = async (
    account: string,
    project: Project,
    iparams: object,
    author: ChangeAuthor,
    before: readonly Permission[] = [],
  ) => {
    const isGiven = keyParametersOf(project).every((key) => Object.hasOwn(iparams, key));
    if (isGiven || !needsNewKey(project, before)) return undefined;
    const { permissions } = keyPermissions(project, deps.domainSuffix);
    return service.createKey(account, { name: `app ${project.name}`, permissions, agentId: author.agent?.agent_id });
  };

  const changeState = async (
    account: string,
    name: string,
    state: "active" | "paused",
    action: InstallationAction,
    author: ChangeAuthor,
  ): Promise<InstalledApp> => {
    const { id } = await present(account, name);
    const report = installationReport(author, { id: newId(), account, app: name, action, members: [] });
    await store.setState(id, state, now(), report);
    return completed(account, name);
  };

  const operations: InstallationLifecycle = {
    async list(account) {
      await service.requireAccount(account);
      const listed = await Promise.all((await store.ofAccount(account)).map(details));
      return listed.filter((installation) => installation !== undefined);
    },
    find: async (account, name) => (await details(await present(account, name))) ?? refuse(APP_NOT_INSTALLED),
    async install(account, { name, version: wanted, iparams = {} }, author) {
      await service.requireAccount(account);
      const version = await versionFor(account, name, wanted);
      if (await store.find({ project: name, account })) refuse(APP_INSTALLED);
      if (siteLabel(name, account) === undefined)
        refuse(
          APP_REFUSED,
          `The names ${name} and ${account} are too long together for the host name of the app on this account: they may have ${SITE_NAMES_MAX} characters in all. Publish the app under a shorter name.`,
        );
      const unit = await unitFor(account, name, version);
      if (await unit.engine.installations.find())
        refuse(
          APP_INSTALLED,
          "The app is read from a folder and installed on this account. Stop it there first, and uninstall it.",
        );
      const key = await ownKey(account, unit.project(), iparams, author);
      const own = ownAccountValues(unit.project().iparams, {
        domain: unit.engine.account.domain,
        ...(key && { apiKey: key.token }),
      });
      const outcome = await unit.engine.install({ values: { ...own, ...iparams }, attributes: {} }, author);
      if (!outcome.ok && key) await service.revokeKey(key.id);
      settled(outcome);
      return completed(account, name);
    },
    async upgrade(account, name, { version: wanted, iparams = {} }, author) {
      const installation = await present(account, name);
      const version = await versionFor(account, name, wanted);
      if (version === installation.version && Object.keys(iparams).length === 0) return completed(account, name);
      const unit = await unitFor(account, name, version);
      const before = await versions.project(name, installation.version);
      const key = await ownKey(account, unit.project(), iparams, author, permissionsOf(before));
      const own = key ? keyValues(unit.project(), key.token) : {};
      const outcome = await unit.engine.install({ values: { ...own, ...iparams }, attributes: {} }, author);
      if (!outcome.ok && key) await service.revokeKey(key.id);
      settled(outcome);
      return completed(account, name);
    },
    async rollBack(account, name, author) {
      const { id } = await present(account, name);
      const previous = (await store.previous(id)) ?? refuse(NO_PREVIOUS_VERSION);
      const unit = await unitFor(account, name, previous.version);
      const answer = await unit.engine.calls.setUp("afterAppUpdate", {
        values: JSON.parse(previous.given) as Record<string, never>,
        secureValues: {},
      });
      if (!answer.ok) refuse(APP_REFUSED, answer.message);
      const members = [`version ${previous.version}`];
      const report = installationReport(author, { id: newId(), account, app: name, action: "app.rollback", members });
      if (!(await store.rollBack(id, now(), report))) refuse(NO_PREVIOUS_VERSION);
      return completed(account, name);
    },
    pause: (account, name, author) => changeState(account, name, "paused", "app.pause", author),
    resume: (account, name, author) => changeState(account, name, "active", "app.resume", author),
    async uninstall(account, name, author) {
      const installation = await present(account, name);
      await subscriptions.end(installation);
      const unit = await units.open({ project: name, account });
      await unit?.engine.uninstall(author);
      deps.changed();
      return installedApp(installation);
    },
  };
  return {
    ...operations,
    install: (account, wanted, author) =>
      store.inTurn({ project: wanted.name, account }, () => operations.install(account, wanted, author)),
    upgrade: (account, name, to, author) =>
      store.inTurn({ project: name, account }, () => operations.upgrade(account, name, to, author)),
    rollBack: (account, name, author) =>
      store.inTurn({ project: name, account }, () => operations.rollBack(account, name, author)),
    pause: (account, name, author) =>
      store.inTurn({ project: name, account }, () => operations.pause(account, name, author)),
    resume: (account, name, author) =>
      store.inTurn({ project: name, account }, () => operations.resume(account, name, author)),
    uninstall: (account, name, author) =>
      store.inTurn({ project: name, account }, () => operations.uninstall(account, name, author)),
  };
};
