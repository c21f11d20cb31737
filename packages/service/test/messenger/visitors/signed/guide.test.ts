import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newBrowserKey, signedHarness, type SignedHarness } from "./signing-fixture.ts";

/** A program of the guide: the language of its block, and how it is run. The interpreters of the last three may be missing. */
interface Example {
  readonly block: string;
  readonly file: string;
  readonly command: readonly [program: string, ...parameters: string[]];
  readonly version: string;
  readonly isOptional?: true;
}
const EXAMPLES: readonly Example[] = [
  { block: "js", file: "token.mjs", command: [process.execPath], version: "--version" },
  { block: "python", file: "token.py", command: ["python3"], version: "--version" },
  { block: "php", file: "token.php", command: ["php"], version: "--version", isOptional: true },
  { block: "ruby", file: "token.rb", command: ["ruby"], version: "--version", isOptional: true },
  { block: "go", file: "token.go", command: ["go", "run"], version: "version", isOptional: true },
];
const isInstalled = ({ command: [program], version }: Example): boolean => spawnSync(program, [version]).status === 0;

const GUIDE = new URL("../../../../../../docs/integrators/signed-identities.md", import.meta.url);
let s: SignedHarness;
let folder: string;
let guide: string;
beforeAll(async () => {
  s = await signedHarness();
  guide = await readFile(GUIDE, "utf8");
  folder = await mkdtemp(join(tmpdir(), "parley-guide-"));
});
afterAll(async () => {
  await s.close();
  await rm(folder, { recursive: true, force: true });
});

/** -> the token that the program of a block prints */
const run = async ({ block, file, command: [program, ...parameters] }: Example, uuid: string, secret: string) => {
  const [, code = ""] = new RegExp(`\n\`\`\`${block}\n([\\s\\S]*?)\n\`\`\`\n`).exec(guide) ?? [];
  await writeFile(join(folder, file), `${code}\n`);
  const { stdout } = await promisify(execFile)(program, [...parameters, file, uuid], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, LANG: "C.UTF-8", PARLEY_SIGNING_SECRET: secret },
  });
  return stdout.trim();
};

describe("the program of the guide signs a token that the service accepts for its browser and its customer:", () => {
  for (const example of EXAMPLES) {
    const { block, command, isOptional } = example;
    if (isOptional && !isInstalled(example)) {
      test.skip(`${block}: needs ${command[0]}, which this machine does not have`, () => undefined);
      continue;
    }
    test(`${block}`, async () => {
      const browser_key = newBrowserKey();
      const uuid = await s.uuidOf(browser_key);
      const signed_token = await run(example, uuid, s.secret);
      const { code, body } = await s.begin(signed_token, { browser_key });
      expect([code, body.visitor]).toEqual([
        201,
        expect.objectContaining({ external_id: "customer-4711", first_name: "Zoë", email: "zoe@example.com" }),
      ]);
      expect((await s.begin(signed_token, { browser_key: newBrowserKey() })).code).toBe(401);
      const wrong = await run(example, uuid, "another secret of 32 characters!");
      expect((await s.begin(wrong, { browser_key })).code).toBe(401);
    });
  }
});

test("the guide has a program for each of five languages", () => {
  const blocks = [...guide.matchAll(/^```(\w+)$/gm)].map(([, name]) => name);
  expect(blocks).toEqual(["html", ...EXAMPLES.map(({ block }) => block)]);
});
