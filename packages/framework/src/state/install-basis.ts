import { createHash } from "node:crypto";
import type { InstallBasis } from "@parley/contract";
import type { Project } from "../model/project.ts";
import type { Installation } from "./installations.ts";
import { iparamFieldsOf } from "../model/iparams/fields.ts";

type App = Pick<Project, "iparams" | "callbacksCode" | "requests" | "whitelistedDomains" | "ownPage">;

/** A text that changes with the keys and types of the parameters. Labels and checks can change while a page is open. */
const formOf = (app: App): string => {
  const kinds = iparamFieldsOf(app).map(({ key, ...field }) =>
    JSON.stringify([key, field.type, field.secure, field.isLabel]),
  );
  const serialized = JSON.stringify([kinds.sort(), app.ownPage !== undefined]);
  return createHash("sha256").update(serialized).digest("base64url");
};

/** Identifies the installation, the version of the app and the save; "" without an installation. */
const keptOf = (installation: Installation | undefined): string =>
  installation ? `${installation.id}/${installation.appVersion ?? ""}/${installation.version}` : "";

const appVersionIn = (kept: string): string | undefined => kept.split("/")[1];

export const installBasis = (app: App, installation: Installation | undefined): InstallBasis => ({
  form: formOf(app),
  kept: keptOf(installation),
});

const EDITED = "The app’s parameters were edited since this page was opened. Reload it to see them.";
const SAVED =
  "The parameters were saved elsewhere since this page was opened. Reload it to see them, or save again to replace them.";
const UPGRADED =
  "The app was upgraded or returned to another version since this page was opened. Reload it to see the parameters of that version.";
const UNINSTALLED = "The app was uninstalled since this page was opened. Save again to install it.";

/** Why a form may not be saved. @shape basis: the present basis, with which the same form may be saved again */
interface StaleForm {
  readonly message: string;
  readonly basis?: InstallBasis;
}

/**
 * Why a form may not be saved; undefined when nothing has changed since it was shown. A form of another version than the installed one must
 * not be saved again: that would return the app to that version.
 * @shape appVersion: the version that a save installs
 * @assumed When two windows save, the second one gets a message, and replaces the values of the first only when it saves again.
 */
export const staleForm = (
  seen: InstallBasis | undefined,
  now: InstallBasis,
  appVersion: string | undefined,
): StaleForm | undefined => {
  if (seen === undefined || (seen.form === now.form && seen.kept === now.kept)) return undefined;
  const seenVersion = seen.kept === "" ? (appVersion ?? "") : appVersionIn(seen.kept);
  if (now.kept !== "" && seenVersion !== appVersionIn(now.kept)) return { message: UPGRADED };
  if (seen.form !== now.form) return { message: EDITED };
  return { message: now.kept === "" ? UNINSTALLED : SAVED, basis: now };
};
