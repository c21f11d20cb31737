import { runInNewContext } from "node:vm";
import { describe, expect, test } from "@jest/globals";
import { projectFolders } from "../support/project-folder.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

const apps = fileFixture(() => projectFolders({ reusesFolder: true }));

describe("callbacks of the installation page are found by name in", () => {
  const events = { a: { display_name: "A", type: "text", events: [{ change: "check" }] } };
  const callbacks = (code: string) => {
    const sandbox: Record<string, unknown> = { log: [] };
    runInNewContext(code, sandbox);
    return sandbox as { __callbacks: Record<string, (value: string) => unknown>; log: unknown[] };
  };

  test.each([
    [
      "a script with top-level functions",
      "iparams.js",
      `client = 1;\nfunction check(v) { return v + client; }\nfunction onFormLoad() {}`,
    ],
    [
      "a script with its own strict mode",
      "iparams.js",
      `"use strict";\nvar client = 1;\nconst check = (v) => v + client;\nfunction onFormLoad() {}`,
    ],
    [
      "an exported function",
      "iparams.ts",
      `const client: number = 1;\nexport function check(v: string) { return v + client; }\nexport const onFormLoad = () => {};`,
    ],
    ["a re-exported function", "iparams.ts", `export { check, onFormLoad } from "./more.ts";`],
    [
      "a module with a function that isn't exported",
      "iparams.ts",
      `import { client } from "./more.ts";\nfunction check(v: string) { return v + client; }\nfunction onFormLoad() {}\nexport {};`,
    ],
  ])("%s", async (_title, file, text) => {
    const { project, findings } = await apps.load({
      "config/iparams.json": events,
      [`config/assets/${file}`]: text,
      "config/assets/more.ts": `export const client = 1; export const check = (v: string) => v + client; export const onFormLoad = () => {};`,
    });
    expect(findings).toEqual([]);
    const { __callbacks: found } = callbacks(project?.callbacksCode ?? "");
    expect(found["check"]?.("x")).toBe("x1");
    expect(Object.keys(found).sort()).toEqual(["check", "onFormLoad"]);
  });
});

test("a callback file with a syntax error causes only that error: its declarations are unknown", async () => {
  const { findings } = await apps.load({
    "config/iparams.json": { a: { display_name: "A", type: "text", events: [{ change: "check" }] } },
    "config/assets/iparams.js": "function check( {}",
  });
  expect(findings.map(({ code, file }) => `${code} ${file}`)).toEqual(["syntax config/assets/iparams.js"]);
});
