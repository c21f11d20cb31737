import { readdir } from "node:fs/promises";
import { appFilePath } from "../files/app-file.ts";
import type { Finding } from "../../model/finding.ts";
import { createFinding } from "../../model/rules.ts";

/** Allowed entries of config/. Older apps contain iparam_test_data.json, the test values of their own tools. */
const CONFIG_ENTRIES = [
  "iparams.json",
  "iparams.html",
  "requests.json",
  "oauth_config.json",
  "assets",
  "iparam_test_data.json",
  "entities.json",
  "app_settings.json",
];

/** Findings for the entries of config/. */
export async function configFolderRules(folder: string): Promise<Finding[]> {
  const config = await appFilePath(folder, "config");
  const names = config === undefined ? undefined : await readdir(config).catch(() => undefined);
  if (!names) return [createFinding("config-folder", "config", {})];
  const unknownNames = names.filter((name) => !CONFIG_ENTRIES.includes(name) && !name.startsWith("."));
  const pages = ["iparams.json", "iparams.html"].filter((name) => names.includes(name));
  return [
    ...unknownNames.sort().map((name) => createFinding("config-file", `config/${name}`, { name })),
    ...(pages.length > 1 ? [createFinding("config-iparams", "config", {})] : []),
  ];
}
