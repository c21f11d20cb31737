import { readdir } from "node:fs/promises";
import { ownPath } from "../files/app-file.ts";
import type { Finding } from "./finding.ts";
import { found } from "./rules.ts";

/** iparam_test_data.json: values for the page, which older apps bring along for their own tools. */
const KNOWN = [
  "iparams.json",
  "iparams.html",
  "requests.json",
  "oauth_config.json",
  "assets",
  "iparam_test_data.json",
  "entities.json",
  "app_settings.json",
];

/** What may stand in config/. */
export async function configFolderRules(folder: string): Promise<Finding[]> {
  const config = await ownPath(folder, "config");
  const names = config === undefined ? undefined : await readdir(config).catch(() => undefined);
  if (!names) return [found("config-folder", "config", {})];
  const strange = names.filter((name) => !KNOWN.includes(name) && !name.startsWith("."));
  const pages = ["iparams.json", "iparams.html"].filter((name) => names.includes(name));
  return [
    ...strange.sort().map((name) => found("config-file", `config/${name}`, { name })),
    ...(pages.length > 1 ? [found("config-iparams", "config", {})] : []),
  ];
}
