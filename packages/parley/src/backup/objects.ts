import { join } from "node:path";
import { serviceConfig } from "@parley/service/config";
import {
  currentPlace,
  folderStore,
  listObjects,
  moveObjects,
  openPlaces,
  type ObjectStore,
} from "@parley/service/objects";
import { copyIfPresent } from "./folder.ts";

/** Uploads and reports of an instance. */
export interface InstanceObjects {
  readonly store: ObjectStore;
  /** Their only folder; undefined if there are objects in another place. */
  readonly folder: string | undefined;
}

/** Opens the places of uploads and reports, as `parley serve` does. @errors UsageFailure */
export const openInstanceObjects = async (dataFolder: string): Promise<InstanceObjects> => {
  const { objects: config = {} } = serviceConfig();
  const defaultFolder = join(dataFolder, "objects");
  const place = currentPlace(config, defaultFolder);
  const { objects } = await openPlaces(config, defaultFolder);
  return { store: objects, folder: place.kind === "folder" && !config.previous ? place.folder : undefined };
};

const copyFolder = async (from: string, to: string): Promise<number> => {
  let count = 0;
  for (const path of await listObjects(from)) if (await copyIfPresent(join(from, path), join(to, path))) count += 1;
  return count;
};

/** Copies all objects to a folder of a backup. Those that are removed meanwhile are left out: erased uploads stay erased. -> how many */
export const saveObjects = async ({ store, folder }: InstanceObjects, to: string): Promise<number> => {
  if (folder !== undefined) return copyFolder(folder, to);
  return (await moveObjects({ from: store, to: folderStore(to), removes: false })).copied;
};

/** Copies all objects from a folder of a backup. One that is in the bucket already is kept. -> how many are there */
export const restoreObjects = async (from: string, { store, folder }: InstanceObjects): Promise<number> => {
  if (folder !== undefined) return copyFolder(from, folder);
  const { copied, present, different } = await moveObjects({ from: folderStore(from), to: store, removes: false });
  return copied + present + different.length;
};
