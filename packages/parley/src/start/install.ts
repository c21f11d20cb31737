import type { IparamValue } from "@parley/contract";
import type { AppHost } from "@parley/framework";
import { CommandFailure } from "../environment/failure.ts";

/** How an app that isn't installed yet is installed at a start: not at all, with its defaults, or with given values. */
export type StartInstallation =
  | { readonly by: "none" }
  | { readonly by: "defaults" }
  | { readonly by: "values"; readonly values: Readonly<Record<string, IparamValue>>; readonly file: string };

/** -> whether the app is installed now. @errors CommandFailure with the invalid values */
export async function installAtStart(host: AppHost, wanted: StartInstallation): Promise<boolean> {
  if (wanted.by === "none") return (await host.installation()) !== undefined;
  if (wanted.by === "defaults" && (await host.installation())) return true;
  const answer = await host.installOnOwn(wanted.by === "values" ? wanted.values : {});
  if (answer.ok) return true;
  const fields = Object.entries(answer.errors).map(([name, text]) => `${name}: ${text}`);
  const reasons = [answer.message, ...fields].filter(Boolean).join("; ");
  throw new CommandFailure(
    wanted.by === "values"
      ? `${host.project().name} can't be installed with the values of ${wanted.file} (${reasons}). Correct them, or fill in the installation page.`
      : `The app can't be installed with its defaults (${reasons}). ` +
          "Correct config/iparams.json, pass values with 'parley run --iparams values.json', or start without installing and fill in the installation page.",
  );
}
