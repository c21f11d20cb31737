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

const isInside = (folder: string, place: string): boolean => {
  const path = relative(folder, place);
  return path === "" || (!path.startsWith("..") && !isAbsolute(path));
};

const chooseApp = (apps: readonly InstanceApp[], place: string, wanted: string | undefined): InstanceApp => {
  const found =
    apps.find(({ folder, name }) => folder === place || name === wanted) ??
    // A path inside an app's folder matches only if it exists; otherwise the argument is a misspelt name.
    (wanted === undefined || existsSync(place) ? apps.find(({ folder }) => isInside(folder, place)) : undefined) ??
    (apps.length === 1 && wanted === undefined ? apps[0] : undefined);
  if (found) return found;
  const names = apps.map(({ name, folder }) => `${name} (${folder})`).join(", ");
  const none = wanted === undefined ? "Several apps run here" : `No app ${printable(wanted)} runs here`;
  throw new CommandFailure(`${none}. Name one with --app: ${names}.`);
};

/** Finds the host of the app that is given by folder or name, or of the app in the current folder. @errors CommandFailure */
export async function connectApp(wanted: string | undefined): Promise<ControlConnection> {
  const cwd = process.cwd();
  const place = await resolveFolder(resolve(cwd, wanted ?? "."));
  const folders = [parleyConfig(undefined, place), parleyConfig(undefined, cwd)].map(({ dataFolder }) => dataFolder);
  const instance = (await findInstance(folders[0] ?? "")) ?? (await findInstance(folders[1] ?? ""));
  if (!instance)
    throw new CommandFailure(
      `No app runs in ${folders[0] ?? ""}. Start it with 'parley run' in its folder, or name another folder with --app.`,
    );
  const app = chooseApp(instance.apps ?? [], place, wanted);
  return { instance, app, calls: controlCalls(app.app, await adminKeyOf(instance.folder)) };
}
