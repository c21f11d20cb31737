import type { AccountConfiguration, IparamValues, SetUpEvent } from "@parley/contract";
import type { AppSettingValues } from "../app-settings/app-settings.ts";

/** What an installation is about to be. */
export interface Prospect {
  /** Without secure ones. */
  readonly values: IparamValues;
  readonly secureValues: Readonly<Record<string, string>>;
  /** Of the account, where it is known. */
  readonly account?: Pick<AccountConfiguration, "account_id" | "datacenter"> | undefined;
  /** New app settings that are not stored yet; those that are stored when absent. */
  readonly appSettings?: AppSettingValues | undefined;
}

/** A handler of the app's own life may say no; the message is for the person who installs. */
export type SetUpOutcome = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Runs the handler that the manifest names for the event, if any. */
export type SetUp = (event: SetUpEvent, prospect: Prospect) => Promise<SetUpOutcome>;
