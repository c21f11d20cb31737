import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const README = join(fileURLToPath(new URL(".", import.meta.url)), "../README.md");

/** The examples of the client's README, one after the other as a module. It reads PARLEY_URL and PARLEY_TOKEN. */
export async function clientReadmeModule(): Promise<string> {
  const page = await readFile(README, "utf8");
  const blocks = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code ?? "");
  if (blocks.length <= 5) throw new Error(`${README} has only ${blocks.length} examples.`);
  return blocks.join("\n");
}

/** Lines that the module prints. */
export const CLIENT_README_OUTPUT = [
  "acme.parley.localhost",
  "new 36",
  "true",
  "17",
  "user_create Cy",
  "404 agent not found",
  "true",
  "GET /roles 401 true",
  "GET /roles 200 true",
];
