import { afterEach, expect, test } from "@jest/globals";
import { appStage, type AppStage } from "./app-fixture.ts";
import { packFolders } from "./pack-folder.ts";

/** Apps whose pages only a framework's own build fills, as apps of the field declare them. */

const PAGE = "<!doctype html><html><body><div id='root'></div>{{{appclient}}}</body></html>";
const WORDS =
  /app\/index\.html has no script of the \w+ app that (?:package|manifest)\.json declares: the page would stay blank/;
const DECLARED: readonly [string, Readonly<Record<string, string | object>>][] = [
  ["fdkConfig in package.json", { "package.json": { name: "x", fdkConfig: { frontendFramework: "react" } } }],
  ["metaConfig in package.json", { "package.json": { name: "x", metaConfig: { framework: "vue" } } }],
];

let stage: AppStage;
const begin = async (files: Readonly<Record<string, string | object>>) => {
  stage = await appStage({ files: { "app/index.html": PAGE, ...files } });
  return (await fetch(`${stage.host.url}/app/index.html`)).text();
};
afterEach(() => stage.close());

test.each(DECLARED)("with %s, the start names the page and the page says what is missing", async (_name, files) => {
  const page = await begin(files);
  expect(stage.lines.filter((line) => line.startsWith("error: ")).join("\n")).toMatch(WORDS);
  expect(page).toMatch(WORDS);
  expect(page).toContain("Parley does not run a framework's build.");
  expect(page).toContain("&lt;script defer");
  // Its own script makes it a page as any other, from the next load on.
  await stage.write("app/src/index.jsx", "document.body.append('shown');");
  await stage.write("app/index.html", PAGE.replace("{{{appclient}}}", "<script src='src/index.jsx'></script>"));
  expect(await (await fetch(`${stage.host.url}/app/index.html`)).text()).not.toMatch(WORDS);
});

test("without such a declaration a page without a script is nobody's fault", async () => {
  expect(await begin({})).not.toContain('role="alert"');
  expect(stage.lines.join("\n")).not.toMatch(WORDS);
});

test("pack refuses the app with the same words", async () => {
  await begin({});
  const apps = await packFolders();
  try {
    const files = { "app/index.html": PAGE, "package.json": { name: "x", fdkConfig: { frontendFramework: "react" } } };
    const { package: made, findings } = await apps.pack(await apps.write(files));
    expect(made).toBeUndefined();
    expect(findings.map(({ message }) => message).join("\n")).toMatch(WORDS);
  } finally {
    await apps.remove();
  }
});
