import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { UsageFailure } from "../failure.ts";
import { isPackage, unpackedFolder } from "./packages.ts";
import { trueFolder } from "../start/instance.ts";

/** -> why it can't be seen; undefined where it can. */
const hidden = (path: string): Promise<string | undefined> =>
  stat(path).then(
    () => undefined,
    ({ code = "error" }: NodeJS.ErrnoException) => code,
  );

export interface AppFolders {
  readonly folders: readonly string[];
  /** Those of them that were unpacked from packages: code that somebody else answers for. */
  readonly packages: ReadonlySet<string>;
}

/** Folders of apps, each once and by its whole name; this one where none is given. @errors UsageFailure for one that is none */
export async function appFolders(dirs: readonly string[], cwd: string): Promise<AppFolders> {
  const folders: string[] = [];
  const packages = new Set<string>();
  for (const dir of dirs.length > 0 ? dirs : ["."]) {
    const given = resolve(cwd, dir);
    const isPacked = await isPackage(given);
    const folder = isPacked ? await unpackedFolder(given) : given;
    const reason = await hidden(join(folder, "manifest.json"));
    if (reason === "EACCES")
      throw new UsageFailure(
        `The folder ${folder} can't be read (${reason}). Let this user read it, or be another one.`,
      );
    if (reason !== undefined)
      throw new UsageFailure(
        `There is no app in ${folder}: it has no manifest.json. Go to an app's folder, name one, or make one with 'parley init'.`,
      );
    const whole = await trueFolder(folder);
    if (!folders.includes(whole)) folders.push(whole);
    if (isPacked) packages.add(whole);
  }
  return { folders, packages };
}
