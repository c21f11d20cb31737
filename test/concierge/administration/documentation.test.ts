import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { IPARAM_TYPES, type IparamsConfig } from "@parley/contract";
import { keyPermissions, loadProject, createProjectTools as projectTools } from "@parley/framework";
import { ROOT } from "../../support/parley-process.ts";

/** Statements of docs/admins/concierge.md and docs/app-authors/concierge-code.md. */

const GUIDE = join(ROOT, "docs/admins/concierge.md");
const CODE = join(ROOT, "docs/app-authors/concierge-code.md");
const text = readFileSync(GUIDE, "utf8");
const iparams = JSON.parse(readFileSync(join(ROOT, "config/iparams.json"), "utf8")) as IparamsConfig;

test("the pages about Concierge link to existing files and to pictures below 150 kB", () => {
  const links = [GUIDE, CODE].flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = ""]) =>
      join(dirname(page), link),
    ),
  );
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((link) => !existsSync(link))).toEqual([]);
  const pictures = links.filter((link) => link.endsWith(".png"));
  expect(pictures.length).toBeGreaterThanOrEqual(4);
  for (const picture of pictures) expect(statSync(picture).size).toBeLessThan(150_000);
});

test("the documented permissions equal those that the installation page derives", async () => {
  const { project } = await loadProject(ROOT, await projectTools());
  if (!project) throw new Error("Concierge can't be loaded");
  const [, sentence = ""] = /The key needs these permissions: ([^.]+)\./.exec(text) ?? [];
  const named = [...sentence.matchAll(/`([a-z-]+:[a-z]+)`/g)].map(([, permission]) => permission);
  expect(keyPermissions(project, ".parley.localhost")).toEqual({ permissions: named, undecided: [] });
  expect(text.match(/`[a-z-]+:[a-z]+`/g)).toHaveLength(named.length);
});

test("Concierge has a parameter of each type", () => {
  const types = new Set(Object.values(iparams).map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(IPARAM_TYPES).sort());
});
