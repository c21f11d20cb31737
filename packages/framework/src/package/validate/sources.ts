import { readdir } from "node:fs/promises";
import { appFilePath, readAppFileText } from "../files/app-file.ts";

/** A script of the app's author. */
export interface AppSource {
  /** Path from the app's folder, with `/`. */
  readonly file: string;
  readonly text: string;
}

export interface AppSources {
  readonly own: readonly AppSource[];
  /** Scripts of third parties, which are not checked. */
  readonly foreign: readonly string[];
  readonly pages: readonly AppSource[];
}

const SCRIPT = /\.(?:[cm]?js|[cm]?ts)$/i;
const PAGE = /\.html?$/i;
const TEST = /\.(?:test|spec)\.[^.]+$|\.d\.[cm]?ts$/;
const THIRD_PARTY_NAME = /[.-](?:min|bundle)\.[cm]?js$|^jquery[\w.-]*\.js$/i;
const THIRD_PARTY_FOLDERS = ["vendor", "vendors", "third_party", "bower_components", "dist", "build"];
const EXCLUDED_FOLDERS = ["node_modules", "test_data", "test", "tests", "__tests__", "coverage"];
/** A file with a longer line is generated. @units characters */
const HANDWRITTEN_LINE_LENGTH_MAX = 1_000;
/** @units characters */
const HANDWRITTEN_FILE_LENGTH_MAX = 500_000;

const isGeneratedText = (text: string) =>
  text.length > HANDWRITTEN_FILE_LENGTH_MAX ||
  text.split("\n").some((line) => line.length > HANDWRITTEN_LINE_LENGTH_MAX);

/** The folder `lib` contains third-party libraries in app/, and the author's own code in server/. */
const isThirdPartyFolder = (part: string, name: string) =>
  THIRD_PARTY_FOLDERS.includes(name) || (part === "app" && ["lib", "libs"].includes(name));

interface ListedFile {
  readonly file: string;
  readonly isForeign: boolean;
}

async function filesIn(folder: string, part: string, below = part, isForeign = false): Promise<ListedFile[]> {
  const real = await appFilePath(folder, below);
  const entries = real === undefined ? [] : await readdir(real, { withFileTypes: true }).catch(() => []);
  const listed = await Promise.all(
    entries.map(async (entry): Promise<ListedFile[]> => {
      const { name } = entry;
      const file = `${below}/${name}`;
      if (name.startsWith(".")) return [];
      if (entry.isFile()) return [{ file, isForeign: isForeign || THIRD_PARTY_NAME.test(name) }];
      if (!entry.isDirectory() || EXCLUDED_FOLDERS.includes(name)) return [];
      return filesIn(folder, part, file, isForeign || isThirdPartyFolder(part, name));
    }),
  );
  return listed.flat().sort((one, other) => (one.file < other.file ? -1 : 1));
}

/** Reads the scripts and pages of one part of the app: `app`, `server` or `config/assets`. */
export async function readAppSources(folder: string, part: string): Promise<AppSources> {
  const files = (await filesIn(folder, part)).filter(
    ({ file }) => (SCRIPT.test(file) || PAGE.test(file)) && !TEST.test(file),
  );
  const read = await Promise.all(
    files.map(async ({ file, isForeign }) => {
      const text = isForeign ? "" : ((await readAppFileText(folder, file)) ?? "");
      return { file, text, isForeign: isForeign || (SCRIPT.test(file) && isGeneratedText(text)) };
    }),
  );
  const ownSources = read.filter(({ isForeign }) => !isForeign).map(({ file, text }) => ({ file, text }));
  return {
    own: ownSources.filter(({ file }) => SCRIPT.test(file)),
    foreign: read.filter(({ isForeign }) => isForeign).map(({ file }) => file),
    pages: ownSources.filter(({ file }) => PAGE.test(file)),
  };
}
