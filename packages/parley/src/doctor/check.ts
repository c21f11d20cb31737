export type CheckLevel = "ok" | "warn" | "fail";

/** Result of one check. */
export interface CheckFinding {
  readonly level: CheckLevel;
  readonly message: string;
  /** Recommended action. */
  readonly next?: string;
}

export interface DoctorCheck {
  readonly name: string;
  readonly run: () => Promise<CheckFinding>;
}

export const ok = (message: string): CheckFinding => ({ level: "ok", message });
export const warn = (message: string, next: string): CheckFinding => ({ level: "warn", message, next });
export const fail = (message: string, next: string): CheckFinding => ({ level: "fail", message, next });

export interface CheckResult extends CheckFinding {
  readonly name: string;
}

/** Timeout of one check. @units milliseconds */
const checkTimeoutMs = 20_000;

/** @errors Error after the timeout */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${checkTimeoutMs / 1000} s`)), checkTimeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a check. A check that throws is reported as a failure. */
export async function runCheck({ name, run: look }: DoctorCheck): Promise<CheckResult> {
  try {
    return { name, ...(await withTimeout(look())) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      name,
      ...fail(`The check failed: ${reason}`, "Fix the problem, then run 'parley doctor' again."),
    };
  }
}
