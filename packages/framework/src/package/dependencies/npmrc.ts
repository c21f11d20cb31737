import { urlOf } from "@parley/contract";
import type { Finding } from "../model/finding.ts";
import { readAppFileText } from "../files/app-file.ts";
import { found } from "../model/rules.ts";

/** Where packages come from: settings of npm by name. */
export type NpmSettings = ReadonlyMap<string, string>;

interface NpmrcRead {
  readonly settings: NpmSettings;
  readonly findings: readonly Finding[];
}

const NPMRC = ".npmrc";
const SCOPE = /^@[a-z0-9][\w.-]*:registry$/i;
const TOKEN_KEY = /^(\/\/[A-Za-z0-9.:[\]-]+(?:\/[\w.~@%/-]*)?):_authToken$/;
const TOKEN = /^[\w.+/=~-]+$/;
/** Nothing that npm would fill in, split or read as a comment. */
const ADDRESS = /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[\w.~@%/+-]*)?$/;
/** Settings that change nothing of what is installed, whatever their value: leaving them out is not worth a warning. */
const WITHOUT_EFFECT = [
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
/** Characters of a setting's name that a finding shows. */
const SHOWN_NAME_LENGTH = 60;

/** A registry's address as npm has it, with a slash at its end; undefined for whatever npm would not take literally. */
export const registryAddress = (text: string): string | undefined => {
  const url = ADDRESS.test(text) ? urlOf(text) : undefined;
  return url && url.username === "" && url.password === "" ? url.href.replace(/\/?$/, "/") : undefined;
};

/** The part of an address that a token belongs to. */
const withoutScheme = (address: string): string => address.replace(/^https?:/, "");

const unquoted = (text: string): string => /^"([^"\\]*)"$|^'([^'\\]*)'$/.exec(text)?.slice(1).find(Boolean) ?? text;

/**
 * Reads an app's .npmrc: where packages come from, and tokens for these places, each written out literally. Everything else in it could make npm
 * run programs, or send what the host knows, and is left out with a warning.
 * @assumed an app's .npmrc may name registries, for all packages or a scope, and a literal token for each; all other lines are ignored
 */
function parseNpmrc(text: string): NpmrcRead {
  const settings = new Map<string, string>();
  const tokens: { readonly name: string; readonly value: string; readonly line: number }[] = [];
  const findings: Finding[] = [];
  const ignored = (name: string, line: number) =>
    WITHOUT_EFFECT.includes(name) ||
    findings.push(found("npmrc-line", NPMRC, { name: name.slice(0, SHOWN_NAME_LENGTH) }, { line, column: 1 }));
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
  const places = [...settings.values()].map(withoutScheme);
  for (const { name, value, line } of tokens) {
    const place = (TOKEN_KEY.exec(name)?.[1] ?? "").replace(/\/?$/, "/");
    if (places.some((other) => other.startsWith(place))) settings.set(`${place}:_authToken`, value);
    else ignored(name, line);
  }
  return { settings, findings };
}

/** The app's .npmrc; nothing where there is none. */
export const readNpmrc = async (folder: string): Promise<NpmrcRead> =>
  parseNpmrc((await readAppFileText(folder, NPMRC)) ?? "");
