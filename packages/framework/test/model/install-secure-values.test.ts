import { expect, test } from "@jest/globals";
import type { Iparam, IparamsConfig, IparamType } from "@parley/contract";
import { iparamFieldsOf } from "../../src/model/iparams/fields.ts";
import {
  checkIparamValues,
  type SubmittedIparams,
  type StoredIparams,
} from "../../src/model/iparams/validate-values.ts";

const iparam = (type: IparamType, more: Partial<Iparam> = {}): Iparam => ({
  display_name: "A",
  type,
  secure: true,
  ...more,
});
const stored = (...secure: string[]): StoredIparams => ({ values: {}, secure: new Set(secure) });
const check = (
  iparams: IparamsConfig,
  values: SubmittedIparams["values"],
  removed: string[] = [],
  before?: StoredIparams,
) =>
  checkIparamValues(
    iparamFieldsOf({ iparams, requests: {}, callbacksCode: "" }),
    { values, removed },
    before,
    ".parley.localhost",
  );

test("a removed secure value and an unchecked stored checkbox are deleted", () => {
  const config = { key: iparam("text", { default_value: "usual" }), tick: iparam("checkbox") };
  const before = stored("key", "tick");
  const nothing = { errors: {}, values: {}, secrets: {}, keptKeys: [] };
  expect(check(config, { tick: false }, ["key"], before)).toEqual(nothing);
  expect(check(config, { tick: true }, [], before).secrets).toEqual({ tick: "true" });
  expect(check(config, {}, [], before).keptKeys).toEqual(["key", "tick"]);
});

test("a required secure value can't be removed", () => {
  const config = { key: iparam("text", { required: true }) };
  expect(check(config, {}, ["key"], stored("key")).errors).toEqual({ key: "This field is required!" });
});

test("a secure default is used if left unchanged, and not if removed", () => {
  const config = { key: iparam("text", { default_value: "usual" }) };
  expect(check(config, {}).secrets).toEqual({ key: "usual" });
  expect(check(config, {}, ["key"]).secrets).toEqual({});
});
