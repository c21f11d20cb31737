import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { APP_LIMITS, MODULES, PLATFORM_VERSIONS, RequestTemplate, SERVER_GLOBALS } from "@parley/contract";
import { defaultHostSettings } from "@parley/framework";
import { appHarness } from "../support/app-harness.ts";
import { ROOT } from "../support/parley-process.ts";

/** docs/app-authors/from-fdk.md: its commands, names and limits are those of Parley, and an app of the other framework is valid and can be packed. */

const page = readFileSync(join(ROOT, "docs/app-authors/from-fdk.md"), "utf8");
const rowsOf = (heading: string): string[][] => {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [text = ""] = section.split("\n## ");
  return (text.match(/^\|.*\|$/gm) ?? []).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
};
const names = (cells: readonly string[]) => cells.flatMap((cell) => cell.match(/(?<=`)[\w$.]+(?=`)/g) ?? []);
const firstCells = (heading: string) => rowsOf(heading).map(([cell = ""]) => cell);

/** An app in JavaScript, with the folders and members that the other command writes. */
const harness = await appHarness(
  {
    "manifest.json": JSON.stringify({
      "platform-version": "3.0",
      modules: {
        common: { requests: { send: {} }, functions: { greet: { timeout: 20 } } },
        chat_conversation: {
          location: { conversation_user_info: { url: "index.html", icon: "styles/images/icon.svg" } },
          events: { onMessageCreate: { handler: "onMessageCreateHandler" } },
        },
      },
      engines: { node: "24.11.0", fdk: "10.0.1" },
      devDependencies: {},
      dependencies: {},
    }),
    "server/server.ts": undefined,
    "server/server.js": `exports = {
      onMessageCreateHandler: async function (args) {
        await $request.invokeTemplate("send", { context: { id: args.data.message.conversation_id }, body: "{}" });
      },
      greet: function (args) { renderData(null, { greeting: args.iparams.greeting }); }
    };`,
    "config/iparams.json": JSON.stringify({
      domain: { display_name: "Domain", type: "domain", type_attributes: { product: "freshchat" } },
      key: { display_name: "Key", type: "api_key", secure: true, type_attributes: { product: "freshchat" } },
      greeting: { display_name: "Greeting", type: "text", default_value: "Hello!" },
    }),
    "config/requests.json": JSON.stringify({
      send: {
        schema: {
          method: "POST",
          host: "<%= iparam.domain %>",
          path: "/v2/conversations/<%= context.id %>/messages",
          headers: { Authorization: "Bearer <%= iparam.key %>" },
        },
      },
    }),
    "config/iparam_test_data.json": "{}",
    "app/index.html": '<html><head><script src="{{{appclient}}}"></script></head><body></body></html>',
    "app/styles/images/icon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
    "coverage/index.html": "",
    "log/fdk.log": "",
    ".fdk/localstore": "{}",
  },
  false,
);
afterAll(() => harness.close());

test("an app with the files and members that the other command writes is valid, and is packed for both hosts", async () => {
  expect(await harness.callSuccessfully("validate", "--json")).toContain('{"findings":[]}');
  await harness.callSuccessfully("pack");
  expect(await harness.callSuccessfully("pack", "--target", "field", "--out", "field.zip")).toContain("Packed");
});

const commands = [...new Set(page.match(/npx parley [^`\n]*/g))];

test.each(commands)("%s is a command of Parley with these options", async (command) => {
  const words = command.split(" ").slice(2);
  const options = words.filter((word) => word.startsWith("--"));
  const subcommand = words[0] === "event" && words[1] === "replay" ? words.slice(0, 2) : words.slice(0, 1);
  const help = await harness.callSuccessfully(...subcommand.filter((word) => !word.startsWith("--")), "--help");
  expect(help).toMatch(new RegExp(`^Usage: parley ${subcommand[0]?.startsWith("--") ? "" : subcommand.join(" ")}`));
  expect(options.filter((option) => !help.includes(option))).toEqual([]);
});

test("the page names each platform-version, event and global of Parley, and no other", () => {
  const versions = rowsOf("Manifest").find(([member]) => member === "`platform-version`") ?? [];
  expect(names(versions.slice(1))).toEqual([...PLATFORM_VERSIONS]);
  const events = Object.values(MODULES).flatMap((module) => module.events);
  expect(names(firstCells("Events")).sort()).toEqual(events.sort());
  expect(names(firstCells("Code in `server/`")).sort()).toEqual([...SERVER_GLOBALS].sort());
});

describe("the limits of Parley on the page", () => {
  const settings = defaultHostSettings;
  const { maxAttempts, retryDelay, timeout } = RequestTemplate.properties.options.properties;
  const count = (number: number) => number.toLocaleString("en");
  const size = (bytes: number) => (bytes < 1024 ** 2 ? `${bytes / 1024} KB` : `${bytes / 1024 ** 2} MB`);
  const rangeOf = (schema: object) => {
    const { minimum, maximum } = schema as { readonly minimum: number; readonly maximum: number };
    return `${minimum} to ${count(maximum)}`;
  };
  const choice = (seconds: readonly unknown[]) => `${seconds.slice(0, -1).join(", ")} or ${String(seconds.at(-1))} s`;
  const [first = 0, ...others] = timeout.enum;
  const limits: readonly (readonly [limit: string, text: string])[] = [
    ["time of a handler", `${settings.callTimeoutMs / 1_000} s`],
    ["`timeout` of a function", choice(APP_LIMITS.functionSeconds)],
    ["time of an attempt of a request", `${first} s; ${choice(others)} by \`timeout\``],
    ["`maxAttempts` of a request", rangeOf(maxAttempts)],
    ["`retryDelay` of a request", `${rangeOf(retryDelay)} ms`],
    ["body of a request", size(settings.maxRequestBytes)],
    ["response to a request", size(settings.maxResponseBytes)],
    ["requests of an app on an account", `${count(settings.requestsPerMinute)} a minute`],
    ["request templates", count(APP_LIMITS.requestTemplates)],
    ["key of a record", `${APP_LIMITS.recordKeyCharacters} characters`],
    ["key and value of a record", size(APP_LIMITS.recordBytes)],
    ["entities, fields of each", `${APP_LIMITS.entities}, ${APP_LIMITS.entityFields}`],
    ["name of a schedule", `${APP_LIMITS.scheduleNameCharacters} characters`],
    ["data of a schedule", size(APP_LIMITS.scheduleDataBytes)],
    ["body sent to `generateTargetUrl()`", size(settings.maxTargetBodyBytes)],
    ["requests to `generateTargetUrl()`", `${settings.targetRequestsPerMinute} a minute`],
    ["time of a job", `${APP_LIMITS.jobSeconds / 60} minutes`],
    ["jobs at the same time", count(APP_LIMITS.runningJobs)],
    ["result of a function", size(settings.maxMessageBytes)],
    ["file of `app/`", size(APP_LIMITS.appFileBytes)],
    ["package", size(APP_LIMITS.packageBytes)],
  ];
  const rows = rowsOf("Limits").slice(2);

  test.each(limits)("%s: %s", (limit, text) => {
    expect(rows.find(([name]) => name === limit)?.[1]).toBe(text);
  });

  test("each row is compared", () => {
    const compared = rows.slice(
      0,
      rows.findIndex(([name]) => name === "what"),
    );
    expect(compared.map(([name]) => name)).toEqual(limits.map(([limit]) => limit));
  });
});
