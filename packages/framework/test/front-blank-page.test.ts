import { afterEach, expect, test } from "@jest/globals";
import { appFixture, type AppFixture } from "./app-fixture.ts";
import { packFolders } from "./pack-folder.ts";

/** Pages that only a framework's build fills, as public apps declare them. */

const PAGE = "<!doctype html><html><body><div id='root'></div>{{{appclient}}}</body></html>";
const WORDS =
  /app\/index\.html has no script of the \w+ app that (?:package|manifest)\.json declares: the page would stay blank/;
const DECLARED: readonly [string, Readonly<Record<string, string | object>>][] = [
  ["fdkConfig in package.json", { "package.json": { name: "x", fdkConfig: { frontendFramework: "react" } } }],
  ["metaConfig in package.json", { "package.json": { name: "x", metaConfig: { framework: "vue" } } }],
];

let stage: AppFixture;
const begin = async (files: Readonly<Record<string, string | object>>) => {
  stage = await appFixture({ files: { "app/index.html": PAGE, ...files } });
  return (await fetch(`${stage.host.url}/app/index.html`)).text();
};
afterEach(() => stage.close());

test.each(DECLARED)(
  "a page that needs a framework's build, with %s: the start names the page, and the page says what is missing",
  async (_name, files) => {
    const page = await begin(files);
    expect(stage.lines.filter((line) => line.startsWith("error: ")).join("\n")).toMatch(WORDS);
    expect(page).toMatch(WORDS);
    expect(page).toContain("Parley does not run a framework's build.");
    expect(page).toContain("&lt;script defer");
    // After the page gets a script of its own, the next load accepts it.
    await stage.write("app/src/index.jsx", "document.body.append('shown');");
    await stage.write("app/index.html", PAGE.replace("{{{appclient}}}", "<script src='src/index.jsx'></script>"));
    expect(await (await fetch(`${stage.host.url}/app/index.html`)).text()).not.toMatch(WORDS);
  },
);

test("a page without a script and without such a declaration causes no warning", async () => {
  expect(await begin({})).not.toContain('role="alert"');
  expect(stage.lines.join("\n")).not.toMatch(WORDS);
});

test("pack rejects the app with the same message", async () => {
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
