import { urlOf } from "@parley/contract";
import type { Finding } from "../../model/finding.ts";
import { readAppFileText } from "../files/app-file.ts";
import { createFinding } from "../../model/rules.ts";

/** npm settings that determine the source of packages, by name. */
export type NpmSettings = ReadonlyMap<string, string>;

interface NpmrcRead {
  readonly settings: NpmSettings;
  readonly findings: readonly Finding[];
}

const NPMRC = ".npmrc";
const SCOPE = /^@[a-z0-9][\w.-]*:registry$/i;
const TOKEN_KEY = /^(\/\/[A-Za-z0-9.:[\]-]+(?:\/[\w.~@%/-]*)?):_authToken$/;
const TOKEN = /^[\w.+/=~-]+$/;
/** Matches a URL without characters that npm would expand, split or treat as a comment. */
const ADDRESS = /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[\w.~@%/+-]*)?$/;
/** Settings that do not affect the installed packages. Ignoring them causes no warning. */
const HARMLESS_SETTINGS = [
  "audit",
  "color",
  "engine-strict",
  "fund",
  "ignore-scripts",
  "loglevel",
  "omit-lockfile-registry-resolved",
  "package-lock",
  "progress",
  "save-exact",
  "update-notifier",
];
/** Maximum length of a setting's name in a finding. @units characters */
const SHOWN_NAME_LENGTH_MAX = 60;

/** A registry URL in npm's form, with a trailing slash; undefined for text that npm would not use literally. */
export const registryAddress = (text: string): string | undefined => {
  const url = ADDRESS.test(text) ? urlOf(text) : undefined;
  return url && url.username === "" && url.password === "" ? url.href.replace(/\/?$/, "/") : undefined;
};

/** The part of a URL to which a token is bound. */
const withoutScheme = (address: string): string => address.replace(/^https?:/, "");

const unquoted = (text: string): string => /^"([^"\\]*)"$|^'([^'\\]*)'$/.exec(text)?.slice(1).find(Boolean) ?? text;

/**
 * Parses an app's .npmrc: literal registry URLs, and literal tokens for these registries. Every other setting is ignored with a warning, because
 * it could make npm run programs or disclose data of the host.
 * @assumed An app's .npmrc may name registries, for all packages or a scope, and a literal token for each; all other lines are ignored.
 */
function parseNpmrc(text: string): NpmrcRead {
  const settings = new Map<string, string>();
  const tokens: { readonly name: string; readonly value: string; readonly line: number }[] = [];
  const findings: Finding[] = [];
  const ignored = (name: string, line: number) =>
    HARMLESS_SETTINGS.includes(name) ||
    findings.push(
      createFinding("npmrc-line", NPMRC, { name: name.slice(0, SHOWN_NAME_LENGTH_MAX) }, { line, column: 1 }),
    );
  text.split(/\r\n|\r|\n/).forEach((written, index) => {
    const trimmed = written.trim();
    if (trimmed === "" || /^[;#]/.test(trimmed)) return;
    const at = trimmed.indexOf("=");
    const name = (at < 0 ? trimmed : trimmed.slice(0, at)).trim();
    const value = unquoted(at < 0 ? "" : trimmed.slice(at + 1).trim());
    const address = name === "registry" || SCOPE.test(name) ? registryAddress(value) : undefined;
    if (address !== undefined) settings.set(name, address);
    else if (TOKEN_KEY.test(name) && TOKEN.test(value)) tokens.push({ name, value, line: index + 1 });
    else ignored(name, index + 1);
  });
  const registries = [...settings.values()].map(withoutScheme);
  for (const { name, value, line } of tokens) {
    const place = (TOKEN_KEY.exec(name)?.[1] ?? "").replace(/\/?$/, "/");
    if (registries.some((other) => other.startsWith(place))) settings.set(`${place}:_authToken`, value);
    else ignored(name, line);
  }
  return { settings, findings };
}

/** Reads the app's .npmrc; the result is empty without an .npmrc. */
export const readNpmrc = async (folder: string): Promise<NpmrcRead> =>
  parseNpmrc((await readAppFileText(folder, NPMRC)) ?? "");
