import { describe, expect, test } from "@jest/globals";
import { appIcon, ICON_CHARACTERS_MAX } from "../../src/publishing/app-icon.ts";
import { nextVersion } from "../../src/publishing/published-name.ts";
import { publishingFixture } from "./publishing-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** Description, version and icon of a published app. */

const fixture = fileFixture(publishingFixture);

test.each([
  ["# Readme app\n\nSays hello\nto people.\n\nMore.", "Says hello to people."],
  ["# readme-app\r\n\r\nSays hello.\r\n", "Says hello."],
  ["# Readme app\n\n![badge](a.svg)\n", ""],
  ["# Another thing\n\nIs something else.\n", ""],
  ["No heading.", ""],
])("the description of an app is the first paragraph of its own README: %j", async (text, description) => {
  const archive = await fixture.archive({ "README.md": text });
  const { version } = await fixture.publisher.publish({ archive, name: "readme-app" });
  expect((await fixture.store.version("readme-app", version))?.declaration.description).toBe(description);
});

test.each([
  [[], "1"],
  [["1", "2"], "3"],
  [["9", "10", "2"], "11"],
  [["1.9.0", "1.10.0"], "2"],
  [["7-beta"], "8"],
  [["alpha", "v3"], "1"],
  [["99999999999999999999"], "1"],
])("the version after %j is %s", (versions, next) => {
  expect(nextVersion(versions)).toBe(next);
});

describe("the icon of a package", () => {
  const manifestWith = (...icons: readonly (string | undefined)[]) => ({
    "platform-version": "3.0",
    modules: Object.fromEntries(
      icons.map((icon, index) => [
        `m${index}`,
        { location: { place: { url: "a.html", ...(icon !== undefined && { icon }) } } },
      ]),
    ),
  });
  const file = (path: string, bytes: string | Buffer = "x") => ({ path, bytes: Buffer.from(bytes) });
  const large = Buffer.alloc(ICON_CHARACTERS_MAX);

  test.each<[string, Parameters<typeof appIcon>, string | undefined]>([
    ["is an image", [{ manifest: manifestWith("i.svg") }, [file("app/i.svg")]], "data:image/svg+xml;base64,eA=="],
    [
      "is that of the first place with one",
      [{ manifest: manifestWith(undefined, "a/b.PNG", "c.png") }, [file("app/a/b.PNG")]],
      "data:image/png;base64,eA==",
    ],
    [
      "may have a query",
      [{ manifest: manifestWith("i.webp?v=1") }, [file("app/i.webp")]],
      "data:image/webp;base64,eA==",
    ],
    ["is no page", [{ manifest: manifestWith("i.html") }, [file("app/i.html")]], undefined],
    ["is in app/", [{ manifest: manifestWith("../config/i.png") }, [file("config/i.png")]], undefined],
    ["is in the package", [{ manifest: manifestWith("i.png") }, []], undefined],
    ["has a maximum size", [{ manifest: manifestWith("i.png") }, [file("app/i.png", large)]], undefined],
    ["is optional", [{ manifest: manifestWith() }, []], undefined],
  ])("%s", (_what, [project, files], icon) => {
    expect(appIcon(project, files)).toBe(icon);
  });
});
