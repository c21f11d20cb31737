import type { Command } from "commander";
import { connectAdmin } from "../../admin/admin-client.ts";
import { table } from "../../output/table.ts";

const RESET_HELP = `
The seed is the data after the first start, or that of the last 'npx parley seed' or 'npx parley snapshot save seed'. A reset restores data,
uploads, clock and faults. Requests that arrive meanwhile wait; the keys of the instance stay valid.

Examples:
  npx parley reset
  npx parley reset --json`;

/** `parley reset`: returns to the seed. */
export const addReset = (program: Command, _exit: (status: number) => void): void => {
  program
    .command("reset")
    .description("reset data, clock and faults of the running instance to the seed")
    .option("--json", "print one line of JSON")
    .addHelpText("after", RESET_HELP)
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { testEnvironment } = await connectAdmin();
      const result = await testEnvironment.resetWorld({});
      process.stdout.write(`${json ? JSON.stringify(result) : `Reset to the seed in ${result.milliseconds} ms.`}\n`);
    });
};

const SNAPSHOT_HELP = `
A snapshot contains all data of the instance: accounts, conversations, apps' installations and records, pending work, uploads. Loading
one does not change the clock or the faults. 'npx parley reset' returns to the snapshot named seed.

Examples:
  npx parley snapshot save three-customers
  npx parley snapshot load three-customers
  npx parley snapshot save seed                   'npx parley reset' returns to this from now on
  npx parley snapshot list
  npx parley snapshot remove three-customers`;

interface Options {
  readonly json?: boolean;
}

const print = (text: string) => void process.stdout.write(`${text}\n`);

async function list({ json }: Options): Promise<void> {
  const { testEnvironment } = await connectAdmin();
  const { snapshots } = await testEnvironment.getWorld({});
  if (json) return print(JSON.stringify(snapshots));
  if (snapshots.length === 0)
    return print("There are no snapshots. 'npx parley snapshot save <name>' saves a snapshot.");
  print(
    table(
      ["name", "saved", "rows", "files", ""],
      snapshots.map(({ name, saved_time, rows, files, loadable }) => [
        name,
        saved_time,
        String(rows),
        String(files),
        loadable ? "" : "saved by another release; can't be loaded",
      ]),
    ),
  );
}

async function saveOrLoad(action: "save" | "load", name: string, { json }: Options): Promise<void> {
  const { testEnvironment } = await connectAdmin();
  const result = await (action === "save" ? testEnvironment.saveSnapshot : testEnvironment.loadSnapshot)({
    params: { name },
  });
  const outcome = action === "save" ? "was saved" : "was loaded";
  print(json ? JSON.stringify(result) : `The snapshot ${result.snapshot} ${outcome} in ${result.milliseconds} ms.`);
}

async function remove(name: string, { json }: Options): Promise<void> {
  const { testEnvironment } = await connectAdmin();
  const removed = await testEnvironment.removeSnapshot({ params: { name } });
  print(json ? JSON.stringify(removed) : `The snapshot ${removed.name} was removed.`);
}

/** `parley snapshot`: saves and loads named copies of all data. */
export const addSnapshot = (program: Command, _exit: (status: number) => void): void => {
  const snapshot = program
    .command("snapshot")
    .description("save and load named copies of all data of the running instance")
    .addHelpText("after", SNAPSHOT_HELP);
  const addCommand = (name: string, description: string) =>
    snapshot
      .command(name)
      .description(description)
      .option("--json", "print one line of JSON")
      .addHelpText("after", SNAPSHOT_HELP);
  addCommand("save", "save all data under a name, replacing an earlier snapshot of this name")
    .argument("<name>", "lower-case letters, digits, hyphens and underscores")
    .action((name: string, options: Options) => saveOrLoad("save", name, options));
  addCommand("load", "replace the current data with a snapshot")
    .argument("<name>", "the snapshot")
    .action((name: string, options: Options) => saveOrLoad("load", name, options));
  addCommand("list", "list the snapshots").action(list);
  addCommand("remove", "remove a snapshot").argument("<name>", "the snapshot").action(remove);
};
