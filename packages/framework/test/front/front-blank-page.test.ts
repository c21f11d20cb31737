import { afterEach, expect, test } from "@jest/globals";
import { appFixture, type AppFixture } from "../support/app-fixture.ts";
import { packFolders } from "../support/pack-folder.ts";

/** Pages that only a framework's build fills, as public apps declare them. */

const PAGE = "<!doctype html><html><body><div id='root'></div>{{{appclient}}}</body></html>";
const EXPECTED_MESSAGE =
  /app\/index\.html has no script of the \w+ app that (?:package|manifest)\.json declares: the page would stay blank/;
const DECLARED: readonly [string, Readonly<Record<string, string | object>>][] = [
  ["fdkConfig in package.json", { "package.json": { name: "x", fdkConfig: { frontendFramework: "react" } } }],
  ["metaConfig in package.json", { "package.json": { name: "x", metaConfig: { framework: "vue" } } }],
];

let fixture: AppFixture;
const begin = async (files: Readonly<Record<string, string | object>>) => {
  fixture = await appFixture({ files: { "app/index.html": PAGE, ...files } });
  return (await fetch(`${fixture.host.url}/app/index.html`)).text();
};
afterEach(() => fixture.close());

test.each(DECLARED)(
  "a page that needs a framework's build, with %s: the start names the page, and the page says what is missing",
  async (_name, files) => {
    const page = await begin(files);
    expect(fixture.lines.filter((line) => line.startsWith("error: ")).join("\n")).toMatch(EXPECTED_MESSAGE);
    expect(page).toMatch(EXPECTED_MESSAGE);
    expect(page).toContain("Parley does not run a framework's build.");
    expect(page).toContain("&lt;script defer");
    // After the page gets a script of its own, the next load accepts it.
    await fixture.write("app/src/index.jsx", "document.body.append('shown');");
    await fixture.write("app/index.html", PAGE.replace("{{{appclient}}}", "<script src='src/index.jsx'></script>"));
    expect(await (await fetch(`${fixture.host.url}/app/index.html`)).text()).not.toMatch(EXPECTED_MESSAGE);
  },
);

test("a page without a script and without such a declaration causes no warning", async () => {
  expect(await begin({})).not.toContain('role="alert"');
  expect(fixture.lines.join("\n")).not.toMatch(EXPECTED_MESSAGE);
});

test("pack rejects the app with the same message", async () => {
  await begin({});
  const apps = await packFolders();
  try {
    const files = { "app/index.html": PAGE, "package.json": { name: "x", fdkConfig: { frontendFramework: "react" } } };
    const { package: packed, findings } = await apps.pack(await apps.write(files));
    expect(packed).toBeUndefined();
    expect(findings.map(({ message }) => message).join("\n")).toMatch(EXPECTED_MESSAGE);
  } finally {
    await apps.remove();
  }
});
