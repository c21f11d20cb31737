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
  readonly look: () => Promise<CheckFinding>;
}

export const ok = (message: string): CheckFinding => ({ level: "ok", message });
export const warn = (message: string, next: string): CheckFinding => ({ level: "warn", message, next });
export const fail = (message: string, next: string): CheckFinding => ({ level: "fail", message, next });

export interface CheckResult extends CheckFinding {
  readonly name: string;
}

/** Timeout of one check. @units milliseconds */
const PATIENCE = 20_000;

/** @errors Error after the timeout */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`there was no answer within ${PATIENCE / 1000} s`)), PATIENCE);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a check. A check that throws is reported as a failure. */
export async function resultOf({ name, look }: DoctorCheck): Promise<CheckResult> {
  try {
    return { name, ...(await inTime(look())) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      name,
      ...fail(`This could not be looked at: ${reason}`, "Mend what the message says, then run 'parley doctor' again."),
    };
  }
}
