import { applyEdits, modify } from "jsonc-parser";
import { fits, IparamsConfig } from "@parley/contract";
import { warningIn, type Finding } from "../project/finding.ts";
import { textOf } from "./bundled.ts";
import { textFile, type PackedFile } from "./walk.ts";

const SCHEMA = "$schema";
const IPARAMS = "config/iparams.json";

const without = (text: string, path: readonly string[]): string =>
  applyEdits(text, modify(text, [...path], undefined, { formattingOptions: { insertSpaces: true, tabSize: 2 } }));

/** Secure parameters that have a default: a secret in a file that many may read. */
const secureDefaults = (json: unknown): string[] =>
  fits(IparamsConfig, json)
    ? Object.entries(json).flatMap(([key, { secure, default_value }]) =>
        secure && default_value !== undefined ? [key] : [],
      )
    : [];

/**
 * A file of JSON byte for byte, without what is for the author's editor or must stay at home.
 * @assumed the default value of a secure parameter is left out of a package, with a warning
 */
export async function jsonFile(
  folder: string,
  path: string,
): Promise<{ readonly file: PackedFile; readonly findings: readonly Finding[] }> {
  const lying = await textOf(folder, path);
  const json = JSON.parse(lying) as object;
  const text = Object.hasOwn(json, SCHEMA) ? without(lying, [SCHEMA]) : lying;
  const secrets = path === IPARAMS ? secureDefaults(JSON.parse(text)) : [];
  return {
    file: textFile(
      path,
      secrets.reduce((rest, key) => without(rest, [key, "default_value"]), text),
    ),
    findings: secrets.map((key) =>
      warningIn(
        path,
        "pack-secure-default",
        `The default value of the secure parameter '${key}' is left out of the package`,
        {
          help: "whoever can read the package could read it",
        },
      ),
    ),
  };
}
