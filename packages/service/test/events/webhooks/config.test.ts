import { expect, test } from "@jest/globals";
import { serviceConfig } from "../../../src/index.ts";

test.each([
  ["nothing", {}, { overlapHours: 24, allowsLoopback: undefined }],
  ["empty text", { PARLEY_WEBHOOK_OVERLAP_HOURS: "", PARLEY_WEBHOOK_LOOPBACK: "" }, { overlapHours: 24 }],
  ["no overlap", { PARLEY_WEBHOOK_OVERLAP_HOURS: "0" }, { overlapHours: 0 }],
  ["the longest overlap", { PARLEY_WEBHOOK_OVERLAP_HOURS: "720" }, { overlapHours: 720 }],
  ["loopback on", { PARLEY_WEBHOOK_LOOPBACK: "on" }, { allowsLoopback: true }],
  ["loopback off", { PARLEY_WEBHOOK_LOOPBACK: "off" }, { allowsLoopback: false }],
])("settings of webhooks: %s", (_, env, expected) => {
  expect(serviceConfig(env).webhooks).toMatchObject(expected);
});

test.each([
  ["PARLEY_WEBHOOK_OVERLAP_HOURS", "721"],
  ["PARLEY_WEBHOOK_OVERLAP_HOURS", "1.5"],
  ["PARLEY_WEBHOOK_OVERLAP_HOURS", "-1"],
  ["PARLEY_WEBHOOK_LOOPBACK", "yes"],
])("%s=%s is refused by name", (name, value) => {
  expect(() => serviceConfig({ [name]: value })).toThrow(name);
});
