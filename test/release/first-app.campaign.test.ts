import { readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { waitUntil } from "../support/wait-until.ts";
import { familyOf, ROOT, survivors } from "../support/parley-process.ts";
import { emptyUserFolder, type UserFolder } from "./installed-release.ts";

/** The blocks of docs/app-authors/README.md, executed as written by an ordinary user who has the packages and nothing else. */

const PAGE = readFileSync(join(ROOT, "docs/app-authors/README.md"), "utf8");
/** How fast people read technical text. @units words a minute */
const READING_RATE = 200;

interface Block {
  readonly language: string;
  /** Terminal of a command, or path of a file. */
  readonly place: string;
  readonly text: string;
}
const blocks: readonly Block[] = [...PAGE.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", place = "", text = ""]) => ({ language, place, text }),
);

let user: UserFolder;
beforeAll(async () => {
  user = await emptyUserFolder();
  // The page expects the files in the user's folder itself.
  await cp(join(user.folder, "packages"), user.folder, { recursive: true });
}, 300_000);
afterAll(() => user.remove());

/** A command that runs until it is interrupted, in a process group of its own, to which a terminal sends Ctrl-C. */
const startInBackground = (line: string, cwd: string) => {
  const child = user.start(["setsid", "bash", "-c", `exec ${line}`], { cwd });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output.text += chunk.toString()));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const until = (text: string) =>
    waitUntil(
      () => {
        if (child.exitCode !== null) throw new Error(`It ended before it printed '${text}':\n${output.text}`);
        return output.text.includes(text);
      },
      { details: () => output.text, timeoutMs: 60_000 },
    );
  return { pid: child.pid ?? 0, output, ended, until, interrupt: () => process.kill(-(child.pid ?? 0), "SIGINT") };
};

test("the page can be read in five minutes, and its commands lead from the packages to a tested and packed app that answers", async () => {
  const words = PAGE.split(/\s+/).length;
  expect(words / READING_RATE).toBeLessThanOrEqual(5);
  expect(blocks.filter(({ language }) => language === "sh").length).toBeGreaterThanOrEqual(6);

  const folders: Record<string, string> = { "terminal-1": user.folder, "terminal-2": join(user.folder, "greeter") };
  let running: ReturnType<typeof startInBackground> | undefined;
  let printed = "";
  try {
    for (const { language, place, text } of blocks) {
      if (language === "text") {
        for (const line of text.trim().split("\n"))
          expect(printed.replace(/ +/g, " ")).toContain(line.trim().replace(/ +/g, " "));
      } else if (language === "sh") {
        for (const line of text.trim().split("\n")) {
          const cwd = folders[place] ?? "";
          if (line.startsWith("cd ")) folders[place] = join(cwd, line.slice("cd ".length));
          else if (line.startsWith("npx parley run")) {
            running = startInBackground(line, cwd);
            await running.until("Stop with Ctrl-C");
            printed = running.output.text;
          } else printed = await user.succeed(["bash", "-c", line], { cwd });
        }
      } else {
        user.write(join("greeter", place), text);
        await running?.until("The app was reloaded");
      }
    }
    const tested = await user.succeed(["npx", "parley", "test", "--json"], { cwd: folders["terminal-2"] ?? "" });
    expect(JSON.parse(tested.trim().split("\n").at(-1) ?? "")).toMatchObject({ tests: { passed: 2, failed: 0 } });
  } finally {
    const family = await familyOf(running?.pid ?? 0);
    running?.interrupt();
    await running?.ended;
    expect(await survivors(family, 8_000)).toEqual([]);
  }
}, 300_000);
