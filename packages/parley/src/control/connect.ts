import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { adminKeyOf } from "../admin/connect.ts";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";
import { findInstance, resolveFolder, type InstanceApp, type FoundInstance } from "../instance/instance.ts";
import { controlCalls, type ControlCalls } from "./calls.ts";

/** A running app with a client for the control API of its host. */
export interface ControlConnection {
  readonly instance: FoundInstance;
  readonly app: InstanceApp;
  readonly calls: ControlCalls;
}

const isInside = (folder: string, path: string): boolean => {
  const relativePath = relative(folder, path);
  return relativePath === "" || (!relativePath.startsWith("..") && !isAbsolute(relativePath));
};

const chooseApp = (apps: readonly InstanceApp[], path: string, nameOrFolder: string | undefined): InstanceApp => {
  const found =
    apps.find(({ folder, name }) => folder === path || name === nameOrFolder) ??
    // A path inside an app's folder matches only if it exists; otherwise the argument is a misspelt name.
    (nameOrFolder === undefined || existsSync(path) ? apps.find(({ folder }) => isInside(folder, path)) : undefined) ??
    (apps.length === 1 && nameOrFolder === undefined ? apps[0] : undefined);
  if (found) return found;
  const names = apps.map(({ name, folder }) => `${name} (${folder})`).join(", ");
  const problem = nameOrFolder === undefined ? "Several apps run here" : `No app ${printable(nameOrFolder)} runs here`;
  throw new CommandFailure(`${problem}. Name one with --app: ${names}.`);
};

/** Finds the host of the app that is given by folder or name, or of the app in the current folder. @errors CommandFailure */
export async function connectApp(nameOrFolder: string | undefined): Promise<ControlConnection> {
  const cwd = process.cwd();
  const path = await resolveFolder(resolve(cwd, nameOrFolder ?? "."));
  const folders = [parleyConfig(undefined, path), parleyConfig(undefined, cwd)].map(({ dataFolder }) => dataFolder);
  const instance = (await findInstance(folders[0] ?? "")) ?? (await findInstance(folders[1] ?? ""));
  if (!instance)
    throw new CommandFailure(
      `No app runs in ${folders[0] ?? ""}. Start it with 'parley run' in its folder, or name another folder with --app.`,
    );
  const app = chooseApp(instance.apps ?? [], path, nameOrFolder);
  return { instance, app, calls: controlCalls(app.app, await adminKeyOf(instance.folder)) };
}
