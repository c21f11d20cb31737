import type { ConsoleApp } from "@parley/contract";
import type { VersionSource } from "../published/published-units.ts";
import type { PublishedInstallationStore } from "../published/store.ts";
import { consoleAppOf, type ListConsoleApps } from "./console-app.ts";

interface PublishedConsoleAppsDeps {
  readonly store: Pick<PublishedInstallationStore, "ofAccount">;
  readonly versions: Pick<VersionSource, "project">;
  /** Origin of the site of an app on an account. */
  readonly originOf: (app: string, account: string) => string;
}

/** Kept results. Beyond it the oldest is dropped. */
const KEPT_MAX = 1_000;

/** Lists the active installations of published apps. A version never changes, so that its files are read once. */
export const publishedConsoleApps = ({ store, versions, originOf }: PublishedConsoleAppsDeps): ListConsoleApps => {
  const kept = new Map<string, Promise<ConsoleApp | undefined>>();

  const load = async (name: string, version: string, origin: string): Promise<ConsoleApp | undefined> => {
    const project = await versions.project(name, version);
    const app = project && (await consoleAppOf(project, origin));
    // The published name can differ from the name in the package.
    return app && { ...app, name };
  };
  const appOf = (name: string, version: string, account: string): Promise<ConsoleApp | undefined> => {
    const key = `${account}/${name}@${version}`;
    const known = kept.get(key);
    if (known) return known;
    const loaded = load(name, version, originOf(name, account));
    kept.set(key, loaded);
    loaded.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return loaded;
  };

  return async (account) => {
    const active = (await store.ofAccount(account)).filter(({ state }) => state === "active");
    const apps = await Promise.all(active.map(({ project, version }) => appOf(project, version, account)));
    return apps.filter((app) => app !== undefined);
  };
};
