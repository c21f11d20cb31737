import { Command, CommanderError } from "commander";
import { addAccount } from "./account/command.ts";
import { addChat } from "./chat/command.ts";
import { isUsageFailure } from "./failure.ts";
import { addLoad } from "./load/command.ts";
import { addStart } from "./start/command.ts";
import { addStatus } from "./status/command.ts";
import { addToken } from "./token/command.ts";

/**
 * Runs one command.
 * @shape args: without the node binary and the script
 * @returns the exit status: 0 done, 1 failed with a line that says what to do
 */
export async function main(args: readonly string[]): Promise<number> {
  let status = 0;
  const exit = (code: number) => void (status = code);
  const program = new Command("parley")
    .description("Parley: a customer messaging service on your machine, and the framework its apps run on.")
    .exitOverride()
    .showHelpAfterError("(--help lists what it takes)");
  addStart(program, exit);
  addChat(program, exit);
  addLoad(program, exit);
  addStatus(program);
  addAccount(program);
  addToken(program);
  for (const command of program.commands) command.exitOverride();
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    // The inside of a failure that nobody can mend is for us: say that, and show it.
    const text = isUsageFailure(error)
      ? error.message
      : `This is a fault of Parley; please report it with these lines.\n${(error as Error)?.stack ?? String(error)}`;
    process.stderr.write(`parley: ${text}\n`);
    return 1;
  }
  return status;
}
