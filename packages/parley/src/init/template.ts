import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { editorSchemas } from "@parley/framework/authoring";

/** A file of a new app; `path` is relative to the app's folder, with `/`. */
interface NewFile {
  readonly path: string;
  readonly text: string;
}

export interface TemplateKind {
  /** Shown in the list of templates; also the description of the new app. */
  readonly description: string;
  /** Path prefixes of the files that are taken from the default template. The other files are in the folder named after the template. */
  readonly sharedPrefixes: readonly string[];
  /** Commands to run in the app's folder before `parley run`. */
  readonly nextSteps?: readonly string[];
}

/** Files that every app has. */
const COMMON_FILES = ["tsconfig.json", "gitignore", "package.json", "README.md", "types/"];

/** Templates of apps; the first one is the default. */
export const APP_TEMPLATES = {
  greeter: {
    description:
      "App in TypeScript with all parts: greets customers once in each conversation, and shows agents the customer.",
    sharedPrefixes: [""],
  },
  javascript: {
    description: "App in plain JavaScript: greets customers once in each conversation, and shows agents the customer.",
    sharedPrefixes: [
      ...["gitignore", "types/", "manifest.json", "app/"],
      ...["config/iparams.json", "config/requests.json"],
    ],
  },
  events: {
    description: "Serverless app in TypeScript: handles new conversations and messages.",
    sharedPrefixes: COMMON_FILES,
  },
  page: {
    description: "Front-end app in HTML and JavaScript, without a build: shows agents the customer.",
    sharedPrefixes: [...COMMON_FILES, "app/"],
  },
  bundler: {
    description: "Front-end app in TypeScript and React, bundled by Vite: shows agents the customer.",
    sharedPrefixes: ["types/"],
    nextSteps: ["npm install", "npm run build"],
  },
  parameters: {
    description:
      "Installation parameters of config/iparams.json, with callbacks in TypeScript that check and show them.",
    sharedPrefixes: COMMON_FILES,
  },
  "installation-page": {
    description: "Own installation page (config/iparams.html), and handlers in TypeScript that use its values.",
    sharedPrefixes: COMMON_FILES,
  },
  oauth: {
    description: "Page and function in TypeScript that call another service for the user who authorised it.",
    sharedPrefixes: [...COMMON_FILES, "app/"],
  },
} as const satisfies Readonly<Record<string, TemplateKind>>;
export type AppTemplate = keyof typeof APP_TEMPLATES;
export const appTemplateNames = Object.keys(APP_TEMPLATES) as AppTemplate[];

const TEMPLATE_EXTENSION = ".tmpl";
const NAME_PLACEHOLDER = /__NAME__/g;
const DESCRIPTION_PLACEHOLDER = /__DESCRIPTION__/g;

/** Path of a template folder, from the source or from the bundle. */
const templateFolder = (folder: string): string =>
  [`./${folder}/`, `../src/init/${folder}/`]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path)) ?? "";

/** The template is named `gitignore`, because npm would apply a .gitignore file when it packs this package. */
const targetPath = (path: string): string =>
  path.slice(0, -TEMPLATE_EXTENSION.length).replace(/^gitignore$/, ".gitignore");

/** Texts of the template files under a folder, by relative path without the extension. */
async function templateTexts(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(TEMPLATE_EXTENSION))
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [relative(folder, path).split(sep).join("/"), await readFile(path, "utf8")] as const;
      }),
  );
  return new Map(texts);
}

/** All files of a new app, sorted by path. */
export async function newFiles(name: string, template: AppTemplate): Promise<NewFile[]> {
  const { description, sharedPrefixes }: TemplateKind = APP_TEMPLATES[template];
  const defaults = await templateTexts(templateFolder("template"));
  const texts = new Map([...defaults].filter(([path]) => sharedPrefixes.some((prefix) => path.startsWith(prefix))));
  if (template !== "greeter") {
    const own = await templateTexts(templateFolder(`templates/${template}`));
    // A template with tests of its own does not get the common test.
    const hasTests = [...own.keys()].some((path) => path.startsWith("test/"));
    const common = hasTests ? [] : await templateTexts(templateFolder("templates/_shared"));
    for (const [path, text] of [...common, ...own]) texts.set(path, text);
  }
  const written = [...texts].map(([path, text]) => ({
    path: targetPath(path),
    text: text.replace(NAME_PLACEHOLDER, name).replace(DESCRIPTION_PLACEHOLDER, description),
  }));
  const schemas = Object.entries(editorSchemas()).map(([file, schema]) => ({
    path: `types/${file}`,
    text: `${JSON.stringify(schema, null, 2)}\n`,
  }));
  return [...written, ...schemas].sort((one, other) => (one.path < other.path ? -1 : 1));
}
