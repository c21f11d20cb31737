/** Generates documents from the code, listed in `documents` below. `--check` fails when one differs from the code. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { accessPage } from "./access-page.mjs";
import { architecturePage } from "./architecture-page.mjs";
import { build } from "./build.mjs";
import { taggedDocstrings } from "./docstring-tags.mjs";
import { root } from "./installed.mjs";
import { cell } from "./markdown-cell.mjs";
import { configurationPage, metricsPage } from "./operator-pages.mjs";
import { sdkFile } from "./sdk-file.mjs";
import { SECTIONS } from "./specification-sections.mjs";
import { dashboard } from "./monitoring/dashboard.mjs";

/** A part of this page is generated. */
const ARCHITECTURE = "docs/contributors/architecture.md";

const errors = (table) =>
  [
    "# Errors",
    "",
    "Look up an error by its code and token, and see what to do. This page is generated from the contract by `npm run docs`; a running",
    "service shows the same table at `/docs/errors`.",
    "",
    "The body of every error response is `{code, status, message}`: the HTTP status code, the token of the condition, and a sentence about this",
    "request. If a message can't be added to a conversation, the body also has `error_code`, `error_message` and `error_category`. With",
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

/** Differences that authors of clients must know before using a client with Parley. */
const CLIENT_NOTES = [
  "Where public clients differ from the specification, Parley follows the specification:",
  "",
  "- **Messages of bots have no `actor_id`**, as bots have no valid id. Your client must accept messages without it.",
  "- **`PUT /users/{user_id}` updates `email`, `first_name`, `last_name` and `phone` only.** `properties` and all other fields are ignored.",
  "  Set them when you create the user.",
  '- **The status of a conversation is `new`, `assigned`, `resolved` or `reopened`.** Statuses such as "waiting on customer" and "waiting on',
  '  internal team" are refused with 400 `INVALID_VALUE`. Store them in a `cf_` property; events and exports include it.',
  "- **A part has exactly one of the documented keys.** A part `email` is refused with 400 `INVALID_VALUE`: send its text as `text`.",
  "  `attachment_input`, `reference` and `text_input` occur in responses only and are refused with 400 `INVALID_MESSAGE_PARTS`.",
  "- **`NOT_LATEST_CONVERSATION` considers all channels.** A user can write only into the latest of all of their conversations. Start a new",
  "  conversation, or send the message as an agent or a bot.",
  "- **An interaction can be rated more than once.** Each `POST /csat/{conversation_id}` adds a rating; reports list all of them.",
  "- **Metrics are stored by the hour.** Intervals are `1h`, `1d`, `1W` and `1M`.",
  "- **Pages of messages:** follow `link.href`. It carries `until`, so that each message that existed at the first page is listed exactly once,",
  "  whatever arrives meanwhile. A client that counts pages itself can see a message twice if others have arrived.",
  "- **Addresses in parts:** images, videos and files use http or https; a small image can be a `data:image/png` (or similar) address. A button",
  "  links to https, http, mailto or tel. Another scheme is refused with 400, for avatars and icons too.",
  "- **The names `__proto__`, `constructor` and `prototype`** are refused with 400 in bodies and queries, at any depth.",
  "- **`is_deactivated`, `agent_capacity` and `scope`** of an agent are set by the operator or an admin's session:",
  "  `PUT /admin/accounts/{account}/agents/{agent_id}` ([Sign-in](../admins/sign-in.md#roles-and-scopes)).",
  "- **Errors of `POST /outbound-messages/{provider}`** also have `success: false`, `error_code` (5 for a missing parameter) and",
  "  `error_message`.",
];

const payloadFields = (objects) =>
  [
    "# Payload fields",
    "",
    "See which fields each object has, and when. This page is generated from the contract by `npm run docs`.",
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

/** @shape fixable: codes of rules that `--fix` corrects */
const rules = (table, fixable) =>
  [
    "# Rules of `parley validate`",
    "",
    "Look up a finding by its code, and see how to fix it. An error prevents an app from running and from being packed; a warning does not.",
    "Rules for scripts apply to JavaScript and TypeScript; decorators and the bodies of enums and namespaces are not read.",
    "Text in `{braces}` varies with the case. This page is generated from the framework by `npm run docs`.",
    "",
    "`npx parley validate --fix` corrects findings of the rules marked `--fix`, where exactly one correction is possible: a misspelt name with a single",
    "similar one, a name in another case, `true`, `false` and numbers as texts or the reverse, comments and trailing commas in JSON, the address of a host",
    "in place of its name, a path with `app/` before it. It leaves everything that needs a decision, and all other text of the file.",
    "",
    "| code | level | message | what to do | corrected |",
    "|---|---|---|---|---|",
    ...Object.entries(table).map(
      ([code, { level, message, help }]) =>
        `| \`${code}\` | ${level} | ${cell(message)} | ${cell(help)} | ${fixable.includes(code) ? "`--fix`" : ""} |`,
    ),
    "",
  ].join("\n");

const assumptions = (docstrings) =>
  [
    "# Choices where the specification is silent",
    "",
    "Each row is a decision that the specification leaves open. This page is generated from the `@assumed` tags of the sources by",
    "`npm run docs`: to change a choice, change it there.",
    "",
    "| file | name | choice | section |",
    "|---|---|---|---|",
    ...docstrings.flatMap(({ file, name, summary, spec, assumed }) =>
      assumed.map(
        (text) => `| ${file} | ${name && `\`${name}\``} | ${cell(text || summary)} | ${cell(spec.join("; "))} |`,
      ),
    ),
    "",
  ].join("\n");

/** Section that a tag cites; tags may omit the chapter and may continue after a colon. -> undefined when there is no such section */
const sectionOf = (tag) => {
  const [name] = tag.split(":");
  return SECTIONS.find((one) => one.name === name || one.name.endsWith(` > ${name}`));
};
const isOtherStandard = (tag) => /^RFC \d/.test(tag);

/** @errors Error that lists the tags without a section */
const checkCitations = (cited) => {
  const wrong = cited.filter(({ section, tag }) => !section && !isOtherStandard(tag));
  if (wrong.length > 0)
    throw new Error(
      `These tags name no section of scripts/specification-sections.mjs:\n${wrong
        .map(({ file, name, tag }) => `  ${file}: ${name}: @spec ${tag}`)
        .join("\n")}`,
    );
};

/** Folders with the names of the tagged declarations in them. @shape entries: [{file, name}] */
const placesOf = (entries, packages = []) => {
  const byFolder = new Map();
  for (const { file, name } of entries) {
    const folder = dirname(file);
    byFolder.set(folder, new Set([...(byFolder.get(folder) ?? []), ...(name ? [name] : [])]));
  }
  const untagged = packages.filter((one) => ![...byFolder.keys()].some((folder) => folder.startsWith(`${one}/`)));
  return [
    ...[...byFolder].map(([folder, names]) => `${folder}: ${[...names].map((name) => `\`${name}\``).join(", ")}`),
    ...untagged,
  ].join("<br>");
};

/** @shape rows: `rowsOf()` of the contract */
const specificationMap = (docstrings, rows) => {
  const cited = docstrings.flatMap((docstring) =>
    docstring.spec.map((tag) => ({ ...docstring, tag, section: sectionOf(tag) })),
  );
  const endpoints = rows.map(({ row: { route, spec } }) => ({
    file: "packages/contract",
    name: route,
    tag: spec,
    section: sectionOf(spec),
  }));
  checkCitations([...cited, ...endpoints]);
  const routesOf = (section) =>
    endpoints.filter((endpoint) => endpoint.section === section).map(({ name }) => `\`${cell(name)}\``);
  const others = cited.filter(({ section }) => !section);
  return [
    "# The specification and the code",
    "",
    "Find the code that implements a section of the API specification, and see how much of the section is implemented. Docstrings cite",
    "sections with `@spec`; this page is generated from these tags and from `scripts/specification-sections.mjs` by `npm run docs`. Decisions",
    "that the specification leaves open are listed in [assumptions.md](assumptions.md). Endpoints are rows of `packages/contract`, which",
    "name their section; [openapi.json](../integrators/openapi.json) describes them.",
    "",
    "| section | what it says | implemented | endpoints | where |",
    "|---|---|---|---|---|",
    ...SECTIONS.map(
      (section) =>
        `| ${section.name} | ${cell(section.says)} | ${cell(section.implemented)} | ${routesOf(section).join("<br>")} | ${placesOf(
          cited.filter((one) => one.section === section),
          section.packages,
        )} |`,
    ),
    "",
    "## Other standards",
    "",
    "| standard | where |",
    "|---|---|",
    ...others.map((one) => `| ${cell(one.tag.split(":")[0])} | ${placesOf([one])} |`),
    "",
  ].join("\n");
};

if (process.argv.includes("--help")) {
  console.log(
    "node scripts/docs.mjs [--check]: generates documents from the code, or checks that they are up to date.",
  );
} else {
  await build();
  const {
    admin,
    ENVIRONMENT_GROUPS,
    environmentRows,
    errorTable,
    identity,
    messengerApi,
    openapi,
    payloadObjects,
    platform,
    rowsOf,
    transfer,
    testEnvironment,
  } = await import("../packages/contract/dist/index.js");
  const { editorSchemas, FIXABLE_RULES, RULES } = await import("../packages/framework/dist/index.js");
  const { METRICS } = await import("../packages/telemetry/dist/index.js");
  const docstrings = taggedDocstrings();
  const schemas = Object.entries(editorSchemas()).map(([name, schema]) => [
    `docs/app-authors/schemas/${name}`,
    `${JSON.stringify(schema, null, 2)}\n`,
  ]);
  const documents = {
    ...Object.fromEntries(schemas),
    "packages/parley/src/init/template/types/parley.d.ts.tmpl": await sdkFile(),
    "docs/integrators/openapi.json": `${JSON.stringify(openapi(), null, 2)}\n`,
    "docs/integrators/access.md": accessPage([
      ["The API", rowsOf().map(({ row }) => row)],
      ["The messenger", rowsOf(messengerApi).map(({ row }) => row)],
      ["Sign-in and own access", rowsOf(identity).map(({ row }) => row)],
      ["Administration", rowsOf({ admin, transfer }).map(({ row }) => row)],
      ["The platform of apps", rowsOf({ platform }).map(({ row }) => row)],
      ["Test environments", rowsOf({ testEnvironment }).map(({ row }) => row)],
    ]),
    "docs/integrators/errors.md": errors(errorTable()),
    "docs/integrators/payload-fields.md": payloadFields(payloadObjects()),
    "docs/app-authors/validation-rules.md": rules(RULES, FIXABLE_RULES),
    "docs/operators/metrics.md": metricsPage(METRICS),
    "deploy/monitoring/dashboard.json": dashboard(),
    "docs/operators/configuration.md": configurationPage(ENVIRONMENT_GROUPS, environmentRows()),
    [ARCHITECTURE]: architecturePage(readFileSync(join(root, ARCHITECTURE), "utf8")),
    "docs/contributors/assumptions.md": assumptions(docstrings),
    "docs/contributors/specification-map.md": specificationMap(docstrings, rowsOf()),
  };
  const different = Object.entries(documents).filter(
    ([file, text]) => !existsSync(join(root, file)) || readFileSync(join(root, file), "utf8") !== text,
  );
  if (process.argv.includes("--check")) {
    for (const [file] of different) console.error(`${file} differs from the code. Run: npm run docs`);
    process.exitCode = different.length > 0 ? 1 : 0;
  } else {
    for (const [file, text] of different) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    console.log(
      different.length > 0 ? `written: ${different.map(([file]) => file).join(", ")}` : "All documents are up to date.",
    );
  }
}
