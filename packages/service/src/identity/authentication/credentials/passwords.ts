import { PASSWORD_LENGTH, PASSWORD_NOT_ACCEPTED, refuse } from "@parley/contract";
import { createSemaphore } from "@parley/database";
import * as ARGON2 from "@node-rs/argon2";
import type { Options } from "@node-rs/argon2";

/**
 * Parameters of argon2id (algorithm 2), as OWASP's Password Storage Cheat Sheet recommends them at least.
 * @units memoryCost: KiB
 */
const PARAMETERS: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Concurrent computations, each of which occupies a thread and 19 MiB, and waiting computations. Further computations are refused. */
const BOUNDS = { max: 2, maxWaiting: 100 } as const;

/** Passwords that are refused in spite of their length: common and obvious passwords of at least ten characters. */
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
    refuse(PASSWORD_NOT_ACCEPTED, "The password is too easy to guess: choose a less common password.");
};

/** The computations of argon2. */
export interface PasswordHashing {
  readonly hash: (password: string, parameters: Options) => Promise<string>;
  readonly verify: (stored: string, password: string) => Promise<boolean>;
}

/** Hashes and checks passwords, with a bound on concurrent computations. */
export function createPasswords({ hash, verify }: PasswordHashing = ARGON2) {
  const semaphore = createSemaphore(BOUNDS);
  // The check of an agent without a password takes as long as any other, so that its duration does not reveal which agents have a password.
  let dummy: Promise<string> | undefined;
  const dummyHash = (): Promise<string> => (dummy ??= hash("no agent has this password", PARAMETERS));
  return {
    /** @errors QueueFull, which is answered with SERVICE_UNAVAILABLE */
    hash: (password: string): Promise<string> => semaphore.run(() => hash(password, PARAMETERS)),
    /** @shape stored: null for an agent without a password, or for no agent @errors QueueFull */
    matches: async (stored: string | null | undefined, password: string): Promise<boolean> => {
      const expected = stored ?? (await dummyHash());
      const isEqual = await semaphore.run(() => verify(expected, password));
      return isEqual && typeof stored === "string";
    },
    /** Prepares the check of unknown addresses, so that the first one takes no longer. */
    warm: dummyHash,
  };
}
export type Passwords = ReturnType<typeof createPasswords>;
