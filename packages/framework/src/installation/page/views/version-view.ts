import type { VersionState } from "../routes/page-versions.ts";

/** Section of the installation page about the versions of a published app. */
export interface VersionView {
  readonly version: string;
  /** The installed version that a save replaces; "" without such a version. */
  readonly from: string;
  readonly title: string;
  /** Effect on the parameters. */
  readonly text: string;
  /** Additional permissions that the key needs; "" without such permissions. */
  readonly permissions: string;
  /** Address of the form with all parameters; "" if it is shown. */
  readonly allAddress: string;
  /** "" for none. */
  readonly newer: string;
  readonly newerAddress: string;
  /** The version that a rollback returns to; "" without such a version. */
  readonly previous: string;
}

const addressOf = (version: string): string => `/custom_configs?version=${encodeURIComponent(version)}`;

const textOf = ({ askedKeys }: VersionState): string => {
  if (!askedKeys) return "All parameters are shown, with their present values.";
  return askedKeys.length > 0
    ? "Only parameters that are new or changed are shown. The other parameters keep their values."
    : "No parameter is new or changed: all parameters keep their values.";
};

/** @returns undefined if there is nothing to say: the installed version is the newest, and no upgrade can be undone */
export const versionView = (state: VersionState | undefined): VersionView | undefined => {
  if (!state) return undefined;
  const { version, from = "", isUpgrade, newer = "", previous = "", askedKeys, newPermissions } = state;
  if (from === "" && newer === "" && previous === "") return undefined;
  return {
    version,
    from,
    title:
      from === ""
        ? `Version ${version}`
        : `${isUpgrade ? "Upgrade" : "Change"} from version ${from} to version ${version}`,
    text: from === "" ? "" : textOf(state),
    permissions:
      newPermissions.length > 0
        ? `Version ${version} needs permissions that the present key may lack: ${newPermissions.join(", ")}. Replace the key by one with these permissions.`
        : "",
    allAddress: from !== "" && askedKeys ? `${addressOf(version)}&all=1` : "",
    newer,
    newerAddress: newer === "" ? "" : addressOf(newer),
    previous: from === "" ? previous : "",
  };
};

/** Label of the button that saves, in its idle and its busy state. */
export const saveLabels = (
  installed: boolean,
  state: VersionState | undefined,
): { readonly action: string; readonly busy: string } => {
  if (!installed) return { action: "Install", busy: "Installing…" };
  if (state?.from === undefined) return { action: "Save changes", busy: "Saving…" };
  return state.isUpgrade
    ? { action: `Upgrade to version ${state.version}`, busy: "Upgrading…" }
    : { action: `Change to version ${state.version}`, busy: "Changing…" };
};
