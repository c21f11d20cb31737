import { createInterface } from "node:readline/promises";
import { CommandFailure } from "../environment/failure.ts";

interface Confirmation {
  /** Text that the user types. */
  readonly expected: string;
  /** Effect of the confirmation, in one sentence. */
  readonly consequence: string;
  /** The outcome if the user types anything else, in one sentence. */
  readonly outcome: string;
}

/**
 * Asks on the terminal for a text that confirms what can't be undone.
 * @errors CommandFailure without a terminal, and for another text
 */
export async function confirmByTyping({ expected, consequence, outcome }: Confirmation): Promise<void> {
  if (!process.stdin.isTTY) throw new CommandFailure(`${consequence} Without a terminal, confirm it with --yes.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new AbortController();
  // Without it the question is never answered when the input ends.
  lines.once("close", () => ended.abort());
  try {
    const { signal } = ended;
    const typed = await lines
      .question(`${consequence}\nType ${expected} to confirm: `, { signal })
      .catch(() => undefined);
    if (typed?.trim() !== expected) throw new CommandFailure(`${outcome} To confirm, type ${expected}.`);
  } finally {
    lines.close();
  }
}
