import { isObject, AppSettingDeclaration, matchesSchema, schemaErrors, type AppSettingsConfig } from "@parley/contract";
import type { HandlerBinding } from "../../model/project.ts";
import { withFix, type FindingWithPath } from "../../model/finding.ts";
import { misfitPath, misfitMessage } from "../../model/json.ts";
import { createFinding } from "../../model/rules.ts";
import { schemaFix } from "../../model/schema-fix.ts";

export const APP_SETTINGS_FILE = "config/app_settings.json";
/** Event that is raised with all settings before new values are stored. */
const SETTINGS_EVENT = "onSettingsUpdate";
/** Matches keys that a template can refer to. */
const KEY = /^[\w$-]+$/;

export interface AppSettingsRead {
  /** Undefined if the file does not contain an object. */
  readonly declared?: AppSettingsConfig;
  readonly findings: readonly FindingWithPath[];
}

/** Validates `config/app_settings.json`. */
export const readAppSettings = (json: unknown): AppSettingsRead => {
  if (!isObject(json)) return { findings: [createFinding("app-settings-shape", APP_SETTINGS_FILE, {})] };
  const entries = Object.entries(json);
  const findings = entries.flatMap(([key, declaration]) => [
    ...(KEY.test(key)
      ? []
      : [
          createFinding("app-setting", APP_SETTINGS_FILE, { key, text: "can't be named in a template" }, { at: [key] }),
        ]),
    ...schemaErrors(AppSettingDeclaration, declaration).map((misfit) => {
      const text = [misfit.pointer.slice(1), misfitMessage(misfit)].filter(Boolean).join(" ");
      return createFinding(
        "app-setting",
        APP_SETTINGS_FILE,
        { key, text },
        {
          at: [key, ...misfitPath(misfit)],
          ...withFix(schemaFix(AppSettingDeclaration, declaration, misfit, [key])),
        },
      );
    }),
  ]);
  const valid = entries.filter((entry): entry is [string, AppSettingDeclaration] =>
    matchesSchema(AppSettingDeclaration, entry[1]),
  );
  return { declared: Object.fromEntries(valid), findings };
};

/** The implicit handler of `onSettingsUpdate`: apps of other hosts export it under that name without declaring it in the manifest. */
export const settingsHandler = (
  declared: AppSettingsConfig | undefined,
  exported: readonly string[],
  handlers: readonly HandlerBinding[],
): HandlerBinding[] =>
  declared && exported.includes(SETTINGS_EVENT) && !handlers.some(({ event }) => event === SETTINGS_EVENT)
    ? [{ module: "common", event: SETTINGS_EVENT, handler: SETTINGS_EVENT }]
    : [];
