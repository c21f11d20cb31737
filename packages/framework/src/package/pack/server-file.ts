import type { Bundler } from "../bundler/bundler.ts";
import { ASSIGNS_EXPORTS } from "../bundler/job.ts";
import { stableBundle, SERVER_ENTRIES, firstExistingFile } from "../load/bundle.ts";
import type { Finding } from "../../model/finding.ts";
import type { Project } from "../../model/project.ts";
import {
  readPackedFile,
  textFile,
  readPackedText,
  walkFolder,
  type PackedFile,
  type WalkedFiles,
} from "../files/app-file.ts";

const SERVER_FILE = "server/server.js";

export interface PackedPart {
  readonly files: readonly PackedFile[];
  readonly leftOut: readonly string[];
  readonly findings: readonly Finding[];
}

const NAME = /^[A-Za-z_$][\w$]*$/;
const key = (name: string): string => (NAME.test(name) ? name : JSON.stringify(name));

/** Distinct names of the handlers and functions in the manifest. */
const namesOf = ({ handlers, manifest }: Project): string[] => [
  ...new Set([...handlers.map(({ handler }) => handler), ...Object.keys(manifest.modules["common"]?.functions ?? {})]),
];

/** Apps of 2.0 declare the handlers of events in their code. */
const eventsOf = ({ platformVersion, handlers }: Project): string[] =>
  platformVersion === "2.0"
    ? [`  events: ${JSON.stringify(handlers.map(({ event, handler }) => ({ event, callback: handler })))}`]
    : [];

const handlerOf = (name: string): string =>
  `  ${key(name)}: function (args) {\n    return handlers[${JSON.stringify(name)}](args);\n  }`;

/**
 * The form that other app hosts read: at the end of the file, the variable `exports` is assigned a new object with a function for each handler.
 * A wrapper function gives the bundle its own `module` and `exports`.
 */
const toServerForm = (code: string, project: Project): string => `const own = { exports: {} };
(function (module, exports) {
${code.trimEnd()}
})(own, own.exports);
const handlers = Object.assign({}, own.exports, own.exports.default);

exports = {
${[...eventsOf(project), ...namesOf(project).map(handlerOf)].join(",\n")}
};
`;

/** Whether the file already has this form and requires only files of server/ and declared dependencies. */
const hasServerForm = (text: string, isModule: boolean, inputs: readonly string[]): boolean =>
  !isModule &&
  ASSIGNS_EXPORTS.test(text) &&
  inputs.every((path) => path.startsWith("server/") && /\.(?:c?js|json)$/.test(path));

/** Packs server/: unchanged if the entry has the required form, otherwise as one bundle. */
export async function packServer(bundler: Bundler, folder: string, project: Project): Promise<PackedPart> {
  const walked: WalkedFiles = await walkFolder(folder, "server");
  const entry = await firstExistingFile(folder, SERVER_ENTRIES);
  if (!entry) return { files: [], leftOut: walked.leftOut, findings: [] };
  const text = await readPackedText(folder, entry);
  const external = Object.keys(project.manifest.dependencies ?? {});
  const { code, isModule, inputs, findings } = await stableBundle(bundler, {
    folder,
    file: entry,
    platform: "node",
    format: "cjs",
    external,
    hasAssignedExports: true,
  });
  if (code === undefined) return { files: [], leftOut: walked.leftOut, findings };
  const isOut = (path: string) => !inputs.includes(path);
  if (!entry.endsWith(".js") || !hasServerForm(text, isModule, inputs))
    return {
      files: [textFile(SERVER_FILE, toServerForm(code, project))],
      leftOut: [...walked.files, ...walked.leftOut].filter(isOut),
      findings,
    };
  return {
    files: await Promise.all([...new Set([...walked.files, ...inputs])].map((path) => readPackedFile(folder, path))),
    leftOut: walked.leftOut.filter(isOut),
    findings,
  };
}
