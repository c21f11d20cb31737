import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { campaignTest } from "../../../test/campaign.ts";
import { parley, temporaryFolder } from "../../../test/parley-process.ts";

/** What `parley serve` prints. Output of a server ends up in logs, so it contains no credential. */

/** Longer files are those of the database cluster. */
const SECRET_FILE_MAX_BYTES = 4_096;
const SECRET_WORD = /[A-Za-z0-9_-]{32,}/g;

let data: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  data = await temporaryFolder();
});
afterAll(() => data.remove());

/** -> everything that `parley serve` prints until it was stopped after its report */
const outputOf = async (args: readonly string[], end: string): Promise<string> => {
  let isStopped = false;
  const { status, stdout, stderr } = await parley(["serve", "--port", "0", ...args], {
    env: { PARLEY_DATA: data.folder },
    onOutput: (text) => {
      if (isStopped || !text.includes(end)) return;
      isStopped = true;
      const pid = /"pid":(\d+)|Process\D+(\d+)/.exec(text);
      process.kill(Number(pid?.[1] ?? pid?.[2]), "SIGTERM");
    },
  });
  expect(status).toBe(0);
  return stdout + stderr;
};

/** -> the words in small files of the data folder that are long enough to be a secret */
const secretsIn = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder, { recursive: true });
  const words: string[] = [];
  for (const name of names.filter((each) => !each.startsWith("postgres/"))) {
    const about = await stat(join(folder, name));
    if (about.isFile() && about.size <= SECRET_FILE_MAX_BYTES)
      words.push(...((await readFile(join(folder, name), "utf8")).match(SECRET_WORD) ?? []));
  }
  return words;
};

const expectNoCredential = async (args: readonly string[], end: string): Promise<void> => {
  const output = await outputOf(args, end);
  const secrets = await secretsIn(data.folder);
  expect(secrets).toContain((await readFile(join(data.folder, "admin-key"), "utf8")).trim());
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
  expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+\/v2/);
  expect(output).not.toMatch(/sign-in|parley_|token/);
};

campaignTest(
  "parley serve --demo --json prints the API key of the demo account, and its text names the file instead",
  async () => {
    const json = await outputOf(["--demo", "--json"], "\n");
    const secrets = await secretsIn(data.folder);
    const key = (await readFile(join(data.folder, "api-key"), "utf8")).trim();
    expect(secrets).toContain(key);
    expect(secrets.filter((secret) => json.includes(secret))).toEqual([key]);
    const text = await outputOf(["--demo"], "Stop with");
    expect(text).toContain(join(data.folder, "api-key"));
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  },
);

test.each([
  ["text", [], "Stop with"],
  ["JSON", ["--json"], "\n"],
])("parley serve without --demo prints neither a secret of the data folder nor a link: %s", (_, args, end) =>
  expectNoCredential(args, end),
);

campaignTest("parley serve --workers 2 prints neither a secret of the data folder nor a link", () =>
  expectNoCredential(["--workers", "2"], "Stop with"),
);

test("parley serve with an unusable PARLEY_SMTP_URL ends with one line, which does not contain its password", async () => {
  const { status, stdout, stderr } = await parley(["serve", "--port", "0"], {
    env: {
      PARLEY_DATA: data.folder,
      PARLEY_SMTP_URL: "http://me:canary@mail.example.com",
      PARLEY_MAIL_FROM: "a@b.example",
    },
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^parley: PARLEY_SMTP_URL must be the address of a mail server, such as smtp:[^\n]+\n$/);
  expect(stderr).not.toContain("canary");
});
