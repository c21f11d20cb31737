import { Command, CommanderError } from "commander";
import { addAccount } from "./account/command.ts";
import { addBackup } from "./backup/command.ts";
import { addChat } from "./chat/command.ts";
import { addDeliveries } from "./deliveries/command.ts";
import { addDoctor } from "./doctor/command.ts";
import { addEvent } from "./event/command.ts";
import { addExport } from "./export/command.ts";
import { isUsageFailure } from "./failure.ts";
import { fitted, helpWidth } from "./help.ts";
import { addImport } from "./import/command.ts";
import { addInit } from "./init/command.ts";
import { addLoad } from "./load/command.ts";
import { addLogs } from "./logs/command.ts";
import { addPack } from "./pack/command.ts";
import { addRestore } from "./restore/command.ts";
import { addRun } from "./run/command.ts";
import { addServe } from "./serve/command.ts";
import { addStart } from "./start/command.ts";
import { addStatus } from "./status/command.ts";
import { addTail } from "./tail/command.ts";
import { addTest } from "./app-tests/command.ts";
import { addToken } from "./token/command.ts";
import { addValidate } from "./validate/command.ts";
import { addWebhook } from "./webhook/command.ts";
import { addClock } from "./world/clock/command.ts";
import { addFault } from "./world/fault/command.ts";
import { addReset } from "./world/reset/command.ts";
import { addSeed } from "./world/seed/command.ts";
import { addSnapshot } from "./world/snapshot/command.ts";

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
    // Before the commands, which inherit it.
    .configureOutput({
      getOutHelpWidth: () => helpWidth(process.stdout.columns),
      writeOut: (text) => process.stdout.write(fitted(text, helpWidth(process.stdout.columns))),
    })
    .showHelpAfterError("(--help lists what it takes)");
  addRun(program, exit);
  addInit(program, exit);
  addValidate(program, exit);
  addTest(program, exit);
  addPack(program, exit);
  addEvent(program, exit);
  addLogs(program, exit);
  addDoctor(program, exit);
  addStart(program, exit);
  addServe(program, exit);
  addChat(program, exit);
  addTail(program, exit);
  addLoad(program, exit);
  addImport(program, exit);
  addExport(program);
  addBackup(program);
  addRestore(program);
  addStatus(program);
  addAccount(program);
  addToken(program);
  addWebhook(program, exit);
  addDeliveries(program);
  addReset(program, exit);
  addSnapshot(program, exit);
  addClock(program, exit);
  addFault(program, exit);
  addSeed(program, exit);
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
