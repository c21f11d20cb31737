import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorIn, type Finding } from "./finding.ts";

const KNOWN = ["iparams.json", "iparams.html", "requests.json", "oauth_config.json", "assets"];

/** What may stand in config/. */
export async function configFolderRules(folder: string): Promise<Finding[]> {
  const names = await readdir(join(folder, "config")).catch(() => undefined);
  if (!names) return [errorIn("config", "config-folder", "Mandatory folder(s) missing: config")];
  const strange = names.filter((name) => !KNOWN.includes(name) && !name.startsWith("."));
  const pages = names.filter((name) => name.startsWith("iparams."));
  return [
    ...strange.map((name) => errorIn(`config/${name}`, "config-file", "Config directory has invalid file(s)")),
    ...(pages.length > 1 ? [errorIn("config", "config-iparams", "Specify either iparams.html or iparams.json")] : []),
    ...(names.includes("iparams.html")
      ? [
          errorIn(
            "config/iparams.html",
            "config-iparams",
            "An installation page of the app's own can't be shown here yet",
          ),
        ]
      : []),
    ...(names.includes("oauth_config.json")
      ? [errorIn("config/oauth_config.json", "config-oauth", "OAuth can't be used here yet")]
      : []),
  ];
}
