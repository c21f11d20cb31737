import { readFileSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { ROOT, temporaryFolder } from "../support/parley-process.ts";
import { blocksOf, createEditor, filesOfEdits } from "./tutorial.ts";

/** The places that docs/contributors/first-change.md names are in the sources. A campaign also runs its commands. */

const PAGE = readFileSync(join(ROOT, "docs/contributors/first-change.md"), "utf8");

test("docs/contributors/first-change.md edits places that exist", async () => {
  const { folder, remove } = await temporaryFolder("parley-first-change-");
  try {
    const files = filesOfEdits(PAGE);
    expect(files.length).toBeGreaterThan(2);
    for (const path of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await cp(join(ROOT, path), join(folder, path));
    }
    const edits = blocksOf(PAGE).filter(({ language }) => language === "ts");
    const edit = createEditor(folder);
    for (const block of edits) edit(block);
    const all = files.map((path) => readFileSync(join(folder, path), "utf8")).join("\n");
    for (const { text } of edits) expect(all).toContain(text.split("\n").at(-1));
  } finally {
    await remove();
  }
});
