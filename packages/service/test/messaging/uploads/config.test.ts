import { resolve } from "node:path";
import { expect, test } from "@jest/globals";
import { serviceConfig } from "../../../src/index.ts";

const DAY_MS = 24 * 60 * 60;

test.each([
  [{ PARLEY_OBJECTS: "data/objects" }, { objects: { place: { kind: "folder", folder: resolve("data/objects") } } }],
  [{ PARLEY_PUBLIC_URL: "https://chat.example.com" }, { publicUrl: "https://chat.example.com" }],
  [{ PARLEY_PUBLIC_URL: "HTTP://Chat.example.com:80/" }, { publicUrl: "http://chat.example.com" }],
  [{ PARLEY_PUBLIC_URL: "http://[::1]:8080" }, { publicUrl: "http://[::1]:8080" }],
  [
    { PARLEY_CORS_ORIGINS: "https://App.example.com, http://localhost:3000/" },
    { corsOrigins: ["https://app.example.com", "http://localhost:3000"] },
  ],
  [{ PARLEY_CORS_ORIGINS: "" }, { corsOrigins: undefined }],
  [{ PARLEY_ADDRESS_DAYS: "1" }, { addressSeconds: DAY_MS }],
  [{ PARLEY_ADDRESS_DAYS: "365" }, { addressSeconds: 365 * DAY_MS }],
  [
    { PARLEY_OBJECTS: "", PARLEY_PUBLIC_URL: "", PARLEY_ADDRESS_DAYS: "" },
    { objects: { place: undefined }, publicUrl: undefined, addressSeconds: undefined },
  ],
])("%j is accepted", (env, config) => {
  expect(serviceConfig(env)).toMatchObject(config);
});

test.each([
  ["PARLEY_PUBLIC_URL", "chat.example.com"],
  ["PARLEY_PUBLIC_URL", "ftp://chat.example.com"],
  ["PARLEY_PUBLIC_URL", "https://chat.example.com/v2"],
  ["PARLEY_PUBLIC_URL", "https://chat.example.com?"],
  ["PARLEY_PUBLIC_URL", "https://chat.example.com#"],
  ["PARLEY_PUBLIC_URL", "https://me:secret@chat.example.com"],
  ["PARLEY_PUBLIC_URL", "javascript:alert(1)"],
  ["PARLEY_CORS_ORIGINS", "*"],
  ["PARLEY_CORS_ORIGINS", "null"],
  ["PARLEY_CORS_ORIGINS", "https://a.example,"],
  ["PARLEY_CORS_ORIGINS", "https://a.example/path"],
  ["PARLEY_CORS_ORIGINS", "app.example.com"],
  ["PARLEY_ADDRESS_DAYS", "0"],
  ["PARLEY_ADDRESS_DAYS", "366"],
  ["PARLEY_ADDRESS_DAYS", "-1"],
  ["PARLEY_ADDRESS_DAYS", "1.5"],
  ["PARLEY_ADDRESS_DAYS", "a week"],
])("%s=%s is refused by its name", (name, value) => {
  expect(() => serviceConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be`));
});
