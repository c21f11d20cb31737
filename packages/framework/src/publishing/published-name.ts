import {
  APP_NAME_CHARACTERS_MAX,
  AppVersionName,
  matchesSchema,
  memberOf,
  PACKAGE_REFUSED,
  PublishedAppName,
  refuse,
} from "@parley/contract";
import type { PackedFile } from "../package/files/app-file.ts";

/** Names that are parts of host names of the platform itself. */
const RESERVED_NAMES = ["frame"];

const NAME_RULE =
  "A name has lower-case letters and digits, with single hyphens between them, and at most " +
  `${APP_NAME_CHARACTERS_MAX} characters`;

/** A valid name that resembles the text; undefined if nothing is left of it. */
const similarName = (text: string): string | undefined => {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, APP_NAME_CHARACTERS_MAX)
    .replace(/^-+|-+$/g, "");
  return name !== "" && !RESERVED_NAMES.includes(name) ? name : undefined;
};

/** @errors Refusal PACKAGE_REFUSED */
const checkName = (name: string): string => {
  if (RESERVED_NAMES.includes(name))
    return refuse(PACKAGE_REFUSED, `The name ${name} is reserved. Choose another name.`);
  const isValid: boolean = matchesSchema(PublishedAppName, name);
  if (isValid) return name;
  const similar = similarName(name);
  const advice =
    similar === undefined
      ? "Choose another name in package.json."
      : `Choose another name in package.json, such as ${similar}.`;
  return refuse(
    PACKAGE_REFUSED,
    `The app can't be named ${JSON.stringify(name.slice(0, 100))}. ${NAME_RULE}. ${advice}`,
  );
};

/** @errors Refusal PACKAGE_REFUSED */
const checkVersion = (version: string): string => {
  const isValid: boolean = matchesSchema(AppVersionName, version);
  return isValid
    ? version
    : refuse(
        PACKAGE_REFUSED,
        `The version ${JSON.stringify(version.slice(0, 100))} is not valid. A version has letters, digits, dots, hyphens and plus signs, ` +
          "begins with a letter or digit, and has at most 64 characters, such as 1.4.0.",
      );
};

/** Description of the app in package.json. */
export interface PackageInfo {
  readonly name?: string;
  readonly version?: string;
}

/** Reads package.json of a package. @errors Refusal PACKAGE_REFUSED for a file that is not JSON */
export const packageInfoOf = (files: readonly PackedFile[]): PackageInfo => {
  const file = files.find(({ path }) => path === "package.json");
  if (!file) return {};
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(file.bytes).toString("utf8"));
  } catch {
    return refuse(
      PACKAGE_REFUSED,
      "package.json of the package is not valid JSON. Correct it, then pack the app again.",
    );
  }
  const textAt = (key: string): string | undefined => {
    const text = memberOf(json, key);
    return typeof text === "string" && text !== "" ? text : undefined;
  };
  const [name, version] = [textAt("name"), textAt("version")];
  return {
    ...(name !== undefined && { name: name.replace(/^@[^/]+\//, "") }),
    ...(version !== undefined && { version }),
  };
};

interface NameAndVersion {
  readonly name: string;
  /** Absent: the next number. */
  readonly version?: string;
}

/** Determines the name and the version of a publication: those that are given, else those of package.json. @errors Refusal PACKAGE_REFUSED */
export const publishedName = (given: PackageInfo, files: readonly PackedFile[]): NameAndVersion => {
  const isNeeded = given.name === undefined || given.version === undefined;
  const info = isNeeded ? packageInfoOf(files) : {};
  const name = given.name ?? info.name;
  if (name === undefined)
    return refuse(
      PACKAGE_REFUSED,
      "The package does not name its app: it has no package.json with a name. Name the app with the parameter 'name'.",
    );
  const version = given.version ?? info.version;
  return { name: checkName(name), ...(version !== undefined && { version: checkVersion(version) }) };
};

/** @shape versions: those that are published -> the next whole number */
export const nextVersion = (versions: readonly string[]): string => {
  const numbers = versions.map((version) => Number(/^\d{1,9}(?=$|[.+-])/.exec(version)?.[0] ?? 0));
  return String(Math.max(0, ...numbers) + 1);
};
