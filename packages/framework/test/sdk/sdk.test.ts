import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { campaignTest } from "../../../../test/support/campaign.ts";

/** Code that the SDK's types accept and reject, with the SDK of these packages and with the copy in a new app. */

const at = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const PRINTED = at("packages/parley/src/init/template/types/parley.d.ts.tmpl");

const TSC = at("node_modules/typescript-native/bin/tsc");

/** [code, text of the error, or undefined if the code must compile] */
const CASES: readonly (readonly [string, string | undefined])[] = [
  // Payloads by event.
  [`const h: EventHandler<"onMessageCreate"> = ({ data }) => data.message.messages;`, undefined],
  [`const h: EventHandler<"onConversationCreate"> = ({ data }) => data.conversation.status;`, undefined],
  [`const h: EventHandler<"onUserUpdate"> = ({ data }) => data.changes?.model_changes;`, undefined],
  [`const h: EventHandler<"onExternalEvent"> = ({ headers, data }) => [headers["x"], data];`, undefined],
  [`const h: EventHandler<"onScheduledEvent"> = ({ data }) => data["job"];`, undefined],
  [`const h: EventHandler<"onAppInstall"> = ({ iparams }) => iparams["k"];`, undefined],
  [`const h: FunctionHandler<{ readonly id: number }> = ({ id, iparams }) => [id.toFixed(), iparams];`, undefined],
  [`const h: EventHandler<"onMessageCreate"> = ({ data }) => data.conversation.status;`, "possibly 'undefined'"],
  [`const h: EventHandler<"onUserCreate"> = ({ data }) => data.message.messages;`, "possibly 'undefined'"],
  [`const h: EventHandler<"onUserSing"> = () => 1;`, "does not satisfy the constraint"],
  [`const h: EventHandler<"onAppInstall"> = ({ data }) => data.message.text;`, "never"],
  // server/
  [`$request.invokeTemplate("x").then(({ response }) => response.trim());`, undefined],
  [
    `$request.post("https://a.b", { json: { a: 1 }, headers: { a: "b" } }).then(({ status }) => status.toFixed());`,
    undefined,
  ],
  [`$request.invokeTemplate(1);`, "not assignable"],
  [`$request.head("https://a.b");`, "does not exist"],
  [`$db.set("k", { a: 1 }, { ttl: 60, setIf: "not_exist" });`, undefined],
  [`$db.set("k", "text");`, "not assignable"],
  [`$db.update("k", "multiply", {});`, "not assignable"],
  [
    `$schedule.create({ name: "n", data: {}, schedule_at: "2030-01-01T00:00:00Z", repeat: { time_unit: "days", frequency: 1 } });`,
    undefined,
  ],
  [
    `$schedule.create({ name: "n", data: {}, schedule_at: "x", repeat: { time_unit: "years", frequency: 1 } });`,
    "not assignable",
  ],
  [`generateTargetUrl().then((url) => url.trim());`, undefined],
  [`generateTargetUrl({ renew: true }).then((url) => url.trim());`, undefined],
  [`generateTargetUrl("again");`, "has no properties in common"],
  [
    `renderData(); renderData(null, { a: 1 }); renderData({ message: "no" }); renderData({ status: 400, message: "no" });`,
    undefined,
  ],
  [`renderData({ status: 400 });`, "missing"],
  // app/
  [`app.initialized().then(async ({ data }) => (await data.get("user")).user.first_name);`, undefined],
  [
    `app.initialized().then(async ({ data }) => (await data.get("conversation")).conversation.messages.length);`,
    undefined,
  ],
  [`app.initialized().then(({ data }) => data.get("weather"));`, "not assignable"],
  [
    `app.initialized().then((c) => c.interface.trigger("showNotify", { type: "success", message: "done" }));`,
    undefined,
  ],
  [
    `app.initialized().then((c) => c.interface.trigger("showNotify", { type: "loud", message: "done" }));`,
    "not assignable",
  ],
  [`app.initialized().then((c) => c.interface.trigger("explode", {}));`, "not assignable"],
  [`app.initialized().then((c) => c.events.on("app.activated", ({ helper }) => helper.done()));`, undefined],
  [`app.initialized().then((c) => c.instance.resize({ height: "500px" }));`, undefined],
  [`app.initialized().then(async (c) => (await c.request.invoke("f", { a: 1 })).response);`, undefined],
  [
    `app.initialized().then((c) => [c.iparams.get(), c.iparams.get("k"), c.db.get("k"), c.request.invokeTemplate("x", {})]);`,
    undefined,
  ],
  // config/assets/
  [`utils.set("k", { value: "v", hint: "h", visible: true, min: 1 }); utils.get("k");`, undefined],
  [`utils.set("k", { colour: "red" });`, "does not exist"],
  [
    `const use = ({ request, context, data }: PageClient) => [request, context.product, data.get("currentHost")];`,
    undefined,
  ],
  [`const use = (client: PageClient) => client.db;`, "does not exist"],
  [`const use = (client: PageClient) => client.interface;`, "does not exist"],
  [`const use = (client: PageClient) => client.data.get("user");`, "not assignable"],
];

const HEAD = `import type { EventHandler, FunctionHandler, PageClient } from "@parley/framework/sdk";\n`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-sdk-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Compiles all cases at once. Returns the errors of each case, "" for cases that compile. */
const errorsOf = (place: string, customConditions: readonly string[]): string[] => {
  for (const [index, [code]] of CASES.entries()) writeFileSync(join(place, `case-${index}.ts`), `${HEAD}${code}\n`);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    moduleDetection: "force",
    allowImportingTsExtensions: true,
    customConditions,
    types: [],
  };
  writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const { stdout } = spawnSync(process.execPath, [TSC, "--singleThreaded", "--pretty", "false", "-p", place], {
    encoding: "utf8",
    cwd: place,
  });
  const errors = CASES.map(() => "");
  for (const line of stdout.split(/\n(?! )/).filter(Boolean)) {
    const [, index, text = ""] = /^case-(\d+)\.ts\([\d,]+\): error ([\s\S]*)$/.exec(line) ?? [];
    // An error in another file is a defect of the types themselves.
    expect(index === undefined ? line : "").toBe("");
    errors[Number(index)] += text;
  }
  return errors;
};

const expectAgreement = (errors: readonly string[]) =>
  expect(errors.map((text, index) => [CASES[index]?.[0], text === "" ? undefined : text])).toEqual(
    CASES.map(([code, error]) => [code, error === undefined ? undefined : expect.stringContaining(error)]),
  );

campaignTest(
  "the types of the SDK package accept correct code and reject errors",
  () => {
    symlinkSync(at("node_modules"), join(folder, "node_modules"));
    expectAgreement(errorsOf(folder, ["parley-source"]));
  },
  60_000,
);

test("the type file in a new app accepts correct code and rejects errors", () => {
  const newAppFolder = mkdtempSync(join(tmpdir(), "parley-sdk-alone-"));
  writeFileSync(join(newAppFolder, "parley.d.ts"), readFileSync(PRINTED));
  try {
    expectAgreement(errorsOf(newAppFolder, []));
  } finally {
    rmSync(newAppFolder, { recursive: true, force: true });
  }
});
