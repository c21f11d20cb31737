import type { Command } from "commander";
import { connectAdmin } from "../../admin/connect.ts";
import { table } from "../../output/table.ts";

const HELP = `
A snapshot holds all data of the instance: accounts, what was said, apps' installations and records, work that waits, uploads.
Clock and faults stay as they are when one is loaded. The snapshot named seed is what 'parley reset' returns to.

Examples:
  parley snapshot save three-customers
  parley snapshot load three-customers
  parley snapshot save seed                   a reset returns to this from now on
  parley snapshot list
  parley snapshot remove three-customers`;

interface Options {
  readonly json?: boolean;
}

const print = (text: string) => void process.stdout.write(`${text}\n`);

async function list({ json }: Options): Promise<void> {
  const { world } = await connectAdmin();
  const { snapshots } = await world.getWorld({});
  if (json) return print(JSON.stringify(snapshots));
  if (snapshots.length === 0) return print("No snapshot is saved yet. 'parley snapshot save <name>' saves one.");
  print(
    table(
      ["name", "saved", "rows", "files", ""],
      snapshots.map(({ name, saved_time, rows, files, loadable }) => [
        name,
        saved_time,
        String(rows),
        String(files),
        loadable ? "" : "of another release: can't be loaded",
      ]),
    ),
  );
}

async function saveOrLoad(act: "save" | "load", name: string, { json }: Options): Promise<void> {
  const { world } = await connectAdmin();
  const done = await (act === "save" ? world.saveSnapshot : world.loadSnapshot)({ params: { name } });
  const said = act === "save" ? "is saved" : "is loaded";
  print(json ? JSON.stringify(done) : `The snapshot ${done.snapshot} ${said}, after ${done.milliseconds} ms.`);
}

async function remove(name: string, { json }: Options): Promise<void> {
  const { world } = await connectAdmin();
  const gone = await world.removeSnapshot({ params: { name } });
  print(json ? JSON.stringify(gone) : `The snapshot ${gone.name} is removed.`);
}

/** `parley snapshot`: saves and loads named copies of all data. */
export const addSnapshot = (program: Command, _exit: (status: number) => void): void => {
  const snapshot = program
    .command("snapshot")
    .description("save all data of the running instance under a name, and load it again")
    .addHelpText("after", HELP);
  const act = (word: string, description: string) =>
    snapshot
      .command(word)
      .description(description)
      .option("--json", "print one line of JSON")
      .addHelpText("after", HELP);
  act("save", "save all data under a name, in place of what was saved under it")
    .argument("<name>", "lower-case letters, digits, hyphens and underscores")
    .action((name: string, options: Options) => saveOrLoad("save", name, options));
  act("load", "put saved data in place of the present data")
    .argument("<name>", "the snapshot")
    .action((name: string, options: Options) => saveOrLoad("load", name, options));
  act("list", "list the snapshots").action(list);
  act("remove", "remove a snapshot").argument("<name>", "the snapshot").action(remove);
};
