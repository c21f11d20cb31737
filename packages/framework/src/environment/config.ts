import { wholeNumberSetting, type Environment } from "@parley/contract";
import { SECRETS_KEY } from "@parley/database";
import type { HostSettings } from "./settings.ts";

/** The operating system's executable search path. */
export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env["PATH"] ?? "";

/** Whether the operator accepts that packages run where the operating system does not isolate them. */
export const trustsApps = (env: Environment = process.env): boolean => env["PARLEY_TRUST_APPS"] === "1";

/** Memory of a process of an app beside its heap: Node itself, buffers, compiled code. @units mebibytes */
const DATA_BESIDE_HEAP_MB = 384;

/**
 * Settings of the processes of apps, as far as the environment sets them.
 * @errors UsageFailure
 */
export const hostSettingsOf = (env: Environment = process.env): Partial<HostSettings> => {
  const idleSeconds = wholeNumberSetting(env, "PARLEY_APP_IDLE_SECONDS", { min: 1, max: 86_400, unit: "of seconds" });
  const maxProcesses = wholeNumberSetting(env, "PARLEY_APP_PROCESSES", { min: 1, max: 10_000, unit: "of processes" });
  const heapMb = wholeNumberSetting(env, "PARLEY_APP_MEMORY_MB", { min: 16, max: 16_384, unit: "of mebibytes" });
  const cpuPercent = wholeNumberSetting(env, "PARLEY_APP_CPU_PERCENT", { min: 1, max: 6_400, unit: "of percent" });
  return {
    ...(idleSeconds !== undefined && { idleProcessMs: idleSeconds * 1_000 }),
    ...(maxProcesses !== undefined && { maxProcesses }),
    ...(heapMb !== undefined && { heapMb, dataMb: heapMb + DATA_BESIDE_HEAP_MB }),
    ...(cpuPercent !== undefined && { cpuPercent }),
  };
};

/** The key from the environment, or undefined if the variable is unset or empty. */
export const secretsKey = (env: Environment = process.env): string | undefined => env[SECRETS_KEY] || undefined;
