import { createHash } from "node:crypto";
import type { InstallBasis } from "@parley/contract";
import type { Project } from "../package/model/project.ts";
import type { Installation } from "./installations.ts";
import { iparamFieldsOf } from "./iparams/fields.ts";

type App = Pick<Project, "iparams" | "callbacksCode" | "requests" | "whitelistedDomains" | "ownPage">;

/** A text that changes with the parameters' keys and kinds: what only tells or checks may change under an open page. */
const formOf = (app: App): string => {
  const kinds = iparamFieldsOf(app).map(({ key, ...field }) =>
    JSON.stringify([key, field.type, field.secure, field.isLabel]),
  );
  const whole = JSON.stringify([kinds.sort(), app.ownPage !== undefined]);
  return createHash("sha256").update(whole).digest("base64url");
};

/** Which save of which installation; "" for none. */
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
 * Why a form may not be kept as it is; undefined where nothing happened since it was shown.
 * @assumed Of two windows, the second to save is told, and replaces what the first saved only when it saves again.
 */
export const staleBasisMessage = (seen: InstallBasis | undefined, now: InstallBasis): string | undefined => {
  if (seen === undefined) return undefined;
  if (seen.form !== now.form) return EDITED;
  if (seen.kept === now.kept) return undefined;
  return now.kept === "" ? UNINSTALLED : SAVED;
};
