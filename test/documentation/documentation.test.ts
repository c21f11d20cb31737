import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { AUDIT_ACTIONS, IPARAM_TYPES, LIMITS, MESSENGER_LIMITS, WEBHOOK_ACTIONS } from "@parley/contract";
import { ROOT } from "../support/parley-process.ts";

const IGNORED = ["node_modules", "dist", ".git", ".parley", "coverage", "fixtures", "releases"];

/** Paths of all files below a folder, relative to the root. */
const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !IGNORED.includes(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });

const files = filesBelow(".");
const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const pages = files.filter((path) => path.endsWith(".md"));
const exists = (path: string): boolean => existsSync(join(ROOT, path));

/** Removes code blocks and spans, whose links and names are examples. */
const withoutBlocks = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, "");
const withoutCode = (text: string): string => withoutBlocks(text).replace(/`[^`\n]*`/g, "");

/** The anchors that GitHub generates for the headings of a page. */
const anchorsOf = (path: string): string[] =>
  [...withoutBlocks(textOf(path)).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

interface Link {
  readonly page: string;
  readonly target: string;
}
const links: readonly Link[] = pages.flatMap((page) =>
  [...withoutCode(textOf(page)).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, target = ""]) => ({ page, target })),
);
const fileOf = ({ page, target }: Link): string => {
  const [path = ""] = target.split("#");
  return path === "" ? page : join(dirname(page), path);
};

test("every relative link of a documentation page points to an existing file", () => {
  expect(links.length).toBeGreaterThan(150);
  expect(links.filter((link) => !exists(fileOf(link)))).toEqual([]);
});

test("every link to a heading of a documentation page matches a heading", () => {
  const broken = links.filter((link) => {
    const [, anchor] = link.target.split("#");
    const file = fileOf(link);
    return anchor !== undefined && file.endsWith(".md") && exists(file) && !anchorsOf(file).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test("docs/README.md links every page for readers", () => {
  const listed = links.filter(({ page }) => page === "docs/README.md").map(fileOf);
  const missing = pages.filter((page) => /^docs\/[^/]+\//.test(page) && !listed.includes(page));
  expect(missing).toEqual([]);
});

test("every picture is used by a page and is smaller than 150 kB", () => {
  const pictures = files.filter((path) => path.startsWith("docs/images/"));
  const shown = links.map(fileOf);
  expect(pictures.filter((picture) => !shown.includes(picture))).toEqual([]);
  expect(pictures.filter((picture) => statSync(join(ROOT, picture)).size >= 150_000)).toEqual([]);
});

test("every documentation page that sources and help texts name exists", () => {
  const sources = files.filter((path) => /\.(ts|mjs|json|tmpl)$/.test(path) && !path.startsWith("docs/"));
  const wrong = sources.flatMap((path) =>
    [...textOf(path).matchAll(/(?<![\w/-])docs\/[\w./-]+\.(?:md|json|mjs|png)\b/g)]
      .map(([named]) => `${relative(".", path)}: ${named}`)
      .filter((line) => !exists(line.split(": ")[1] ?? "")),
  );
  expect(wrong).toEqual([]);
});

/** Names of generated files and of files that a reader creates. */
const NOT_IN_THE_TREE = /[<>*{…$]|node_modules|\/dist\b|^test\/(?:report|.*\.zip)/;

test("every command in a block of a page can be typed as it is: as `npx parley`", () => {
  const bare = pages.flatMap((page) =>
    (textOf(page).match(/^```[\s\S]*?^```/gm) ?? [])
      .flatMap((block) => block.match(/^(?:\$ )?(?:[A-Z_]+=\S+ )*parley (?!is\b)[a-z].*$/gm) ?? [])
      .map((line) => `${page}: ${line}`),
  );
  expect(bare).toEqual([]);
});

test("every repository path that a page names exists", () => {
  const wrong = pages.flatMap((page) =>
    [...withoutBlocks(textOf(page)).matchAll(/`((?:packages|scripts|bench|crash|mutation|docs)\/[^`\s:,]+)`/g)]
      .map(([, named = ""]) => named)
      .filter((named) => !NOT_IN_THE_TREE.test(named) && !exists(named))
      .map((named) => `${page}: ${named}`),
  );
  expect(wrong).toEqual([]);
});

const isSource = (path: string): boolean => /\.(?:tsx?|mjs|json|hbs|tmpl)$/.test(path) && !path.startsWith("docs/");
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/[^\n]*/g, "$1");
const sourceText = files
  .filter(isSource)
  .map((path) => withoutComments(textOf(path)))
  .join("\n");
const wordsOf = (text: string): readonly string[] => text.match(/[\w$]+/g) ?? [];
const sourceWords = new Set(wordsOf(sourceText));
/** Every path of a file or folder, and each end of it: a page names files without the folders that its sentence names. */
const pathEnds = new Set(
  files.flatMap((path) => {
    const parts = path.split("/");
    return parts.flatMap((_, end) => parts.slice(0, end + 1).map((__, start) => parts.slice(start, end + 1).join("/")));
  }),
);
const isPath = (text: string): boolean =>
  /^(?![/@])[\w./-]+\.(?:tsx?|mjs|json|hbs|tmpl|md)$|^\w[\w.-]*(?:\/[\w.-]+)+\/?$/.test(text);

