import Type, { type Static } from "typebox";

/** What `config/app_settings.json` says of one setting; members that are not listed mean nothing here. */
export const AppSettingDeclaration = Type.Object(
  {
    /** Whether the value is never shown. @assumed true when absent: the field declares credentials only, each by `{}` */
    secure: Type.Optional(Type.Boolean()),
    display_name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
  },
  { title: "AppSettingDeclaration" },
);
export type AppSettingDeclaration = Static<typeof AppSettingDeclaration>;

/** `config/app_settings.json`: the declared settings by key. */
export type AppSettingsConfig = Readonly<Record<string, AppSettingDeclaration>>;

/** A declared setting and how it stands. */
export interface AppSetting {
  readonly key: string;
  readonly label: string;
  /** "" when the app says nothing. */
  readonly description: string;
  readonly isSecure: boolean;
  readonly isSet: boolean;
  /** Of a setting that is set and not secure. */
  readonly value?: string;
}

/** Longest value of a setting. @units characters */
export const LONGEST_APP_SETTING = 10_000;

/** New values by key; an empty text removes a value, and a setting that is not named keeps its own. */
export const AppSettingsChange = Type.Object(
  { values: Type.Record(Type.String(), Type.String({ maxLength: LONGEST_APP_SETTING })) },
  { title: "AppSettingsChange" },
);
export type AppSettingsChange = Static<typeof AppSettingsChange>;

/** `errors` by key; `message` says it in one line. Nothing is stored where it is refused. */
export type AppSettingsAnswer =
  | { readonly ok: true; readonly settings: readonly AppSetting[] }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>>; readonly message: string };
