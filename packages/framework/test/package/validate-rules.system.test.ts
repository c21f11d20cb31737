import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { LoadedProject } from "../../src/model/project.ts";
import { RULES, type RuleCode } from "../../src/model/rules.ts";
import { MANIFEST, projectFolders, manifestWith, UNCHANGED, type ProjectFolders } from "../support/project-folder.ts";
import { CONFIG_CASES } from "./validate-config-cases.ts";
import { MANIFEST_CASES } from "./validate-manifest-cases.ts";

let apps: ProjectFolders;
let unchanged: Promise<LoadedProject>;
beforeAll(async () => {
  apps = await projectFolders({ reusesFolder: true });
  unchanged = apps.validate(UNCHANGED);
});
afterAll(() => apps.remove());

type Files = Record<string, unknown>;

/** Packing, installation of dependencies, links and the bundler have separate tests. */
type Code = Exclude<RuleCode, `pack-${string}` | "dependency-install" | "path-refused" | "bundling-failed">;

/** For each rule: files that violate it, and nearly identical files that comply. */
const CASES: Record<Code, readonly [bad: Files, good: Files]> = {
  ...MANIFEST_CASES,
  ...CONFIG_CASES,
  "server-load": [
    { "server/server.js": "throw new Error('at once')" },
    { "server/server.js": "exports = { hear: function () { throw new Error('later') } };" },
  ],
  "set-up-silent": [
    {
      "manifest.json": manifestWith({ common: { events: { onAppInstall: { handler: "begin" } } } }),
      "server/server.js": "// renderData()\nexports = { hear: () => 0, begin: () => 0 };",
    },
    {
      "manifest.json": manifestWith({ common: { events: { onAppInstall: { handler: "begin" } } } }),
      "server/server.js": "exports = { hear: () => 0, begin: () => renderData() };",
    },
  ],
  "secure-read": [
    { "server/server.js": "exports = { hear: (args) => args.iparams.key };" },
    { "server/server.js": "exports = { hear: (args) => args.iparams.keys + args.key /* iparams.key */ };" },
  ],
  "npmrc-line": [
    { ".npmrc": "registry=https://packages.example.com/\ngit=../evil.sh\n" },
    { ".npmrc": "registry=https://packages.example.com/\n" },
  ],
  "file-size": [
    { "app/large.txt": "x".repeat(10 * 1024 * 1024 + 1) },
    { "app/large.txt": "x".repeat(10 * 1024 * 1024), "app/large.js.map": "x".repeat(10 * 1024 * 1024 + 1) },
  ],
  "package-size": [
    {
      "app/a.txt": incompressibleText(),
      "app/b.txt": incompressibleText(),
      "app/c.txt": incompressibleText(),
      "app/d.txt": incompressibleText(),
    },
    { "app/a.txt": incompressibleText() },
  ],
  "lint-undefined": [
    { "server/server.js": "exports = { hear: () => nowhere };" },
    {
      "server/server.js":
        "const nowhere = 1; exports = { hear: () => [nowhere, $request, $db, $credentials, $job, $schedule, generateTargetUrl, renderData, fetch] };",
    },
  ],
  lint: [
    { "server/server.js": "exports = { hear: () => { return 1; console.info(2); } };" },
    { "server/server.js": "exports = { hear: () => { console.info(2); return 1; } };" },
  ],
};

/** Returns text that hardly compresses. */
function incompressibleText(): string {
  let state = 7;
  const one = () => String.fromCharCode(33 + ((state = (state * 16_807) % 2_147_483_647) % 90));
  // Longer than the window of the compression.
  return Array.from({ length: 60_000 }, one).join("").repeat(31);
}

describe("each validation rule reports violations and accepts compliant files:", () => {
  test.each(Object.entries(CASES))("%s", async (code, [bad, good]) => {
    const rule = RULES[code as Code];
    const broken = await apps.validate(bad);
    const own = broken.findings.filter((finding) => finding.code === code);
    expect(own.length).toBeGreaterThan(0);
    for (const { level, message, help = "" } of own) {
      expect(level).toBe(rule.level);
      expect(`${message} ${help}`).not.toMatch(/\{\w+\}/);
    }
    expect(broken.project === undefined).toBe(broken.findings.some(({ level }) => level === "error"));
    const unchangedFindings = good === UNCHANGED ? await unchanged : await apps.validate(good);
    expect(
      unchangedFindings.findings.filter(({ level, ...finding }) => level === "error" || finding.code === code),
    ).toEqual([]);
    expect(unchangedFindings.project).toBeDefined();
  });
});

test("an app without errors has no findings", async () => {
  expect((await unchanged).findings).toEqual([]);
});

const field = (iparam: object) => ({ "config/iparams.json": { k: { display_name: "K", ...iparam } } });

