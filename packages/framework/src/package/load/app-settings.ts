import { isObject, AppSettingDeclaration, matchesSchema, schemaErrors, type AppSettingsConfig } from "@parley/contract";
import type { EventHandler } from "../model/project.ts";
import type { FoundDetail } from "../model/finding.ts";
import { misfitPath, misfitMessage } from "../model/json.ts";
import { found } from "../model/rules.ts";

export const APP_SETTINGS = "config/app_settings.json";
/** Called with all settings before new ones are stored. */
const SETTINGS_EVENT = "onSettingsUpdate";
/** A key with other characters could not be named in a template. */
const KEY = /^[\w$-]+$/;

export interface AppSettingsRead {
  /** Undefined where the file holds no such object. */
  readonly declared?: AppSettingsConfig;
  readonly findings: readonly FoundDetail[];
}

/** Reads `config/app_settings.json`. */
export const readAppSettings = (json: unknown): AppSettingsRead => {
  if (!isObject(json)) return { findings: [found("app-settings-shape", APP_SETTINGS, {})] };
  const entries = Object.entries(json);
  const findings = entries.flatMap(([key, declaration]) => [
    ...(KEY.test(key)
      ? []
      : [found("app-setting", APP_SETTINGS, { key, text: "can't be named in a template" }, { at: [key] })]),
    ...schemaErrors(AppSettingDeclaration, declaration).map((misfit) => {
      const text = [misfit.pointer.slice(1), misfitMessage(misfit)].filter(Boolean).join(" ");
      return found("app-setting", APP_SETTINGS, { key, text }, { at: [key, ...misfitPath(misfit)] });
    }),
  ]);
  const sound = entries.filter((entry): entry is [string, AppSettingDeclaration] =>
    matchesSchema(AppSettingDeclaration, entry[1]),
  );
  return { declared: Object.fromEntries(sound), findings };
};

/** The handler of `onSettingsUpdate`: apps of the field export it by that name, and their manifests do not mention it. */
export const settingsHandler = (
  declared: AppSettingsConfig | undefined,
  exported: readonly string[],
  handlers: readonly EventHandler[],
): EventHandler[] =>
  declared && exported.includes(SETTINGS_EVENT) && !handlers.some(({ event }) => event === SETTINGS_EVENT)
    ? [{ module: "common", event: SETTINGS_EVENT, handler: SETTINGS_EVENT }]
    : [];
