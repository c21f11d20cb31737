import type { Command } from "commander";
import { connectAdmin } from "../../admin/connect.ts";

const HELP = `
The seed is how the instance was when it first ran, or what 'parley seed' or 'parley snapshot save seed' made it since. Data,
uploads, clock and faults go back to it. Requests that come meanwhile wait; the keys of the instance stay valid.

Examples:
  parley reset
  parley reset --json`;

/** `parley reset`: returns to the seed. */
export const addReset = (program: Command, _exit: (status: number) => void): void => {
  program
    .command("reset")
    .description("put data, clock and faults of the running instance back to the seed")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { world } = await connectAdmin();
      const done = await world.resetWorld({});
      process.stdout.write(`${json ? JSON.stringify(done) : `Back at the seed, after ${done.milliseconds} ms.`}\n`);
    });
};
