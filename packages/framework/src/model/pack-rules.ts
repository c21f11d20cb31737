import { error, warning, type Rule } from "./rule.ts";

/** Rules of packing. Those of `pack-field-…` apply to a package for other app hosts only. */
export const PACK_RULES = {
  "pack-script": error("{file} already exists at the path of the packed script", "Rename one of the two."),
  "pack-secure-default": warning(
    "The default value of the secure parameter '{key}' is left out of the package",
    "Anyone with the package could read it.",
  ),
  "pack-field-domain": warning(
    "The domain '{key}' is packed as a text: other app hosts have no domain of the chat product",
    "Its value is the value that the app receives here, and its callback is kept.",
  ),
  "pack-field-regex": warning(
    "The expressions of '{key}' are packed as one expression: other app hosts accept a value that matches any of several",
    "It includes the check of the type, which an expression replaces on other app hosts.",
  ),
  "pack-field-regex-broken": error(
    "The expressions of '{key}' can't be joined for other app hosts",
    "Use valid JavaScript expressions without duplicate group names.",
  ),
  "pack-field-engines": warning(
    "manifest.json names no engines: other app hosts choose the version of Node themselves",
    'Add the version that the app was tested with, such as "engines": { "node": "20.19.0" }. A host may require the version of its own tool there as well.',
  ),
  "pack-field-whitelist": warning(
    "whitelisted-domains is left out of the package: other app hosts refuse it at platform-version {version}",
    "The app's own calls to these hosts with https or fetch work on Parley only.",
  ),
  "pack-field-setting": warning(
    "The app setting '{key}' is packed as an empty object: other app hosts accept nothing else",
    "Its value is entered on the app's page in the developer portal.",
  ),
  "pack-field-size": warning(
    "File '{name}' of app/ has {size}: other app hosts accept at most {most}",
    "Make the file smaller, or split it.",
  ),
  "pack-field-default": warning(
    "'{key}' is packed with the default {value}: other app hosts require a default for each choice",
    "Add a default_value to choose another default.",
  ),
} as const satisfies Record<string, Rule<string>>;
