import type { IparamValues } from "@parley/contract";

/** What the admin has set, without the secure parameter: that one never comes here. */
export interface Settings {
  readonly botName: string;
  /** A template, see welcome.ts. */
  readonly welcome: string;
  /** Names, one a line, see topics.ts. */
  readonly topics: string;
  /** Choices, one a line, see menu.ts. */
  readonly menu: string;
}

/** A parameter that was never filled in is absent. */
export const textOf = (value: IparamValues[string] | undefined): string => (typeof value === "string" ? value : "");

export const settingsOf = (iparams: IparamValues): Settings => ({
  botName: textOf(iparams["bot_name"]).trim() || "Concierge",
  welcome: textOf(iparams["welcome"]),
  topics: textOf(iparams["topics"]),
  menu: textOf(iparams["menu"]),
});
