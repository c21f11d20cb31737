import type { ClockChange, ClockState } from "@parley/contract";
import type { Command } from "commander";
import { connectAdmin } from "../../admin/connect.ts";
import { CommandFailure } from "../../environment/failure.ts";
import { durationOf } from "./duration.ts";

const HELP = `
All of the instance goes by its clock: the lifetimes of tokens and addresses, the hour of the allowance, business hours, retries,
schedules of apps, the times of what is made. What becomes due when the clock is set happens at once. The next start begins with
the machine's time.

Examples:
  parley clock                                what it says
  parley clock freeze                         it stands still
  parley clock freeze 2026-12-24T08:00:00Z
  parley clock advance 1d                     90m, 1h30m, 45s, 500ms and PT2H are durations too
  parley clock set 2027-01-01T09:00:00Z
  parley clock run                            goes on from where it stands
  parley clock reset                          as at the beginning`;

interface Options {
  readonly json?: boolean;
}

const MODES: Readonly<Record<ClockState["mode"], string>> = {
  real: "the machine's time",
  shifted: "going on from another time",
  frozen: "standing still",
};

const lines = ({ now, mode, real_time, warning }: ClockState): string =>
  [
    `The clock says ${now}, ${MODES[mode]}.`,
    ...(mode === "real" ? [] : [`The machine's says ${real_time}.`]),
    ...(warning === undefined ? [] : [`Mind: ${warning}`]),
  ].join("\n");

const print = (state: ClockState, { json }: Options) =>
  void process.stdout.write(`${json ? JSON.stringify(state) : lines(state)}\n`);

async function change(body: ClockChange, options: Options): Promise<void> {
  const { world } = await connectAdmin();
  print(await world.changeClock({ body }), options);
}

const timeOf = (text: string): string => {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new CommandFailure(`'${text}' is no time. Write it such as 2026-12-24T08:00:00Z.`);
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
      const { world } = await connectAdmin();
      print((await world.getWorld({})).clock, options);
    });
  // The --json option before the subcommand belongs to `clock` and has the same meaning.
  const both = (options: Options): Options => ({ ...clock.opts<Options>(), ...options });
  const act = (word: string, description: string) =>
    clock
      .command(word)
      .description(description)
      .option(...json)
      .addHelpText("after", HELP);
  act("freeze", "let it stand still")
    .argument("[time]", "where; at the present when absent")
    .action((time: string | undefined, options: Options) =>
      change({ action: "freeze", ...(time !== undefined && { time: timeOf(time) }) }, both(options)),
    );
  act("set", "let it say another time")
    .argument("<time>", "such as 2026-12-24T08:00:00Z")
    .action((time: string, options: Options) => change({ action: "set", time: timeOf(time) }, both(options)));
  act("advance", "set it forward")
    .argument("<duration>", "such as 1d, 90m or PT2H")
    .action((by: string, options: Options) => {
      if (durationOf(by) === undefined)
        throw new CommandFailure(`'${by}' is no duration. Write it such as 1d, 90m, 1h30m, 45s, 500ms or PT2H.`);
      return change({ action: "advance", by }, both(options));
    });
  act("run", "let it go on from where it stands").action((options: Options) =>
    change({ action: "run" }, both(options)),
  );
  act("reset", "let it be as at the beginning of the instance").action((options: Options) =>
    change({ action: "reset" }, both(options)),
  );
};
