import { appendFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ObserveReply } from "../src/index.ts";

const FOLDER = fileURLToPath(new URL("../../../node_modules/.cache/parley/answers/", import.meta.url));
const seen = new Set<string>();

/** Records each kind of response once, in a file per process. scripts/answers.mjs compares them with the contract after all tests. */
export const recordResponse: ObserveReply = (route, response) => {
  const line = `${route}\t${response}\n`;
  if (seen.has(line)) return;
  if (seen.size === 0) mkdirSync(FOLDER, { recursive: true });
  seen.add(line);
  appendFileSync(`${FOLDER}${process.pid}.txt`, line);
};