test.each(["additions", "architecture", "first-change", "migrations"])(
  "every identifier and file that docs/contributors/%s.md names exists",
  (name) => {
    const page = textOf(`docs/contributors/${name}.md`);
    // A reader adds the names of the blocks to the sources.
    const namesOfBlocks = wordsOf((page.match(/^```[\s\S]*?^```/gm) ?? []).join("\n"));
    const spans = [...withoutBlocks(page).matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
    const missing = spans.filter((span) => {
      if (isPath(span)) return !pathEnds.has(span.replace(/\/$/, ""));
      if (/^\w+: (?:true|false)$/.test(span)) return !sourceText.includes(span);
      const [, identifier] = /^([A-Za-z_$][\w$]*)(?:$|\()/.exec(span) ?? [];
      return identifier !== undefined && !sourceWords.has(identifier) && !namesOfBlocks.includes(identifier);
    });
    expect(spans.length).toBeGreaterThan(3);
    expect(missing).toEqual([]);
  },
);

test.each([
  ["docs/integrators/webhooks.md", "webhook action", WEBHOOK_ACTIONS],
  ["docs/app-authors/iparams.md", "type of parameter", Object.keys(IPARAM_TYPES)],
])("%s has a table row for each %s", (page, _, names) => {
  expect(names.filter((name) => !new RegExp(`^\\| \`${name}\` \\|`, "m").test(textOf(page)))).toEqual([]);
});

test("docs/admins/audit-log.md names every action", () => {
  const page = textOf("docs/admins/audit-log.md");
  expect(AUDIT_ACTIONS.filter((action) => !page.includes(`\`${action}\``))).toEqual([]);
});

/** Sections without claims: tasks of the operator, and limits of the product. */
const WITHOUT_CLAIMS = ["Your tasks", "Not available"];
/** Tables that describe, and claim nothing that a test could show. */
const DESCRIBING_TABLES = /^\| (?:mechanism|Parley runs as|action) \|/;
const TESTS_OR_NONE = /`[\w./-]+\.test\.ts`|not tested/;

describe.each(["docs/security.md", "docs/operators/app-isolation.md"])("%s", (page) => {
  const [, ...sections] = textOf(page).split(/^#{2,3} /m);
  const claims = sections.filter((section) => !WITHOUT_CLAIMS.includes(section.split("\n")[0] ?? ""));

  test("names the test of each claim: of a section, a bullet, and a row of a table", () => {
    const unshown = claims.flatMap((section) => {
      const tables = section.match(/(?:^\|.*\n)+/gm) ?? [];
      const rows = tables
        .filter((table) => !DESCRIBING_TABLES.test(table))
        .flatMap((table) => table.trim().split("\n").slice(2));
      const bullets = section.match(/^- .*(?:\n {2}\S.*)*/gm) ?? [];
      return [section, ...rows.map((row) => row.split("|").at(-2) ?? ""), ...bullets].filter(
        (claim) => !TESTS_OR_NONE.test(claim),
      );
    });
    expect(claims.length).toBeGreaterThan(4);
    expect(unshown).toEqual([]);
  });

  test("names tests that exist, each by a path that belongs to one of them", () => {
    const named = textOf(page).match(/`[\w./-]+\.test\.ts`/g) ?? [];
    const matches = (name: string) => files.filter((path) => `/${path}`.endsWith(`/${name.slice(1, -1)}`));
    expect(named.filter((name) => matches(name).length !== 1)).toEqual([]);
  });
});

test("README.md has the numbers of docs/app-authors/compatibility.md, which lists every app of test/compatibility/apps.json", () => {
  const page = textOf("docs/app-authors/compatibility.md").replace(/\s+/g, " ");
  const result = (kind: string) => {
    const pattern = `(\\d+) ${kind}\\b[^.]*\\. \\d+ work completely, \\d+ have failures that Parley does not cause, (\\d+) fail because`;
    return new RegExp(pattern).exec(page)?.slice(1).map(Number) ?? [];
  };
  const [[apps, failedApps = 0], [clients, failedClients = 0]] = [
    result("apps of \\d+ repositories"),
    result("clients"),
  ] as const;
  const listed = JSON.parse(textOf("test/compatibility/apps.json")) as readonly { readonly apps: readonly object[] }[];
  expect(listed.flatMap((repository) => repository.apps)).toHaveLength(apps ?? 0);
  const words = ["none fails", "one fails", "two fail", "three fail"];
  expect(textOf("README.md").replace(/\s+/g, " ")).toContain(
    `[${apps} public apps and ${clients} public clients](docs/app-authors/compatibility.md) that were tested, ${words[failedApps + failedClients]} because of Parley.`,
  );
});

test("docs/integrators/api.md says how many messages a new conversation takes, and how long a text is", () => {
  const guide = textOf("docs/integrators/api.md").replace(/\s+/g, " ");
  expect(guide).toContain(`takes the first message, or up to ${LIMITS.messages_per_create} in their order`);
  expect(guide).toContain(`a text ${LIMITS.text_characters.toLocaleString("en")} characters`);
});

test("docs/admins/messenger.md has the limits of the messenger", () => {
  const page = textOf("docs/admins/messenger.md");
  const limits = MESSENGER_LIMITS;
  const rows = [
    `| messages of a visitor | ${limits.messages_per_minute} in a minute |`,
    `| requests of a visitor's session | ${limits.calls_per_minute} in a minute |`,
    `| new visitors from one IP address | ${limits.sessions_per_address_hour} in an hour |`,
    `| new visitors of an account | ${limits.sessions_per_account_minute} in a minute |`,
    `| wrong restore ids from one IP address | ${limits.restores_per_address_hour} in an hour |`,
    `| uploads of a visitor | ${limits.upload_bytes_per_visitor_day / 2 ** 20} MB in a day |`,
    `| uploads of all visitors of an account | ${limits.upload_bytes_per_account_day / 2 ** 30} GB in a day |`,
    `| sites | ${limits.origins} |`,
    `| tokens, site ids and numbers | ${limits.aliases} |`,
    `| an anonymous customer who has never written | ${limits.anonymous_days} days |`,
    `${limits.session_idle_days} days without use, or ${limits.session_days} days |`,
  ];
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});
