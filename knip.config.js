/** What `npm run lint` takes for used: the files that a build, a command, a test or a published package starts from, and all that they import. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGES } from "./scripts/bundles.mjs";

/** The second run, which leaves out tests: it finds code that only tests use. */
const isProduction = process.argv.includes("--production");

/** The source of each entry of a package, by the names under which programs import it: `@parley/contract`, and its file in `dist`. */
const SOURCES = Object.fromEntries(
  PACKAGES.flatMap(({ name }) => {
    const folder = join(import.meta.dirname, "packages", name);
    const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return Object.entries(exports).flatMap(([entry, { types, default: built = types }]) => {
      const source = join(folder, types);
      return [
        [join("@parley", name, entry), source],
        [join("packages", name, built), source],
      ];
    });
  }),
);

/** Builds are not examined: the import of a build is taken for the import of its source. */
const withSources = (text) =>
  text.replaceAll(/"(?:\.\.\/)*((?:@parley|packages)\/[\w./-]+)"/g, (specifier, name) =>
    SOURCES[name] === undefined ? specifier : JSON.stringify(SOURCES[name]),
  );

const workspaceOf = ({ name, node = [], cjs = [], page = [], module = [], application = [] }) => [
  `packages/${name}`,
  {
    entry: [...[node, cjs, page, module, application].flat().map((file) => `${file}!`), "test/**/*.test.ts"],
    project: ["src/**/*.{ts,tsx}!", "test/**/*.{ts,tsx,mjs}", "!test/{fixtures,sites}/**"],
    includeEntryExports: !isProduction,
  },
];

export default {
  compilers: { ts: withSources, tsx: withSources, mjs: withSources },
  // Tests may name a type and import from the entry of a package.
  include: ["files", "dependencies", "exports", "duplicates", ...(isProduction ? [] : ["types"])],
  ignoreExportsUsedInFile: isProduction,
  workspaces: {
    ".": {
      entry: [
        "{server/server,app/scripts/*,config/assets/*}.ts!",
        "{scripts,mutation}/*.mjs!",
        "crash/{run,host,service,database-supervisor}.mjs!",
        "{bench,deploy,docs}/**/*.mjs!",
        "test/**/*.test.ts",
        "test/{clients,compatibility,runner,setup,support}/**/*.mjs",
      ],
      project: ["{server,scripts,bench,crash,mutation,app,config}/**/*.{ts,mjs}!", "test/**/*.{ts,mjs}"],
    },
    ...Object.fromEntries(PACKAGES.map(workspaceOf)),
  },
  ignoreIssues: {
    // The interfaces of published packages, and a module that Jest loads by its name.
    "packages/{client/src/index,framework/src/{sdk/*,testing,testing/*},parley/src/index}.ts": ["exports", "types"],
    // Style sheets that the build evaluates (`scripts/contract-values.mjs`).
    "packages/contract/src/display/colors.ts": ["exports"],
    // What tests load by a computed path: the build of a client, and a page that tests change.
    "{packages/client/src/session.ts,scripts/deployment/page.mjs}": ["exports"],
    // What tests compare with the database.
    "packages/service/src/base/db/tables.ts": ["exports"],
    // Functions that the compiler alone examines.
    "**/*.test.ts": ["exports"],
  },
  // Own packages are imported as sources (above). The others are programs, files that are served, or packages of a page's example.
  ignoreDependencies: [
    "@parley/.+",
    "jest",
    "swagger-ui-dist",
    "@arethetypeswrong/cli",
    "@opentelemetry/.+",
    "@types/smtp-server",
  ],
};
