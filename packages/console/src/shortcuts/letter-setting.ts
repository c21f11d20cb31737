import { createSetting } from "../state/setting.ts";

/** Whether single letters are shortcuts. People who dictate, or whose keys repeat, turn them off. */
export const letterSetting = createSetting({
  key: "parley-letter-shortcuts",
  parse: (text) => text !== "off",
  format: (isEnabled) => (isEnabled ? null : "off"),
});
