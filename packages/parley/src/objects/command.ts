import type { Command } from "commander";
import { parleyConfig } from "../environment/config.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { environmentHelp } from "../output/environment-help.ts";
import { commandLog } from "../output/log.ts";
import { createMoveProgress, decimalMegabytes } from "../output/move-progress.ts";
import { moveInstanceObjects } from "./move.ts";

const MOVE_HELP = `
Copies all objects from PARLEY_OBJECTS_PREVIOUS to PARLEY_OBJECTS, from a folder to a bucket or back, and reads each copy again to
compare its size and digest. Start the service with both variables first: it puts new objects into PARLEY_OBJECTS and finds the earlier objects in
both places. A command that was interrupted continues when you run it again. Nothing is removed without --delete:
docs/operators/objects.md.

Examples:
  npx parley objects move
  npx parley objects move --delete
  npx parley objects move --json

${environmentHelp("objects")}`;

interface MoveFlags {
  readonly json?: boolean;
  readonly delete?: boolean;
}

/** Keys that are printed at most. */
const KEYS_MAX = 20;

const runMove = async (flags: MoveFlags, exit: (status: number) => void): Promise<void> => {
  const removes = flags.delete ?? false;
  const { dataFolder, databaseUrl } = parleyConfig();
  await prepareDataFolder(dataFolder, commandLog);
  const progress = createMoveProgress();
  const { copied, present, different, vanished, bytes, removed, from, to, seconds } = await moveInstanceObjects({
    dataFolder,
    databaseUrl,
    removes,
    progress,
  });
  if (flags.json)
    process.stdout.write(
      `${JSON.stringify({ from, to, copied, present, different, vanished, bytes, removed, seconds })}\n`,
    );
  else {
    const rest = removes ? `${removed} were removed from ${from}.` : `Nothing was removed from ${from}.`;
    process.stdout.write(
      `Done after ${seconds} s: ${copied} objects (${decimalMegabytes(bytes)} MB) were copied from ${from} to ${to}, and ${present} were there before. ` +
        `All copies are verified. ${rest}\n`,
    );
  }
  if (different.length === 0) return;
  const more = different.length > KEYS_MAX ? `, and ${different.length - KEYS_MAX} more` : "";
  process.stderr.write(
    `${different.length} objects have another content in ${to}, which was kept: ${different.slice(0, KEYS_MAX).join(", ")}${more}. ` +
      `Compare them with those in ${from}, and remove the wrong objects.\n`,
  );
  exit(1);
};

/** `parley objects`: moves uploads and reports between a folder and a bucket. */
export const addObjects = (program: Command, exit: (status: number) => void) => {
  const objects = program.command("objects").description("move uploads and reports between a folder and a bucket");
  objects
    .command("move")
    .description("copy objects from PARLEY_OBJECTS_PREVIOUS to PARLEY_OBJECTS; the instance can keep running")
    .option("--delete", "remove each object from the previous place once its copy is verified")
    .option("--json", "print one line of JSON")
    .addHelpText("after", MOVE_HELP)
    .action((flags: MoveFlags) => runMove(flags, exit));
};
