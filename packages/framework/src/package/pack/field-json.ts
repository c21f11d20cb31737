import { applyEdits, modify } from "jsonc-parser";
import { createFinding } from "../model/rules.ts";
import type { Finding } from "../model/finding.ts";
import { APP_SETTINGS_FILE } from "../load/app-settings.ts";
import { parseAppJson } from "../model/json.ts";
import { MANIFEST_FILE } from "../model/manifest.ts";
import { textFile, type PackedFile } from "../files/walk.ts";

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
