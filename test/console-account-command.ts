import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AccountDocument } from "@parley/contract";
import type { ConsoleHarness } from "./console-harness.ts";
import { parley } from "./parley-process.ts";

/** What `parley account` does with the account acme of a running instance. */
export const accountCommand = (s: ConsoleHarness) => {
  const env = { PARLEY_DATA: s.dataFolder };
  return {
    /** `parley account apply` */
    async apply(document: Omit<AccountDocument, "name">): Promise<void> {
      const file = join(s.dataFolder, "account-of-a-test.json");
      await writeFile(file, JSON.stringify({ name: "acme", ...document }));
      const { status, stderr } = await parley(["account", "apply", file], { env });
      if (status !== 0) throw new Error(`parley account apply: ${stderr}`);
    },
    /** `parley account export` */
    async document(): Promise<AccountDocument> {
      const { status, stdout, stderr } = await parley(["account", "export", "acme"], { env });
      if (status !== 0) throw new Error(`parley account export: ${stderr}`);
      return JSON.parse(stdout) as AccountDocument;
    },
  };
};
