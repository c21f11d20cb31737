/** The column "may import" in docs/contributors/architecture.md; the rest of the page is written by hand. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./installed.mjs";

/** The packages that each package may import; `app` is the app at the root. test/source-tree/architecture.test.ts enforces the same table. */
const ALLOWED_IMPORTS = JSON.parse(readFileSync(join(root, "scripts/allowed-imports.json"), "utf8"));

/** Beginning of a row of the table, with the package's name; the row of the app at the root begins with its folders. */
const ROW = /^(\| `(?:packages\/(\w+)|manifest\.json)`[^|]*\|[^|]*\|)[^|]*\|$/gm;

/** -> the page with the column as the table says */
export const architecturePage = (page) =>
  page.replace(/^\| folder \| .* \| may import \|\n(?:\|.*\n)*/m, (table) =>
    table.replace(ROW, (_, row, name = "app") => `${row} ${ALLOWED_IMPORTS[name]?.join(", ") || "nothing"} |`),
  );
