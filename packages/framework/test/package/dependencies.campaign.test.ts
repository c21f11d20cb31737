import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { appFixture, type AppParts, type AppFixture } from "../support/app-fixture.ts";
import { startFakeRegistry, type FakeRegistry } from "../support/fake-registry.ts";

const NOWHERE = "registry=http://127.0.0.1:9/\n";

let registry: FakeRegistry;
let fixture: AppFixture | undefined;
beforeAll(async () => {
  registry = await startFakeRegistry({
    "loud-words@1.0.0": {
      "index.js": `const inner = require("inner-words"); module.exports = (text) => inner(text).toUpperCase() + "!";`,
      "package.json": JSON.stringify({
        dependencies: { "inner-words": "^2.0.0" },
        scripts: { postinstall: "touch ../../../ran-a-script" },
      }),
    },
    "loud-words@1.1.0": { "index.js": `module.exports = (text) => text + "!!";` },
    "inner-words@2.0.0": { "index.js": `module.exports = (text) => text.trim();` },
    "needs-more@1.0.0": { "index.js": `require("child_process"); module.exports = () => "";` },
  });
});
afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});
afterAll(() => registry.close());

const manifest = (dependencies: Record<string, string>) => ({
  "platform-version": "3.0",
  modules: { common: { functions: { shout: {} } }, chat_user: { events: { onUserCreate: { handler: "hear" } } } },
  dependencies,
});
const parts = (dependencies: Record<string, string>, name: string, npmrc = registry.npmrc): AppParts => ({
  server: `const words = require("${name}"); exports = { shout: ({ text }) => renderData(null, words(text)) };`,
  manifest: manifest(dependencies),
  files: { ".npmrc": npmrc },
});
const versionOf = async (folder: string, name: string) =>
  (JSON.parse(await readFile(join(folder, "node_modules", name, "package.json"), "utf8")) as { version: string })
    .version;

test("dependencies of the manifest are installed with their own dependencies, without running scripts, and are importable", async () => {
  fixture = await appFixture(parts({ "loud-words": "1.0.0" }, "loud-words"));
  const { folder, lines } = fixture;
  expect(lines).toEqual(
    expect.arrayContaining(["Installing loud-words@1.0.0 for the app …", "Installed loud-words@1.0.0."]),
  );
  await fixture.install();
  expect((await fixture.call("shout", { text: " hi " })).output).toBe("HI!");
  expect(await readdir(join(folder, "node_modules"))).toEqual(["loud-words"]);
  expect(await readdir(folder)).not.toContain("ran-a-script");
  expect(await readdir(folder)).not.toContain("package-lock.json");
});

test("a manifest changed at run time gets its current dependencies and keeps the rest of node_modules", async () => {
  fixture = await appFixture({
    ...parts({ "loud-words": "1.0.0" }, "loud-words"),
    files: { ".npmrc": registry.npmrc, "node_modules/of-the-author/package.json": "{}" },
  });
  const { folder, lines } = fixture;
  await fixture.install();
  await fixture.write("manifest.json", manifest({ "loud-words": "1.1.0" }));
  await fixture.until(() => lines.find((line) => line === "Installed loud-words@1.1.0."));
  await fixture.until(() => lines.find((line) => line === "The app was reloaded."));
  expect(await versionOf(folder, "loud-words")).toBe("1.1.0");
  expect((await fixture.call("shout", { text: "hi" })).output).toBe("hi!!");
  expect((await readdir(join(folder, "node_modules"))).sort()).toEqual(["loud-words", "of-the-author"]);
});

test("an installed dependency of the same version is not requested again", async () => {
  fixture = await appFixture({
    ...parts({ "loud-words": "1.0.0" }, "loud-words", NOWHERE),
    files: {
      ".npmrc": NOWHERE,
      "node_modules/loud-words/package.json": { name: "loud-words", version: "1.0.0" },
      "node_modules/loud-words/index.js": "module.exports = (text) => text;",
    },
  });
  expect(fixture.lines.join("\n")).not.toContain("Installing");
});

test("without a network the app does not run, and the error names the packages and a next step", async () => {
  await expect(appFixture(parts({ "loud-words": "1.0.0" }, "loud-words", NOWHERE))).rejects.toThrow(
    /manifest\.json.*Dependencies could not be installed: loud-words@1\.0\.0 \(.*Save manifest.json or restart/s,
  );
});

test("a package that requires a forbidden module is reported by name", async () => {
  await expect(appFixture(parts({ "needs-more": "1.0.0" }, "needs-more"))).rejects.toThrow(
    "Cannot use module 'child_process' in a serverless app",
  );
});

test.each<Record<string, string>>([
  { "--prefix=x": "1.0.0" },
  { "../../x": "1.0.0" },
  { x: "file:/etc" },
  { "loud-words": "^1.0.0" },
])("npm is never called for a dependency that is not a package at an exact version: %j", async (dependencies) => {
  const attempt = appFixture({ manifest: manifest(dependencies), files: { ".npmrc": registry.npmrc } });
  await attempt.then((made) => (fixture = made)).catch(() => undefined);
  expect(fixture?.lines.join("\n") ?? "").not.toContain("Installing");
});