describe("a parameter", () => {
  const findingOf = async (iparam: object, code: RuleCode) =>
    (await apps.validate(field(iparam))).findings.find((finding) => finding.code === code);

  test.each([
    ["email", "someone", "Enter an email address, such as name@example.com."],
    ["url", "example.com", "Enter an address that begins with https:// or http://."],
    ["phone_number", "12", "Enter a phone number of 7 to 15 digits, such as +1 202 555 0147."],
    ["number", "1.5", "Enter a whole number of at most 10 digits."],
    ["date", "2025-02-31", "Enter a date as year-month-day, such as 2025-03-31."],
    ["text", "two\nlines", "Enter a single line of text."],
  ])("of type %s with the invalid default %s causes a warning with the page's message", async (type, value, words) => {
    const finding = await findingOf({ type, default_value: value }, "iparams-default-refused");
    expect(finding?.message).toBe(`The default value of the 'k' field is refused on the installation page: ${words}`);
  });

  test("whose own regex rejects its default causes a warning with that message", async () => {
    const regex = { digits: "^[0-9]+$", "digits-error": "Only digits." };
    const finding = await findingOf({ type: "text", regex, default_value: "x" }, "iparams-default-refused");
    expect(finding?.message).toMatch(/: Only digits\.$/);
    expect(await findingOf({ type: "text", regex, default_value: "7" }, "iparams-default-refused")).toBeUndefined();
    expect(await findingOf({ type: "text", regex, default_value: "" }, "iparams-default-refused")).toBeUndefined();
  });

  test.each([
    [{ type: "text", requird: true }, "iparams-unknown", "Did you mean 'required' in place of 'requird'?"],
    [{ type: "text", zebra: "x" }, "iparams-unknown", undefined],
    [{ type: "txt" }, "iparams-type", expect.stringMatching(/^Did you mean 'text'\? The types are /)],
    [{ type: "radio", options: ["a", 1] }, "iparams-options", 'Each option is a text: write "1" in place of 1.'],
  ] as const)("%j gets a suggestion", async (iparam, code, help) => {
    const finding = await findingOf(iparam, code);
    expect([finding?.level, finding?.help || undefined]).toEqual(["error", help]);
  });

  test.each(["product.domain", true])("may have data-bind: %j", async (bind) => {
    const { findings } = await apps.validate(field({ type: "text", "data-bind": bind }));
    expect(findings).toEqual([]);
  });
});

describe("a finding says what its author may have meant:", () => {
  const manifest = (more: Files) => ({ "manifest.json": manifestWith(more) });
  const event = (name: string, module = "chat_conversation", member = "handler") =>
    manifest({ [module]: { events: { [name]: { [member]: "hear" } } } });
  const call = (code: string) => ({ "server/server.js": `exports = { hear: () => ${code} };` });
  test.each<[string, Files, RuleCode, string | RegExp]>([
    ["an event", event("onMessageCraete"), "event", "Did you mean 'onMessageCreate' in place of 'onMessageCraete'?"],
    ["an event of the module common", event("onAppInstall"), "event", "onAppInstall belongs to the module common."],
    [
      "a key of an event",
      event("onMessageCreate", "chat_conversation", "hanlder"),
      "manifest-shape",
      "Did you mean 'handler' in place of 'hanlder'?",
    ],
    [
      "a place",
      manifest({ chat_conversation: { location: { conversation_userinfo: { url: "i.html", icon: "i.svg" } } } }),
      "place",
      /^Did you mean 'conversation_user_info' in/,
    ],
    [
      "a member of the manifest",
      { "manifest.json": { ...MANIFEST, whitelistedDomains: [] } },
      "manifest-member",
      /^Did you mean 'whitelisted-domains' in/,
    ],
    [
      "a regular expression",
      field({ type: "text", regex: "^x$" }),
      "iparams-regex-empty",
      /^It is an object of pairs: "regex"/,
    ],
    [
      "a package that is not declared",
      call("require('cutter')"),
      "syntax",
      /^Name the package in dependencies of manifest\.json/,
    ],
    [
      "a package of a page that is not installed",
      {
        ...manifest({ common: { location: { full_page_app: { url: "i.html", icon: "i.svg" } } } }),
        "app/i.html": '<!doctype html><script type="module" src="start.ts"></script>',
        "app/i.svg": "<svg/>",
        "app/start.ts": 'import "@acme/cutter/loader";',
      },
      "syntax",
      /^Install the package first: run 'npm install' .* 'npm install @acme\/cutter' /,
    ],
    [
      "a template",
      {
        ...call("$request.invokeTemplate('note', {})"),
        ...manifest({ common: { requests: { notes: {} } } }),
        "config/requests.json": { notes: { schema: { method: "GET", host: "api.example.com" } } },
      },
      "request-call-template",
      "Did you mean 'notes'?",
    ],
    ["a verb", call("$request.post('https://api.example.com/', {})"), "request-call", /never runs/],
  ])("%s", async (_title, files, code, help) => {
    const { findings } = await apps.validate(files);
    const found = findings.find((finding) => finding.code === code)?.help;
    expect(found).toEqual(typeof help === "string" ? help : expect.stringMatching(help));
  });
});

test.each(["10.0.0.1", "192.168.1.1", "https://127.0.0.1"])(
  "a template to the host %s, which is refused when it is sent, is an error",
  async (host) => {
    const { findings } = await apps.validate({
      "manifest.json": manifestWith({ common: { requests: { one: {} } } }),
      "config/requests.json": { one: { schema: { method: "GET", host } } },
    });
    expect(findings.map(({ code }) => code)).toEqual(["request-host"]);
  },
);

test.each([
  ["keyword", []],
  ["keywords", []],
  ["my key", []],
  ["api_key", ["iparams-not-secure"]],
  ["publicKey", ["iparams-not-secure"]],
  ["auth_token", ["iparams-not-secure"]],
])("a parameter called %s: %j", async (key, codes) => {
  const { findings } = await apps.validate({ "config/iparams.json": { [key]: { display_name: "K", type: "text" } } });
  expect(findings.map(({ code }) => code)).toEqual(codes);
});

test("a template with OAuth without an integration file is an error", async () => {
  const { findings } = await apps.validate({
    "manifest.json": manifestWith({ common: { requests: { one: {} } } }),
    "config/requests.json": {
      one: { schema: { method: "GET", host: "api.example.com" }, options: { oauth: "github" } },
    },
  });
  expect(findings).toMatchObject([{ code: "request-oauth", level: "error", file: "config/requests.json", line: 1 }]);
});
