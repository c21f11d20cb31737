import { PASSWORD_LENGTH, PASSWORD_NOT_ACCEPTED, refuse } from "@parley/contract";
import { createSemaphore } from "@parley/database";
import { hash, verify } from "@node-rs/argon2";

/** Cost of argon2id for new passwords. @units memoryCost: KiB */
export interface PasswordCost {
  readonly memoryCost: number;
  readonly timeCost: number;
}

/** The minimum that OWASP's Password Storage Cheat Sheet recommends. */
const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 };
/** Algorithm 2 is argon2id. */
const VARIANT = { algorithm: 2, parallelism: 1 } as const;
/** Concurrent computations, each of which occupies a thread and 19 MiB, and waiting ones. Further ones are refused. */
const BOUNDS = { max: 2, maxWaiting: 100 } as const;

/** Passwords that are refused in spite of their length: common and obvious ones of at least ten characters. */
const COMMON = new Set(
  (
    "1234567890 0123456789 12345678910 123456789a 1q2w3e4r5t qwertyuiop qwerty1234 qwerty12345 password12 password123 password1234 " +
    "passwordpassword passw0rd123 iloveyou12 letmein1234 welcome1234 administrator abcdefghij 1111111111 0000000000 9876543210 " +
    "q1w2e3r4t5 1qaz2wsx3edc zaq12wsxcde changeme123 asdfghjkl1 parleyparley"
  ).split(" "),
);

/**
 * @errors PASSWORD_NOT_ACCEPTED
 * @assumed As NIST SP 800-63B recommends: a minimum length and a list of common passwords, no rules on kinds of characters.
 */
export const checkNewPassword = (password: string, { email }: { readonly email: string }): void => {
  const { length } = [...password];
  if (length < PASSWORD_LENGTH.min)
    refuse(PASSWORD_NOT_ACCEPTED, `The password must have at least ${PASSWORD_LENGTH.min} characters.`);
  if (length > PASSWORD_LENGTH.max)
    refuse(PASSWORD_NOT_ACCEPTED, `The password must have at most ${PASSWORD_LENGTH.max} characters.`);
  const lower = password.toLowerCase();
  if (lower === email.toLowerCase()) refuse(PASSWORD_NOT_ACCEPTED, "The password must differ from the e-mail address.");
  if (COMMON.has(lower) || new Set(lower).size < 4)
    refuse(PASSWORD_NOT_ACCEPTED, "The password is too easy to guess: choose a less common one.");
};

/** A stored form that no password matches: salt and hash are zeros. Its check takes as long as that of a password with this cost. */
const unmatchedHash = ({ memoryCost, timeCost }: PasswordCost): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${VARIANT.parallelism}$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Hashes and checks passwords, with a bound on concurrent computations. */
export function createPasswords(cost = PASSWORD_COST) {
  const semaphore = createSemaphore(BOUNDS);
  /** @errors QueueFull, which is answered with SERVICE_UNAVAILABLE */
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    await semaphore.acquire();
    try {
      return await work();
    } finally {
      semaphore.release();
    }
  };
  // The check of an agent without a password takes as long as any other, so that its duration does not tell who has one.
  const unmatched = unmatchedHash(cost);
  return {
    hash: (password: string): Promise<string> => run(() => hash(password, { ...VARIANT, ...cost })),
    /** @shape stored: null for an agent without a password, or for no agent @errors QueueFull */
    matches: async (stored: string | null | undefined, password: string): Promise<boolean> => {
      const isEqual = await run(() => verify(stored ?? unmatched, password));
      return isEqual && typeof stored === "string";
    },
  };
}
export type Passwords = ReturnType<typeof createPasswords>;
