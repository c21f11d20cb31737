import { applyEdits, findNodeAtLocation, modify, parseTree } from "jsonc-parser";
import { matchesSchema, IparamsConfig } from "@parley/contract";
import type { Finding } from "../model/finding.ts";
import { parseAppJson } from "../model/json.ts";
import { createFinding } from "../model/rules.ts";
import { textFile, readPackedText, type PackedFile } from "../files/walk.ts";

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
