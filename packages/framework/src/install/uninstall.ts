import type { AppCalls } from "../runtime/app-calls.ts";
import type { SetUp } from "../runtime/set-up.ts";
import type { Installations } from "./installations.ts";
import type { InTurn } from "./turn.ts";

export interface UninstallDeps {
  readonly installations: Pick<Installations, "find" | "remove">;
  readonly setUp: SetUp;
  readonly calls: Pick<AppCalls, "end">;
  readonly inTurn: InTurn;
  readonly log: (line: string) => void;
}

/** Takes the app from its account, with all that it has kept; nothing happens when it isn't installed. */
export type Uninstall = () => Promise<void>;

/** @assumed `onAppUninstall` is told, and can't keep itself from being uninstalled: its refusal or failure is logged. */
export const uninstallRoad =
  ({ installations, setUp, calls, inTurn, log }: UninstallDeps): Uninstall =>
  () =>
    inTurn(async () => {
      const installation = await installations.find();
      if (!installation) return;
      const answer = await setUp("onAppUninstall", { values: installation.values, secureValues: {} });
      if (!answer.ok) log(`warn: The app is uninstalled, though it said: ${answer.message}`);
      await installations.remove(installation.id);
      await calls.end(installation);
    });
