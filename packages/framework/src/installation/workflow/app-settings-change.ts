import type { AppSettingsAnswer, AppSettingsChange } from "@parley/contract";
import type { Installations, SerialQueue } from "../../state/installations.ts";
import type { ChangeAuthor } from "../../identity/change-reports.ts";
import type { Project } from "../../model/project.ts";
import { newSettingHost } from "../../request/secret-hosts.ts";
import type { RunSetUpHandler } from "../../runtime/calls/payload.ts";
import { splitSettings, type AppSettings } from "../../state/app-settings.ts";

/** Operations on app settings for the installation page and the app's author. */
export interface AppSettingsControl extends Pick<AppSettings, "list"> {
  change(change: AppSettingsChange, author?: ChangeAuthor): Promise<AppSettingsAnswer>;
}

interface AppSettingsChangeDeps {
  readonly project: () => Project;
  readonly appSettings: AppSettings;
  readonly installations: Pick<Installations, "find">;
  readonly setUp: RunSetUpHandler;
  readonly inTurn: SerialQueue;
}

const refused = (errors: Readonly<Record<string, string>>, message: string): AppSettingsAnswer => ({
  ok: false,
  errors,
  message,
});

const NOT_SAVED = "The settings were not saved.";

/**
 * Changes app settings: validates each value, calls `onSettingsUpdate`, which can refuse, and stores all of them. Changes are serialized,
 * also with installations.
 * @assumed `onSettingsUpdate` is called with all settings as they would be, also while the app is not installed; when it refuses, fails or
 *   times out, the previous settings remain.
 */
export const createAppSettingsControl = (deps: AppSettingsChangeDeps): AppSettingsControl["change"] => {
  const { project, appSettings, installations, setUp, inTurn } = deps;

  const errorsOf = (
    values: AppSettingsChange["values"],
    before: Readonly<Record<string, string>>,
    after: Readonly<Record<string, string>>,
  ): Record<string, string> => {
    const declared = project().appSettings;
    const unknown = Object.keys(values)
      .filter((key) => !Object.hasOwn(declared, key))
      .map((key) => [key, "config/app_settings.json declares no such setting."]);
    const keptSecure = Object.entries(splitSettings(after, declared).secure).filter(
      ([key]) => !Object.hasOwn(values, key),
    );
    const keptValues = keptSecure.map(([, value]) => value);
    const hostErrors = keptSecure.flatMap(([key]) => {
      const host = newSettingHost(key, project(), before, after);
      if (host === undefined) return [];
      // The host may contain a secure value.
      const displayedHost = keptValues.some((value) => host.includes(value.toLowerCase())) ? "a new host" : host;
      return [[key, `Enter this again: it could now be sent to ${displayedHost}, and it was stored for another host.`]];
    });
    return Object.fromEntries([...unknown, ...hostErrors]) as Record<string, string>;
  };

  const attempt = async (
    { values }: AppSettingsChange,
    author: ChangeAuthor | undefined,
  ): Promise<AppSettingsAnswer> => {
    const stored = await appSettings.values();
    const before = { ...stored.open, ...stored.secure };
    const removed = Object.keys(values).filter((key) => values[key] === "");
    const entered = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
    const after = Object.fromEntries(
      Object.entries({ ...before, ...entered }).filter(([key]) => !removed.includes(key)),
    );
    const errors = errorsOf(values, before, after);
    if (Object.keys(errors).length > 0) return refused(errors, NOT_SAVED);
    const installation = await installations.find();
    const answer = await setUp("onSettingsUpdate", {
      values: installation?.values ?? {},
      secureValues: {},
      appSettings: splitSettings(after, project().appSettings),
    });
    if (!answer.ok) return refused({}, answer.message);
    await appSettings.save(entered, removed, author);
    return { ok: true, settings: await appSettings.list() };
  };

  return (change, author) => inTurn(() => attempt(change, author));
};
