import { resolve } from "node:path";
import { isSamePlace, type ObjectsConfig, type ObjectsPlace } from "./config.ts";
import { createFolder, folderStore } from "./folder-store.ts";
import type { ObjectStore } from "./object-store.ts";
import type { PlaceWarning } from "./bucket-warnings.ts";
import { withPrevious } from "./previous-store.ts";

export { isSamePlace, objectsConfig, type ObjectsConfig, type ObjectsPlace } from "./config.ts";
export { type ObjectStore } from "./object-store.ts";
export { moveObjects, type MoveCounts } from "./move.ts";
export { folderStore } from "./folder-store.ts";
export { listObjects } from "./listing.ts";

/** Text that names a place in messages, without credentials. */
export const placeText = (place: ObjectsPlace): string =>
  place.kind === "folder" ? place.folder : `s3://${place.bucket}/${place.prefix}`;

/** The place of the settings, or the default. @shape defaultFolder: folder of objects in the data folder */
export const currentPlace = ({ place }: ObjectsConfig, defaultFolder: string): ObjectsPlace =>
  place ?? { kind: "folder", folder: resolve(defaultFolder) };

/**
 * Opens one place without checking it.
 * @shape spoolFolder: existing folder in which contents are received for a bucket
 */
export const openPlace = async (place: ObjectsPlace, spoolFolder: string): Promise<ObjectStore> => {
  if (place.kind === "folder") return folderStore(place.folder);
  // Imported on first use: the libraries are not needed for a folder.
  const { bucketStore } = await import("./bucket-store.ts");
  return bucketStore(place, { folder: spoolFolder });
};

/** Facts that an operator should know about a working place. @errors ObjectStoreFailure */
export const placeWarnings = async (place: ObjectsPlace): Promise<PlaceWarning[]> =>
  place.kind === "folder" ? [] : (await import("./bucket-warnings.ts")).bucketWarnings(place);

interface OpenedPlaces {
  readonly objects: ObjectStore;
  /** Existing folder for contents that are being received. */
  readonly spoolFolder: string;
}

/**
 * Opens the places of the settings. Folders are created.
 * @errors UsageFailure for a folder that can't be written
 */
export async function openPlaces(config: ObjectsConfig, defaultFolder: string): Promise<OpenedPlaces> {
  const current = currentPlace(config, defaultFolder);
  const { previous } = config;
  const spoolFolder = current.kind === "folder" ? current.folder : resolve(defaultFolder);
  await createFolder(spoolFolder);
  const objects = await openPlace(current, spoolFolder);
  if (!previous || isSamePlace(current, previous)) return { objects, spoolFolder };
  if (previous.kind === "folder") await createFolder(previous.folder);
  return { objects: withPrevious(objects, await openPlace(previous, spoolFolder)), spoolFolder };
}
