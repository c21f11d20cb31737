import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AccountDocument, AppliedDocument } from "@parley/contract";
import type { ConsoleHarness } from "./harness.ts";
import { parley } from "../parley-process.ts";

/** What `parley account` does with the account acme of a running instance. */
export const accountCommand = (s: ConsoleHarness) => {
  const env = { PARLEY_DATA: s.dataFolder };
  return {
    /** `parley account apply`. -> the changes that it made */
    async apply(document: Omit<AccountDocument, "name">): Promise<AppliedDocument["changes"]> {
      const file = join(s.dataFolder, "account-of-a-test.json");
      await writeFile(file, JSON.stringify({ name: "acme", ...document }));
      const { status, stdout, stderr } = await parley(["account", "apply", file, "--json"], { env });
      if (status !== 0) throw new Error(`parley account apply: ${stderr}`);
      return (JSON.parse(stdout) as AppliedDocument).changes;
    },
    /** `parley account export` */
    async document(): Promise<AccountDocument> {
      const { status, stdout, stderr } = await parley(["account", "export", "acme"], { env });
      if (status !== 0) throw new Error(`parley account export: ${stderr}`);
      return JSON.parse(stdout) as AccountDocument;
    },
  };
};
