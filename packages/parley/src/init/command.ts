import { readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { styleText } from "node:util";
import { Option, type Command } from "commander";
import { CommandFailure } from "../environment/failure.ts";
import { makeFolder } from "../environment/folder.ts";
import { printable, table } from "../output/table.ts";
import { installStep } from "./install-step.ts";
import { APP_TEMPLATES, appTemplateNames, newFiles, type AppTemplate, type TemplateKind } from "./template.ts";

const HELP = `
Creates an app. The default template, in TypeScript, has a handler, parameters, a request,
a page and a test; --list describes the others: plain JavaScript, serverless, front end with
and without a bundler, an own installation page, and more. The types are in types/, so only
the template bundler needs packages. Existing files are never overwritten.

Examples:
  npx parley init greeter
  npx parley init . --name greeter
  npx parley init panel --template page
  npx parley init --list                prints the templates; with --json as data
  npx parley init greeter --json        prints {"folder","name","files"}`;

interface Options {
  readonly template: AppTemplate;
  readonly list?: boolean;
  readonly name?: string;
  readonly json?: boolean;
}

/** Entries that a folder may contain before an app is created in it. */
const IGNORED_ENTRIES = [".git"];
const SHOWN_ENTRIES_MAX = 5;

async function checkIsEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new CommandFailure(`${folder} can't be used (${error.code ?? "error"}). Name a folder that is new or empty.`);
  });
  const entries = names.filter((name) => !IGNORED_ENTRIES.includes(name)).sort();
  if (entries.length === 0) return;
  const shown = [
    ...entries.slice(0, SHOWN_ENTRIES_MAX),
    ...(entries.length > SHOWN_ENTRIES_MAX ? [`${entries.length - SHOWN_ENTRIES_MAX} more`] : []),
  ];
  throw new CommandFailure(
    `${folder} is not empty: ${printable(shown.join(", "))}. Name a folder that is new or empty. Nothing was written.`,
  );
}

/** @errors CommandFailure for an invalid package name */
const nameOf = (folder: string, explicitName: string | undefined): string => {
  const name =
    explicitName ??
    basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "");
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name))
    throw new CommandFailure(
      `'${printable(name)}' is not a valid app name. Pass --name with lower-case letters, digits and hyphens.`,
    );
  return name;
};

/** Quotes a text so that a shell takes it as one word. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const asText = (folder: string, name: string, files: readonly string[], nextSteps: readonly string[]): string => {
  const relativePath = relative(process.cwd(), folder);
  const shownFolder = relativePath.startsWith("..") ? folder : relativePath;
  const install = installStep(folder);
  return [
    ...files.map((file) => `  ${file}`),
    "",
    `Created the app ${styleText("bold", name)}: ${files.length} files${shownFolder ? ` in ${printable(shownFolder)}` : ""}.`,
    "",
    "Next:",
    ...(shownFolder ? [`  cd ${shellWord(printable(shownFolder))}`] : []),
    ...(install ? [`  npm install ${install.map((word) => shellWord(printable(word))).join(" ")}`] : []),
    // Naming packages installs those of package.json, too.
    ...nextSteps.filter((step) => !install || step !== "npm install").map((step) => `  ${step}`),
    "  npx parley run",
  ].join("\n");
};

const listAsJson = (): string =>
  JSON.stringify({
    templates: appTemplateNames.map((name) => ({ name, description: APP_TEMPLATES[name].description })),
  });

const listAsText = (): string =>
  table(
    ["template", "what it creates"],
    appTemplateNames.map((name, index) => [
      name,
      `${APP_TEMPLATES[name].description}${index === 0 ? " The default." : ""}`,
    ]),
  );

/** `parley init`: creates a new app. */
export const addInit = (program: Command, _exit: (status: number) => void) =>
  program
    .command("init")
    .description("create an app")
    .argument("[dir]", "folder of the app, new or empty", ".")
    .option("--name <name>", "name of the app (default: that of the folder)")
    .addOption(new Option("--template <template>", "template of the app").choices(appTemplateNames).default("greeter"))
    .option("--list", "print the templates without creating an app")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(async (dir: string, { name: explicitName, template, list, json }: Options) => {
      if (list) return void process.stdout.write(`${json ? listAsJson() : listAsText()}\n`);
      const folder = resolve(dir);
      const name = nameOf(folder, explicitName);
      await checkIsEmpty(folder);
      const files = await newFiles(name, template);
      try {
        for (const { path, text } of files) {
          await makeFolder(dirname(join(folder, path)));
          await writeFile(join(folder, path), text, { flag: "wx" });
        }
      } catch (error) {
        const { code = "error" } = error as NodeJS.ErrnoException;
        throw new CommandFailure(`The app can't be written to ${folder} (${code}). Name a folder that you may write.`);
      }
      const { nextSteps = [] }: TemplateKind = APP_TEMPLATES[template];
      const paths = files.map(({ path }) => path);
      process.stdout.write(
        `${json ? JSON.stringify({ folder, name, files: paths }) : asText(folder, name, paths, nextSteps)}\n`,
      );
    });
