import { isObject, type IparamValue } from "@parley/contract";
import type { AppHost } from "@parley/framework";
import { CommandFailure } from "../environment/failure.ts";
import { readJson } from "../input/json.ts";

/** How an app that isn't installed yet is installed at a start: not at all, with its defaults, or with given values. */
export type StartInstallation =
  | { readonly by: "none" }
  | { readonly by: "defaults" }
  | { readonly by: "values"; readonly values: Readonly<Record<string, IparamValue>>; readonly file: string };

const isIparamValue = (value: unknown): value is IparamValue =>
  ["string", "number", "boolean"].includes(typeof value) ||
  (Array.isArray(value) && value.every((one) => typeof one === "string"));

const EXPECTED_VALUES = 'Write one JSON object of values by key, such as {"greeting": "Hello"}.';

/** Reads values of installation parameters from a JSON file or from standard input. @errors CommandFailure */
async function readIparamValues(file: string): Promise<Record<string, IparamValue>> {
  const values = await readJson(file, EXPECTED_VALUES);
  if (!isObject(values))
    throw new CommandFailure(`The file ${file} does not contain a JSON object. ${EXPECTED_VALUES}`);
  for (const [key, value] of Object.entries(values))
    if (!isIparamValue(value))
      throw new CommandFailure(
        `The value of '${key}' in ${file} is invalid: use a string, a number, true, false or a list of strings.`,
      );
  return values as Record<string, IparamValue>;
}

/** How `parley run` installs its apps. @shape iparams: path of a JSON file with parameter values @errors CommandFailure */
export const installationOf = async (iparams: string | undefined, install: boolean): Promise<StartInstallation> => {
  if (iparams !== undefined) return { by: "values", values: await readIparamValues(iparams), file: iparams };
  return { by: install ? "defaults" : "none" };
};

/** -> whether the app is installed now. @errors CommandFailure with the invalid values */
export async function installAtStart(host: AppHost, installation: StartInstallation): Promise<boolean> {
  if (installation.by === "none") return (await host.installation()) !== undefined;
  if (installation.by === "defaults" && (await host.installation())) return true;
  const result = await host.installOnOwn(installation.by === "values" ? installation.values : {});
  if (result.ok) return true;
  const fields = Object.entries(result.errors).map(([name, text]) => `${name}: ${text}`);
  const reasons = [result.message, ...fields].filter(Boolean).join("; ");
  throw new CommandFailure(
    installation.by === "values"
      ? `${host.project().name} can't be installed with the values of ${installation.file} (${reasons}). Correct them, or fill in the installation page.`
      : `The app can't be installed with its defaults (${reasons}). ` +
          "Correct config/iparams.json, pass values with 'parley run --iparams values.json', or start without installing and fill in the installation page.",
  );
}
