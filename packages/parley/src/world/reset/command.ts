import type { Command } from "commander";
import { connectAdmin } from "../../admin/connect.ts";

const HELP = `
The seed is the data after the first start, or that of the last 'parley seed' or 'parley snapshot save seed'. A reset restores data,
uploads, clock and faults. Requests that arrive meanwhile wait; the keys of the instance stay valid.

Examples:
  parley reset
  parley reset --json`;

/** `parley reset`: returns to the seed. */
export const addReset = (program: Command, _exit: (status: number) => void): void => {
  program
    .command("reset")
    .description("reset data, clock and faults of the running instance to the seed")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { world } = await connectAdmin();
      const done = await world.resetWorld({});
      process.stdout.write(`${json ? JSON.stringify(done) : `Reset to the seed in ${done.milliseconds} ms.`}\n`);
    });
};
