import { applyEdits, modify } from "jsonc-parser";
import { found } from "../model/rules.ts";
import type { Finding } from "../model/finding.ts";
import { APP_SETTINGS } from "../load/app-settings.ts";
import { parseAppJson } from "../model/json.ts";
import { MANIFEST_FILE } from "../model/manifest.ts";
import { textFile, type PackedFile } from "../files/walk.ts";

/** Whom a package is for: an app host of ours, or the field's, which takes less. */
export const PACK_TARGETS = ["parley", "field"] as const;
export type PackTarget = (typeof PACK_TARGETS)[number];

/** A file of JSON with what the field's own checks refuse taken away, and what was changed. */
export interface FieldJson {
  readonly file: PackedFile;
  readonly findings: readonly Finding[];
}

const WHITELIST = "whitelisted-domains";
/** The field's manifests name hosts up to this version; later ones have request templates in their place. */
const FIRST_WITHOUT_WHITELIST = "2.3";

const objectIn = (path: string, text: string): Readonly<Record<string, unknown>> => {
  const read = parseAppJson(path, text);
  const value: unknown = "findings" in read ? {} : read.value;
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
};

/** The manifest without `whitelisted-domains` from 2.3 on, where only this host reads them: as hosts of the app's own calls. */
export const fieldManifest = (file: PackedFile): FieldJson => {
  const text = Buffer.from(file.bytes).toString("utf8");
  const { "platform-version": version, [WHITELIST]: domains } = objectIn(MANIFEST_FILE, text);
  if (domains === undefined || typeof version !== "string" || version < FIRST_WITHOUT_WHITELIST)
    return { file, findings: [] };
  return {
    file: textFile(MANIFEST_FILE, applyEdits(text, modify(text, [WHITELIST], undefined, {}))),
    findings: [found("pack-field-whitelist", MANIFEST_FILE, { version })],
  };
};

/** App settings by key, each declared by `{}`, as the field has them. */
export const fieldAppSettings = (file: PackedFile): FieldJson => {
  const text = Buffer.from(file.bytes).toString("utf8");
  const described = Object.entries(objectIn(APP_SETTINGS, text)).flatMap(([key, declaration]) =>
    Object.keys(declaration ?? {}).length > 0 ? [key] : [],
  );
  return {
    file: textFile(
      APP_SETTINGS,
      described.reduce((rest, key) => applyEdits(rest, modify(rest, [key], {}, {})), text),
    ),
    findings: described.map((key) => found("pack-field-setting", APP_SETTINGS, { key })),
  };
};
