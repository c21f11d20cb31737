import { createHash } from "node:crypto";
import type { InstallBasis } from "@parley/contract";
import type { Project } from "../package/model/project.ts";
import type { Installation } from "./installations.ts";
import { iparamFieldsOf } from "./iparams/fields.ts";

type App = Pick<Project, "iparams" | "callbacksCode" | "requests" | "whitelistedDomains" | "ownPage">;

/** A text that changes with the keys and types of the parameters. Labels and checks can change while a page is open. */
const formOf = (app: App): string => {
  const kinds = iparamFieldsOf(app).map(({ key, ...field }) =>
    JSON.stringify([key, field.type, field.secure, field.isLabel]),
  );
  const serialized = JSON.stringify([kinds.sort(), app.ownPage !== undefined]);
  return createHash("sha256").update(serialized).digest("base64url");
};

/** Identifies the installation and its version; "" for none. */
const keptOf = (installation: Installation | undefined): string =>
  installation ? `${installation.id}/${installation.version}` : "";

export const installBasis = (app: App, installation: Installation | undefined): InstallBasis => ({
  form: formOf(app),
  kept: keptOf(installation),
});

const EDITED = "The app’s parameters were edited since this page was opened. Reload it to see them.";
const SAVED =
  "The parameters were saved elsewhere since this page was opened. Reload it to see them, or save again to replace them.";
const UNINSTALLED = "The app was uninstalled since this page was opened. Save again to install it.";

/**
 * Why a form may not be saved; undefined when nothing has changed since it was shown.
 * @assumed When two windows save, the second one gets a message, and replaces the values of the first only when it saves again.
 */
export const staleBasisMessage = (seen: InstallBasis | undefined, now: InstallBasis): string | undefined => {
  if (seen === undefined) return undefined;
  if (seen.form !== now.form) return EDITED;
  if (seen.kept === now.kept) return undefined;
  return now.kept === "" ? UNINSTALLED : SAVED;
};
