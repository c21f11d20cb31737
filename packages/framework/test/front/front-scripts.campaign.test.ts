import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import {
  accessibilityViolations,
  frameOf,
  frontFixture,
  settledState,
  VALUES,
  type FrontFixture,
} from "./front-fixture.ts";
import { entriesOf, packFolders, type PackFolders } from "../support/pack-folder.ts";

/** Pages of the app that reference TypeScript scripts. */

const GREET = `export const greet = (name: string): string => \`Hello \${name}\`;\n`;
const START = `import { greet } from "./greet.ts";
interface Client { readonly data: { get(name: string): Promise<{ user: { first_name: string } }> } }
declare const app: { initialized(): Promise<Client> };
void app.initialized().then(async (client: Client) => {
  Object.assign(window, { client });
  const { user } = await client.data.get("user");
  document.querySelector("h1")!.textContent = greet(user.first_name);
});
`;
const BROKEN = "const one: number = 1;\nconst = 2;\n";
const pageWith = (attributes: string) =>
  `<!doctype html><html lang="en"><head><title>Typed</title>{{{appclient}}}<script ${attributes}></script></head><body><h1>-</h1></body></html>\n`;

let fixture: FrontFixture;
let apps: PackFolders;
let page: Page;
beforeAll(async () => {
  [fixture, apps] = await Promise.all([frontFixture("front-pages"), packFolders()]);
  fixture.service.createConversation("c-1", "Sam", "Where is my order?");
  await fixture.host.install(VALUES);
  await fixture.write("app/greet.ts", GREET);
});
afterAll(async () => {
  await fixture.close();
  await apps.remove();
});
afterEach(() => page.context().close());

const heading = async (text: string) => {
  const heading = page.frameLocator("iframe[title*='Conversation user info']").getByRole("heading", { name: text });
  await heading.waitFor();
};

test.each(['defer src="start.ts"', "type=module src=start.ts", 'type="module" src="./start.ts?v=2"'])(
  "<script %s> runs with its imports",
  async (attributes) => {
    await fixture.write("app/start.ts", START);
    await fixture.write("app/index.html", pageWith(attributes));
    page = await fixture.visit();
    await heading("Hello Sam");
  },
);

test("the served script equals the packed one", async () => {
  await fixture.write("app/start.ts", START);
  const html = pageWith('defer src="start.ts"');
  const { zip } = await apps.packValid({ "app/index.html": html, "app/start.ts": START, "app/greet.ts": GREET });
  const packed = (await entriesOf(zip)).get("./app/start.js")?.toString("utf8") ?? "";
  page = await fixture.visit();
  const reply = await fetch(`${fixture.host.url}/app/start.ts`);
  expect(reply.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  const [code = "", map = ""] = (await reply.text()).split("//# sourceMappingURL=data:application/json;base64,");
  expect(packed).toContain("Hello");
  expect(code).toBe(packed);
  expect(JSON.parse(Buffer.from(map, "base64").toString())).toMatchObject({
    sources: ["app/greet.ts", "app/start.ts"],
  });
});

test("a syntax error is reported with file and line while the last good code stays active, until its correction", async () => {
  await fixture.write("app/start.ts", START);
  await fixture.write("app/index.html", pageWith('defer src="start.ts"'));
  page = await fixture.visit();
  await heading("Hello Sam");
  await fixture.write("app/greet.ts", BROKEN);
  const errors = page.locator("[data-part=errors]");
  await errors.getByText("app/greet.ts:2:7: ").waitFor();
  await heading("Hello Sam");
  expect(await settledState(await frameOf(page, "index.html"), "client.data.get('domainName')")).toMatchObject([
    "ok",
    {},
  ]);
  expect(await accessibilityViolations(page)).toEqual([]);
  await fixture.write("app/greet.ts", GREET.replace("Hello", "Good day"));
  await heading("Good day Sam");
  await errors.waitFor({ state: "hidden" });
});

test("a script that never compiled reports its error in the browser's console too", async () => {
  await fixture.write("app/other.ts", BROKEN);
  await fixture.write("app/index.html", pageWith('defer src="other.ts"'));
  page = await fixture.visit();
  await page.locator("[data-part=errors]").getByText("app/other.ts:2:7: ").waitFor();
  const thrown = page.waitForEvent("pageerror");
  await page.reload();
  expect((await thrown).message).toContain("app/other.ts:2:7: ");
});

const JSX = `/** @jsxRuntime classic */ /** @jsx h */
import "./look.css";
import icon from "./icon.svg";
const h = (name, attributes) => Object.assign(document.createElement(name), attributes);
document.body.append(<img className="icon" src={icon} alt="Icon" />);
document.querySelector("h1").textContent = "Drawn";
`;

test("a script in JSX runs with its imported styles and images, and is packed identically", async () => {
  const files = {
    "app/draw.jsx": JSX,
    "app/look.css": ".icon { border-left: 7px solid red; }",
    "app/icon.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>`,
    "app/index.html": pageWith('defer src="draw.jsx"'),
  };
  for (const [file, text] of Object.entries(files)) await fixture.write(file, text);
  page = await fixture.visit();
  await heading("Drawn");
  const icon = page.frameLocator("iframe[title*='Conversation user info']").getByAltText("Icon");
  expect(await icon.evaluate((image) => getComputedStyle(image).borderLeftWidth)).toBe("7px");
  expect(await icon.getAttribute("src")).toMatch(/^data:image\/svg\+xml/);
  const entries = await entriesOf((await apps.packValid(files)).zip);
  expect(entries.get("./app/index.html")?.toString()).toContain('src="draw.js"');
  expect(entries.get("./app/draw.js")?.toString()).toContain("border-left: 7px");
  expect([...entries.keys()]).not.toContain("./app/draw.jsx");
});
