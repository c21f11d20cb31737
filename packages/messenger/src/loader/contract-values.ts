import { MESSENGER_API, MESSENGER_NOT_FOUND, MESSENGER_PATH, ORIGIN_NOT_ALLOWED, type Problem } from "@parley/contract";

/** Values of the contract that the script needs at run time: see `scripts/contract-values.mjs`. */

/** Paths below the address of the service. */
export const PATHS = { configuration: `${MESSENGER_API}/configuration`, panel: MESSENGER_PATH } as const;

const textOf = ({ message, remedy }: Problem): string => `${message} ${remedy ?? ""}`;

/** Why the service does not show the messenger on a page, and what to do, by the status of the refusal. */
export const REFUSALS: Readonly<Record<string, string>> = Object.fromEntries(
  [MESSENGER_NOT_FOUND, ORIGIN_NOT_ALLOWED].map((problem) => [problem.status, textOf(problem)]),
);
