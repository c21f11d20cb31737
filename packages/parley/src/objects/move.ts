import { stat } from "node:fs/promises";
import { join } from "node:path";
import { joinDatabase } from "@parley/database";
import { SERVICE_SCHEMA } from "@parley/service/operation";
import { serviceConfig } from "@parley/service/config";
import {
  currentPlace,
  isSamePlace,
  moveObjects,
  openPlace,
  openPlaces,
  placeText,
  type MoveCounts,
} from "@parley/service/objects";
import { CommandFailure } from "../environment/failure.ts";
import { commandLog } from "../output/log.ts";
import { lockMove } from "./store.ts";

interface InstanceMove {
  readonly dataFolder: string;
  /** undefined: the embedded server. */
  readonly databaseUrl: string | undefined;
  /** Removes each object from the previous place once its copy is verified. */
  readonly removes: boolean;
  readonly progress: (counts: MoveCounts) => void;
}

interface MoveResult extends MoveCounts {
  /** Texts of the places. */
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
}

/** Runs `work` while no other move runs: two that remove originals would take the other's removals for those of the service. */
const withMoveLock = async <T>(
  { dataFolder, databaseUrl }: InstanceMove,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const database = await joinDatabase({ dataFolder, url: databaseUrl, log: commandLog });
  try {
    const connection = await database.connect(SERVICE_SCHEMA);
    if (!(await lockMove(connection)))
      throw new CommandFailure("Another command moves objects on this database. Wait until it has ended.");
    const lost = new AbortController();
    connection.onLost(() =>
      lost.abort(new CommandFailure("The database was lost. Run the command again; it continues.")),
    );
    try {
      return await work(lost.signal);
    } finally {
      await connection.close();
    }
  } finally {
    await database.close();
  }
};

/**
 * Copies the objects of an instance from its previous place to the present place.
 * @errors CommandFailure, UsageFailure for wrong settings; ObjectStoreFailure
 */
export async function moveInstanceObjects(options: InstanceMove): Promise<MoveResult> {
  const { dataFolder, removes, progress } = options;
  const beginMs = performance.now();
  const { objects: config = {} } = serviceConfig();
  const defaultFolder = join(dataFolder, "objects");
  const current = currentPlace(config, defaultFolder);
  const { previous } = config;
  if (!previous)
    throw new CommandFailure(
      "PARLEY_OBJECTS_PREVIOUS is not set. Set it to the folder or s3://<bucket>/<prefix> from which the objects move, and " +
        "PARLEY_OBJECTS to the folder or bucket to which they move.",
    );
  if (isSamePlace(current, previous))
    throw new CommandFailure(
      `PARLEY_OBJECTS_PREVIOUS and PARLEY_OBJECTS (by default a folder of the data folder) are the same: ${placeText(current)}.`,
    );
  const isFolder = (path: string): Promise<boolean> =>
    stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
  if (previous.kind === "folder" && !(await isFolder(previous.folder)))
    throw new CommandFailure(
      `${previous.folder} is not a folder. Set PARLEY_OBJECTS_PREVIOUS to the folder of the objects.`,
    );
  const { objects: to, spoolFolder } = await openPlaces({ place: current }, defaultFolder);
  const from = await openPlace(previous, spoolFolder);
  // Both are checked before anything is copied.
  await to.check();
  await from.check();
  const counts = await withMoveLock(options, (signal) => moveObjects({ from, to, removes, progress, signal }));
  return {
    ...counts,
    from: placeText(previous),
    to: placeText(current),
    seconds: Number(((performance.now() - beginMs) / 1_000).toFixed(1)),
  };
}
