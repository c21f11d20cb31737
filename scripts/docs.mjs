/**
 * Prints what the code says of itself: openapi.json, errors.md, payload-fields.md, rules.md, assumptions.md and schemas/ in docs/, and the types that a new app is
 * given. `--check` fails where they differ.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "./build.mjs";
import { root } from "./installed.mjs";
import { sdkFile } from "./sdk-file.mjs";

const SOURCES = ["packages", "server", "config", "app"];

const sourceFiles = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !["node_modules", "dist", "test"].includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? sourceFiles(path) : /\.(ts|mjs)$/.test(path) ? [path] : [];
    });

/** -> `[{ file, name, spec, assumed }]`: each docstring that marks a choice, with what it stands above. */
const assumptionsIn = (file) => {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*?@assumed(?:(?!\*\/)[\s\S])*)\*\/\s*([^\n]*)/g)].flatMap(
    ([, comment, below]) => {
      const lines = comment.replace(/^\s*\*? ?/gm, "").trim();
      const parts = lines.split(/(?=@(?:assumed|spec|shape|units|errors|returns)\b)/);
      // A docstring may begin with a tag.
      const [summary = "", tags] = lines.startsWith("@") ? ["", parts] : [parts[0], parts.slice(1)];
      const clean = (tag) =>
        tag
          .replace(/^@\w+\s*/, "")
          .replace(/\s+/g, " ")
          .trim();
      const spec = tags
        .filter((tag) => tag.startsWith("@spec"))
        .map(clean)
        .join("; ");
      const name =
        /^(?:export\s+)?(?:async\s+)?(?:const|function|interface|type)\s+(\w+)/.exec(below)?.[1] ??
        /^["']?([\w-]+(?:: [\d_]+)?)["']?\??[:,]/.exec(below)?.[1] ??
        "";
      return tags
        .filter((tag) => tag.startsWith("@assumed"))
        .map((tag) => ({
          file: relative(root, file),
          name,
          spec,
          assumed: clean(tag) || summary.replace(/\s+/g, " ").trim(),
        }));
    },
  );
};

const cell = (text) => text.replaceAll("|", "\\|");

const errors = (table) =>
  [
    "# Errors",
    "",
    "Printed from the contract's table by `npm run docs`. A running service shows the same table at `/docs/errors`.",
    "",
    "Every answer that says no has the body `{code, status, message}`: the HTTP status, the token of the condition, and what is wrong this",
    "time. Where a message can't be added to a conversation it also carries `error_code`, `error_message` and `error_category`. With",
    "`Accept: application/problem+json` the body has the form of RFC 9457 (`type`, `title`, `status`, `detail`), with the token in `code`.",
    "",
    "| code | token | meaning | what to do | category | where |",
    "|---|---|---|---|---|---|",
    ...table.map(
      ({ problem: { code, status, message, category }, remedy, where }) =>
        `| ${code} | \`${status}\` | ${cell(message)} | ${cell(remedy)} | ${category ?? ""} | ${where
          .map((each) => (/^[A-Z]+ \//.test(each) ? `\`${each}\`` : each))
          .join(", ")} |`,
    ),
    "",
  ].join("\n");

/** What a client of the field should know before it is pointed at Parley. */
const CLIENT_NOTES = [
  "The specification wins over the field. Where public clients expect something else, this is what they meet:",
  "",
  "- **Messages of bots have no `actor_id`**: a bot has no valid one. A client that reads it of every message must allow for that.",
  "- **`PUT /users/{user_id}` changes `email`, `first_name`, `last_name` and `phone` only.** `properties` and the rest are ignored, as the",
  "  specification says; give them when the user is created.",
  '- **A conversation\'s status is `new`, `assigned`, `resolved` or `reopened`.** Statuses such as "waiting on customer" and "waiting on',
  '  internal team" are refused with 400 `INVALID_VALUE`: keep them in a `cf_` property, which events and exports carry.',
  "- **A part has one of the documented keys.** A part `email` is refused with 400 `INVALID_VALUE`; send its text as `text`.",
  "  `attachment_input`, `reference` and `text_input` stand in responses only and are refused with 400 `INVALID_MESSAGE_PARTS`.",
  "- **`NOT_LATEST_CONVERSATION` looks at all channels**: a user writes into the latest of all of their conversations. Begin a new",
  "  conversation, or send the message as an agent or a bot.",
  "- **An interaction may be rated more than once.** Each `POST /csat/{conversation_id}` adds a rating; reports list all of them.",
  "- **Metrics are kept by the hour**: intervals are `1h`, `1d`, `1W` and `1M`, none shorter.",
  "- **Pages of messages**: follow `link.href`. It holds `until`, so that each message that was there at the first page comes exactly once,",
  "  whatever arrives meanwhile. A client that counts pages by itself meets a message again where others have arrived.",
  "- **Addresses in parts**: pictures, videos and files come over http or https, a small picture also as `data:image/png` and the like; a button\n  leads to any scheme that runs nothing.",
  "- **The names `__proto__`, `constructor` and `prototype`** are refused with 400 in bodies and queries, at any depth.",
  "- **`is_deactivated` and `agent_capacity`** of an agent are set by the owner of the installation: [account.md](account.md#the-lists).",
  "- **Refusals of `POST /outbound-messages/{provider}`** also say `success: false`, `error_code` (5 for a missing parameter) and",
  "  `error_message`.",
];

const payloadFields = (objects) =>
  [
    "# Fields of payloads, for authors of clients",
    "",
    "Printed from the contract by `npm run docs`.",
    "",
    ...CLIENT_NOTES,
    "",
    ...objects.flatMap(({ title, where, fields }) => [
      `## ${title}`,
      "",
      `${where[0].toUpperCase()}${where.slice(1)}.`,
      "",
      "| field | present | value |",
      "|---|---|---|",
      ...fields.map(({ name, presence, value }) => `| \`${name}\` | ${presence} | ${cell(value)} |`),
      "",
    ]),
  ].join("\n");

