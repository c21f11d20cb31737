import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { UsageFailure } from "../failure.ts";
import { trueFolder } from "../start/instance.ts";

/** -> why it can't be seen; undefined where it can. */
const hidden = (path: string): Promise<string | undefined> =>
  stat(path).then(
    () => undefined,
    ({ code = "error" }: NodeJS.ErrnoException) => code,
  );

/** Folders of apps, each once and by its whole name; this one where none is given. @errors UsageFailure for one that is none */
export async function appFolders(dirs: readonly string[], cwd: string): Promise<string[]> {
  const folders: string[] = [];
  for (const dir of dirs.length > 0 ? dirs : ["."]) {
    const folder = resolve(cwd, dir);
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
  }
  return folders;
}
