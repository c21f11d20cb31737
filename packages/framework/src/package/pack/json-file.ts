import { applyEdits, findNodeAtLocation, modify, parseTree } from "jsonc-parser";
import { matchesSchema, IparamsConfig } from "@parley/contract";
import type { Finding } from "../model/finding.ts";
import { parseAppJson } from "../model/json.ts";
import { createFinding } from "../model/rules.ts";
import { textFile, readPackedText, type PackedFile } from "../files/app-file.ts";
import { APP_SETTINGS_FILE } from "../load/app-settings.ts";
import { MANIFEST_FILE } from "../model/manifest.ts";

const SCHEMA = "$schema";
export const IPARAMS_FILE = "config/iparams.json";

const hasMember = (text: string, path: readonly string[]): boolean => {
  const tree = parseTree(text);
  return tree !== undefined && findNodeAtLocation(tree, [...path]) !== undefined;
};

/** Removes a member, also if its key occurs more than once. All other text is preserved. */
const withoutMember = (text: string, path: readonly string[]): string =>
  hasMember(text, path) ? withoutMember(applyEdits(text, modify(text, [...path], undefined, {})), path) : text;

/** Keys of secure parameters with a default, which must not be disclosed in a package. */
const secureDefaults = (json: unknown): string[] =>
  matchesSchema(IparamsConfig, json)
    ? Object.entries(json).flatMap(([key, { secure, default_value }]) =>
        secure && default_value !== undefined ? [key] : [],
      )
    : [];

/**
 * Packs a JSON file unchanged, except for members that are meant for editors or are secret.
 * @assumed The default value of a secure parameter is left out of a package, with a warning.
 */
export async function jsonFile(
  folder: string,
  path: string,
): Promise<{ readonly file: PackedFile; readonly findings: readonly Finding[] }> {
  const original = await readPackedText(folder, path);
  const read = parseAppJson(path, original);
  if ("findings" in read) return { file: textFile(path, original), findings: read.findings };
  const text = withoutMember(original, [SCHEMA]);
  const secrets = path === IPARAMS_FILE ? secureDefaults(read.value) : [];
  return {
    file: textFile(
      path,
      secrets.reduce((remaining, key) => withoutMember(remaining, [key, "default_value"]), text),
    ),
    findings: secrets.map((key) => createFinding("pack-secure-default", path, { key })),
  };
}

/** Destination of a package: Parley, or other app hosts (`field`), which accept fewer declarations. */
export const PACK_TARGETS = ["parley", "field"] as const;
export type PackTarget = (typeof PACK_TARGETS)[number];

/** A JSON file without the members that other app hosts refuse, and warnings about the changes. */
export interface FieldJson {
  readonly file: PackedFile;
  readonly findings: readonly Finding[];
}

const WHITELIST = "whitelisted-domains";
/** From this version on, other app hosts use request templates instead of `whitelisted-domains`. */
const FIRST_WITHOUT_WHITELIST = "2.3";

const objectIn = (path: string, text: string): Readonly<Record<string, unknown>> => {
  const read = parseAppJson(path, text);
  const value: unknown = "findings" in read ? {} : read.value;
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
};

/** Removes `whitelisted-domains` from 2.3 on, where only Parley uses it, for the app's own HTTP calls. */
export const fieldManifest = (file: PackedFile): FieldJson => {
  const text = Buffer.from(file.bytes).toString("utf8");
  const { "platform-version": version, [WHITELIST]: domains } = objectIn(MANIFEST_FILE, text);
  if (domains === undefined || typeof version !== "string" || version < FIRST_WITHOUT_WHITELIST)
    return { file, findings: [] };
  return {
    file: textFile(MANIFEST_FILE, applyEdits(text, modify(text, [WHITELIST], undefined, {}))),
    findings: [createFinding("pack-field-whitelist", MANIFEST_FILE, { version })],
  };
};

/** Declares every app setting by `{}`, as other app hosts require. */
export const fieldAppSettings = (file: PackedFile): FieldJson => {
  const text = Buffer.from(file.bytes).toString("utf8");
  const described = Object.entries(objectIn(APP_SETTINGS_FILE, text)).flatMap(([key, declaration]) =>
    Object.keys(declaration ?? {}).length > 0 ? [key] : [],
  );
  return {
    file: textFile(
      APP_SETTINGS_FILE,
      described.reduce((remaining, key) => applyEdits(remaining, modify(remaining, [key], {}, {})), text),
    ),
    findings: described.map((key) => createFinding("pack-field-setting", APP_SETTINGS_FILE, { key })),
  };
};