const rules = (table) =>
  [
    "# Rules of `parley validate`",
    "",
    "Printed from the framework's table by `npm run docs`. An error keeps an app from running and from being packed; a warning does not.",
    "What `{stands in braces}` differs from case to case.",
    "",
    "| code | level | message | what to do |",
    "|---|---|---|---|",
    ...Object.entries(table).map(
      ([code, { level, message, help }]) => `| \`${code}\` | ${level} | ${cell(message)} | ${cell(help)} |`,
    ),
    "",
  ].join("\n");

const assumptions = () => {
  const rows = SOURCES.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    sourceFiles(join(root, folder)).flatMap(assumptionsIn),
  );
  return [
    "# Choices where the specification is silent",
    "",
    "Printed from the `@assumed` marks in the sources by `npm run docs`. Change the choice there, not here.",
    "",
    "| where | what | choice | section |",
    "|---|---|---|---|",
    ...rows.map(
      ({ file, name, spec, assumed }) => `| ${file} | ${name && `\`${name}\``} | ${cell(assumed)} | ${cell(spec)} |`,
    ),
    "",
  ].join("\n");
};

if (process.argv.includes("--help")) {
  console.log(
    "node scripts/docs.mjs [--check]: prints docs/openapi.json, errors.md, payload-fields.md, rules.md, assumptions.md, schemas/ and the types of a new app from the code, or checks that they are equal to it.",
  );
} else {
  await build();
  const { errorTable, openapi, payloadObjects } = await import("../packages/contract/dist/index.js");
  const { editorSchemas, RULES } = await import("../packages/framework/dist/index.js");
  const schemas = Object.entries(editorSchemas()).map(([name, schema]) => [
    `docs/schemas/${name}`,
    `${JSON.stringify(schema, null, 2)}\n`,
  ]);
  const pages = {
    ...Object.fromEntries(schemas),
    "packages/parley/src/init/template/types/parley.d.ts.tmpl": await sdkFile(),
    "docs/openapi.json": `${JSON.stringify(openapi(), null, 2)}\n`,
    "docs/errors.md": errors(errorTable()),
    "docs/payload-fields.md": payloadFields(payloadObjects()),
    "docs/rules.md": rules(RULES),
    "docs/assumptions.md": assumptions(),
  };
  const different = Object.entries(pages).filter(
    ([file, text]) => !existsSync(join(root, file)) || readFileSync(join(root, file), "utf8") !== text,
  );
  if (process.argv.includes("--check")) {
    for (const [file] of different) console.error(`${file} is not what the code prints. Run: npm run docs`);
    process.exitCode = different.length > 0 ? 1 : 0;
  } else {
    for (const [file, text] of different) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    console.log(
      different.length > 0 ? `printed ${different.map(([file]) => file).join(", ")}` : "everything is up to date",
    );
  }
}
