import { SET_UP_EVENTS } from "@parley/contract";
import type { FindingWithPath } from "../../model/finding.ts";
import type { Project } from "../../model/project.ts";
import { createFinding } from "../../model/rules.ts";
import type { AppSource } from "./sources.ts";

/** Removes comments, which mention names without using them. Line numbers are preserved. */
export const withoutComments = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .replace(/(^|[^:"'`\\])\/\/[^\n]*/g, "$1");

export const placeOf = (text: string, offset: number) => {
  const linesBefore = text.slice(0, offset).split("\n");
  return { line: linesBefore.length, column: (linesBefore.at(-1)?.length ?? 0) + 1 };
};

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Matches `iparams.key`, `iparams["key"]` and `const { key } = args.iparams`. */
const readPattern = (key: string) => {
  const name = escaped(key);
  return new RegExp(
    `\\biparams\\s*(?:\\?\\.|\\.)\\s*${name}(?![\\w$])` +
      `|\\biparams\\s*(?:\\?\\.)?\\[\\s*["'\`]${name}["'\`]\\s*\\]` +
      `|\\{[^{}]*(?<![\\w$])${name}(?![\\w$])[^{}]*\\}\\s*=\\s*(?:[\\w$]+\\s*\\??\\.\\s*)*iparams\\b`,
  );
};

interface SecureRead {
  readonly key: string;
  /** Offset in the code without comments. */
  readonly index: number;
}

/** Secure parameters that a script reads from `args.iparams`. @assumed The text is searched; the code is not analysed. */
const secureReadsIn = (code: string, { iparams }: Pick<Project, "iparams">): SecureRead[] =>
  Object.entries(iparams).flatMap(([key, { secure }]) => {
    const read = secure ? readPattern(key).exec(code) : null;
    return read ? [{ key, index: read.index }] : [];
  });

/** Whether a script appears to read a parameter from `args.iparams`. */
export const readsIparam = (text: string, key: string): boolean => readPattern(key).test(withoutComments(text));

/** Keys of the secure parameters that the app's code appears to read. */
export const readSecureKeys = (project: Pick<Project, "iparams" | "serverCode">): string[] =>
  secureReadsIn(withoutComments(project.serverCode), project).map(({ key }) => key);

/** Findings for secure parameters that handlers read from `args.iparams`, which lacks them unless an admin consents. */
export const secureIparamReads = (sources: readonly AppSource[], project: Project): FindingWithPath[] =>
  sources.flatMap(({ file, text }) => {
    const code = withoutComments(text);
    return secureReadsIn(code, project).map(({ key, index }) =>
      createFinding("secure-read", file, { key }, placeOf(code, index)),
    );
  });

/** Findings for handlers of set-up events in an app that never calls `renderData`. */
export const setUpWithoutRenderData = (sources: readonly AppSource[], { handlers }: Project): FindingWithPath[] => {
  const codes = sources.map(({ file, text }) => ({ file, code: withoutComments(text) }));
  if (codes.length === 0 || codes.some(({ code }) => /\brenderData\b/.test(code))) return [];
  return handlers
    .filter(({ event }) => SET_UP_EVENTS.some((name) => name === event))
    .map(({ event, handler }) => {
      const named = new RegExp(`(?<![\\w$])${escaped(handler)}(?![\\w$])`);
      const source = codes.find(({ code }) => named.test(code));
      const offset = source ? source.code.search(named) : 0;
      return createFinding(
        "set-up-silent",
        source?.file ?? "server",
        { event },
        source ? placeOf(source.code, offset) : {},
      );
    });
};
