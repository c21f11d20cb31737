import type { AppSetting, InstallModel } from "@parley/contract";
import { element, enableButtons } from "../../../pages/browser/element.ts";
import { createInstallServer, type InstallServer } from "./server.ts";

interface SettingField {
  readonly key: string;
  show(setting: AppSetting): void;
  /** undefined if unchanged; "" removes the value. */
  value(): string | undefined;
  fault(text: string): void;
}

const stateOf = ({ isSecure, isSet }: AppSetting): string => {
  if (!isSet) return isSecure ? "Not set. Kept encrypted and never shown again." : "Not set.";
  return isSecure ? "Stored. Enter a new value to replace it." : "Stored.";
};

const settingField = (root: HTMLElement, first: AppSetting): SettingField => {
  const part = (name: string) => element<HTMLElement>(root, `[data-part=${name}]`);
  const input = element<HTMLInputElement>(root, "input");
  const [state, removal, error] = [part("state"), part("removal"), part("error")];
  const box = element<HTMLInputElement>(removal, "input");
  let stored = first;
  box.addEventListener("change", () => (input.disabled = box.checked));
  const field: SettingField = {
    key: first.key,
    show(setting) {
      stored = setting;
      input.value = setting.value ?? "";
      state.textContent = stateOf(setting);
      // Other settings are removed by emptying their field.
      removal.hidden = !(setting.isSecure && setting.isSet);
      box.checked = false;
      input.disabled = false;
    },
    value() {
      if (box.checked) return "";
      if (input.value === (stored.value ?? "")) return undefined;
      return input.value;
    },
    fault(text) {
      error.textContent = text;
      input.setAttribute("aria-invalid", String(text !== ""));
    },
  };
  field.show(first);
  return field;
};

/** The app settings, saved separately from the parameters, whether or not the app is installed. */
const wireSettings = (block: HTMLElement, server: InstallServer): void => {
  const part = (name: string) => element<HTMLElement>(block, `form > [data-part=${name}]`);
  const [failed, saved] = [part("failed"), part("saved")];
  const button = element<HTMLButtonElement>(block, "button[type=submit]");
  const settings = JSON.parse(block.dataset["appSettings"] ?? "[]") as AppSetting[];
  const roots = [...block.querySelectorAll<HTMLElement>("[data-setting]")];
  const fields = settings.flatMap((setting, index) => (roots[index] ? [settingField(roots[index], setting)] : []));

  const fail = (message: string) => {
    failed.textContent = message;
    failed.hidden = false;
  };
  const save = async () => {
    failed.hidden = true;
    saved.textContent = "";
    for (const field of fields) field.fault("");
    const values = Object.fromEntries(
      fields.flatMap((field) => {
        const value = field.value();
        return value === undefined ? [] : [[field.key, value] as const];
      }),
    );
    if (Object.keys(values).length === 0) return void (saved.textContent = "Nothing was changed.");
    button.disabled = true;
    try {
      const answer = await server.saveSettings({ values });
      if (answer.ok) {
        for (const setting of answer.settings) fields.find(({ key }) => key === setting.key)?.show(setting);
        saved.textContent = "The app settings are saved.";
      } else {
        for (const field of fields) field.fault(answer.errors[field.key] ?? "");
        fail(answer.message);
      }
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    } finally {
      button.disabled = false;
    }
  };
  element<HTMLFormElement>(block, "form").addEventListener("submit", (event) => {
    event.preventDefault();
    void save();
  });
  enableButtons(block);
};

const block = document.querySelector<HTMLElement>("[data-app-settings]");
const model = document.querySelector<HTMLElement>("[data-model]")?.dataset["model"];
if (block && model !== undefined)
  // Errors of the host are shown beside the button.
  wireSettings(
    block,
    createInstallServer(JSON.parse(model) as InstallModel, () => undefined),
  );
