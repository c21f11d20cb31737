import type { ClockChange, ClockState } from "@parley/contract";
import type { Command } from "commander";
import { connectAdmin } from "../../admin/admin-client.ts";
import { CommandFailure } from "../../environment/failure.ts";
import { durationOf } from "./clock.ts";

const HELP = `
The whole instance uses this clock: lifetimes of tokens and URLs, call limits, business hours, retries, schedules of apps, and creation
times. Setting the clock forward runs everything that becomes due at once. The next start begins with the machine's time.

Examples:
  npx parley clock                                show the clock
  npx parley clock freeze                         stop the clock
  npx parley clock freeze 2026-12-24T08:00:00Z
  npx parley clock advance 1d                     90m, 1h30m, 45s, 500ms and PT2H are durations too
  npx parley clock set 2027-01-01T09:00:00Z
  npx parley clock run                            continue from the current time
  npx parley clock reset                          restore the initial clock`;

interface Options {
  readonly json?: boolean;
}

const MODES: Readonly<Record<ClockState["mode"], string>> = {
  real: "the machine's time",
  shifted: "running from another time",
  frozen: "frozen",
};

const lines = ({ now, mode, real_time, warning }: ClockState): string =>
  [
    `The clock shows ${now}, ${MODES[mode]}.`,
    ...(mode === "real" ? [] : [`The machine's clock shows ${real_time}.`]),
    ...(warning === undefined ? [] : [`Warning: ${warning}`]),
  ].join("\n");

const print = (state: ClockState, { json }: Options) =>
  void process.stdout.write(`${json ? JSON.stringify(state) : lines(state)}\n`);

async function change(body: ClockChange, options: Options): Promise<void> {
  const { testEnvironment } = await connectAdmin();
  print(await testEnvironment.changeClock({ body }), options);
}

const timeOf = (text: string): string => {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new CommandFailure(`'${text}' is not a time. Write it as 2026-12-24T08:00:00Z.`);
};

/** `parley clock`: shows and changes the clock of the instance. */
export const addClock = (program: Command, _exit: (status: number) => void): void => {
  const json = ["--json", "print one line of JSON"] as const;
  const clock = program
    .command("clock")
    .description("freeze, set and advance the clock of the running instance")
    .option(...json)
    .addHelpText("after", HELP)
    .action(async (options: Options) => {
      const { testEnvironment } = await connectAdmin();
      print((await testEnvironment.getWorld({})).clock, options);
    });
  // The --json option before the subcommand belongs to `clock` and has the same meaning.
  const both = (options: Options): Options => ({ ...clock.opts<Options>(), ...options });
  const addCommand = (name: string, description: string) =>
    clock
      .command(name)
      .description(description)
      .option(...json)
      .addHelpText("after", HELP);
  addCommand("freeze", "stop the clock")
    .argument("[time]", "time to stop at (default: the current time)")
    .action((time: string | undefined, options: Options) =>
      change({ action: "freeze", ...(time !== undefined && { time: timeOf(time) }) }, both(options)),
    );
  addCommand("set", "set the clock to a time")
    .argument("<time>", "such as 2026-12-24T08:00:00Z")
    .action((time: string, options: Options) => change({ action: "set", time: timeOf(time) }, both(options)));
  addCommand("advance", "move the clock forward")
    .argument("<duration>", "such as 1d, 90m or PT2H")
    .action((by: string, options: Options) => {
      if (durationOf(by) === undefined)
        throw new CommandFailure(`'${by}' is not a duration. Write it as 1d, 90m, 1h30m, 45s, 500ms or PT2H.`);
      return change({ action: "advance", by }, both(options));
    });
  addCommand("run", "continue from the current time of a stopped clock").action((options: Options) =>
    change({ action: "run" }, both(options)),
  );
  addCommand("reset", "restore the clock that the instance started with").action((options: Options) =>
    change({ action: "reset" }, both(options)),
  );
};
