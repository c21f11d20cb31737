import * as argon2 from "@node-rs/argon2";
import type { PasswordHashing } from "../src/identity/authentication/credentials/passwords.ts";

/** argon2 with a fraction of the memory, since tests choose many passwords. */
export const CHEAP_HASHING: PasswordHashing = {
  hash: (password, parameters) =>
    argon2.hash(password, { ...parameters, memoryCost: Math.ceil((parameters.memoryCost ?? 4_096) / 256) }),
  verify: argon2.verify,
};
