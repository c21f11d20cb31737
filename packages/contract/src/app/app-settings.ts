import Type, { type Static } from "typebox";

/** Declaration of one setting in `config/app_settings.json`. Other members are ignored. */
export const AppSettingDeclaration = Type.Object(
  {
    /** True if the value is never shown. @assumed true when absent: existing apps declare credentials only, each by `{}` */
    secure: Type.Optional(Type.Boolean()),
    display_name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
  },
  { title: "AppSettingDeclaration" },
);
export type AppSettingDeclaration = Static<typeof AppSettingDeclaration>;

/** `config/app_settings.json`: the declared settings by key. */
export type AppSettingsConfig = Readonly<Record<string, AppSettingDeclaration>>;

/** A declared setting with its current state. */
export interface AppSetting {
  readonly key: string;
  readonly label: string;
  /** "" if the app gives no description. */
  readonly description: string;
  readonly isSecure: boolean;
  readonly isSet: boolean;
  /** Present if the setting is set and not secure. */
  readonly value?: string;
}

/** Maximum length of a setting's value. @units characters */
export const APP_SETTING_LENGTH_MAX = 10_000;

/** New values by key. An empty string removes the value; settings that are not named keep their values. */
export const AppSettingsChange = Type.Object(
  { values: Type.Record(Type.String(), Type.String({ maxLength: APP_SETTING_LENGTH_MAX })) },
  { title: "AppSettingsChange" },
);
export type AppSettingsChange = Static<typeof AppSettingsChange>;

/** `errors` by key, summarised in `message`. A refused change stores nothing. */
export type AppSettingsAnswer =
  | { readonly ok: true; readonly settings: readonly AppSetting[] }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>>; readonly message: string };
