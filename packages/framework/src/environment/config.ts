import type { Environment, EnvironmentVariable } from "@parley/contract";
import { SECRETS_KEY } from "@parley/database";
import type { HostSettings } from "./settings.ts";

/** The operating system's executable search path. */
export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env["PATH"] ?? "";

/** Whether the operator accepts that packages run where the operating system does not isolate them. */
export const trustsApps = (env: Environment = process.env): boolean => env["PARLEY_TRUST_APPS"] === "1";

/** A variable of the environment has a value that cannot be used. The message says what to write. */
export class SettingUnusable extends Error {
  override readonly name = "SettingUnusable";
}

/** Memory of a process of an app beside its heap: Node itself, buffers, compiled code. @units mebibytes */
const DATA_BESIDE_HEAP_MB = 384;

/** @errors SettingUnusable for anything but a whole number within the bounds */
const wholeNumberOf = (
  env: Environment,
  name: EnvironmentVariable,
  { least, most, unit }: { readonly least: number; readonly most: number; readonly unit: string },
): number | undefined => {
  const text = env[name];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new SettingUnusable(`${name} must be a whole number of ${unit} from ${least} to ${most}, not '${text}'.`);
};

/**
 * Settings of the processes of apps, as far as the environment sets them.
 * @errors SettingUnusable
 */
export const hostSettingsOf = (env: Environment = process.env): Partial<HostSettings> => {
  const idleSeconds = wholeNumberOf(env, "PARLEY_APP_IDLE_SECONDS", { least: 1, most: 86_400, unit: "seconds" });
  const maxProcesses = wholeNumberOf(env, "PARLEY_APP_PROCESSES", { least: 1, most: 10_000, unit: "processes" });
  const heapMb = wholeNumberOf(env, "PARLEY_APP_MEMORY_MB", { least: 16, most: 16_384, unit: "mebibytes" });
  const cpuPercent = wholeNumberOf(env, "PARLEY_APP_CPU_PERCENT", { least: 1, most: 6_400, unit: "percent" });
  return {
    ...(idleSeconds !== undefined && { idleProcessMs: idleSeconds * 1_000 }),
    ...(maxProcesses !== undefined && { maxProcesses }),
    ...(heapMb !== undefined && { heapMb, dataMb: heapMb + DATA_BESIDE_HEAP_MB }),
    ...(cpuPercent !== undefined && { cpuPercent }),
  };
};

/** The key from the environment, or undefined if the variable is unset or empty. */
export const secretsKey = (env: Environment = process.env): string | undefined => env[SECRETS_KEY] || undefined;
