import { createSetting } from "../state/setting.ts";
import { parseNotificationChoice } from "./notification-choice.ts";

export const notificationSetting = createSetting({
  key: "parley-notifications",
  parse: parseNotificationChoice,
  format: (choice) => JSON.stringify(choice),
});

/** Keyboards of touch screens have no Shift and Enter: there Enter begins a line, and the button sends. */
const hasKeyboard = (): boolean => !matchMedia("(pointer: coarse) and (hover: none)").matches;

/** Whether Enter sends a message, and Shift and Enter begin a line; else Ctrl and Enter send it. */
export const enterSendsSetting = createSetting({
  key: "parley-enter-sends",
  parse: (text) => (text === null ? hasKeyboard() : text === "on"),
  format: (isOn) => (isOn ? "on" : "off"),
});

export const DENSITIES = ["comfortable", "compact"] as const;
type Density = (typeof DENSITIES)[number];

export const densitySetting = createSetting<Density>({
  key: "parley-density",
  parse: (text) => DENSITIES.find((density) => density === text) ?? "comfortable",
  format: (density) => (density === "comfortable" ? null : density),
});

/** Shows the page in the chosen density, and follows the choice. */
export const applyDensity = (): void => {
  const show = (): void => {
    document.documentElement.dataset["density"] = densitySetting.get();
  };
  show();
  densitySetting.subscribe(show);
};
