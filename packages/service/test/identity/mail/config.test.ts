import { describe, expect, test } from "@jest/globals";
import { serviceConfig } from "../../../src/index.ts";

const FROM = "Parley <parley@example.com>";
const read = (url?: string, from: string | undefined = FROM) =>
  serviceConfig({
    ...(url !== undefined && { PARLEY_SMTP_URL: url }),
    ...(from !== undefined && { PARLEY_MAIL_FROM: from }),
  }).mail;

test("no e-mail is sent by default", () => {
  expect(serviceConfig({}).mail).toBeUndefined();
  expect(read("", "")).toBeUndefined();
});

describe("PARLEY_SMTP_URL", () => {
  const remote = { isImplicitTls: false, isTlsRequired: true, login: undefined };
  test.each([
    ["smtp://mail.example.com", { ...remote, host: "mail.example.com", port: 587 }],
    ["smtp://mail.example.com:25/", { ...remote, host: "mail.example.com", port: 25 }],
    ["smtps://[2001:db8::1]", { ...remote, host: "2001:db8::1", port: 465, isImplicitTls: true }],
    ["smtp://127.0.0.1.evil.example", { ...remote, host: "127.0.0.1.evil.example", port: 587 }],
    ["smtp://localhost:2525", { ...remote, host: "localhost", port: 2525, isTlsRequired: false }],
    ["smtp://[::1]", { ...remote, host: "::1", port: 587, isTlsRequired: false }],
    ["smtps://127.0.0.1", { ...remote, host: "127.0.0.1", port: 465, isImplicitTls: true }],
    [
      "smtp://me%40example.com:p%3A%2Fw@mail.example.com",
      { ...remote, host: "mail.example.com", port: 587, login: { user: "me@example.com", password: "p:/w" } },
    ],
  ])("%s is accepted; TLS is required unless the server is on this machine", (url, expected) => {
    expect(read(url)).toEqual({ ...expected, from: { name: "Parley", address: "parley@example.com" } });
  });
  test.each([
    "",
    "mail.example.com",
    "mail.example.com:587",
    "http://mail.example.com",
    "smtp://",
    "smtp:mail.example.com",
    "smtp://user:canary@mail.example.com/path",
    "smtp://user:canary@mail.example.com?x=1",
    "smtp://user:canary@mail.example.com#x",
    "smtp://user:canary@mail.example.com:0",
    "smtp://user:canary@mail.example.com:99999",
    "smtp://user:canary%zz@mail.example.com",
    "smtp://:canary@mail.example.com",
    "smtp://canary@mail.example.com",
    "smtp://user:canary@mail_example com",
  ])("%j is refused by the variable's name, without its password", (url) => {
    const refused = () => read(url);
    expect(refused).toThrow(/^PARLEY_SMTP_URL must be/);
    expect(refused).not.toThrow(/canary/);
  });
});

describe("PARLEY_MAIL_FROM", () => {
  test.each([
    ["parley@example.com", { name: "", address: "parley@example.com" }],
    ["<parley@example.com>", { name: "", address: "parley@example.com" }],
    ['"Acme, Inc." <help@example.com>', { name: "Acme, Inc.", address: "help@example.com" }],
    ["Jürgen <jürgen@example.com>", { name: "Jürgen", address: "jürgen@example.com" }],
  ])("%s is accepted", (text, from) => {
    expect(read("smtp://localhost", text)?.from).toEqual(from);
  });
  test.each([
    "",
    "parley",
    "a@example.com, b@example.com",
    "A <a@example.com>, B <b@example.com>",
    "A\r\nBcc: b@example.com <a@example.com>",
    "a b@example.com",
    '"a b"@example.com',
  ])("%j is refused by the variable's name", (text) => {
    expect(() => read("smtp://localhost", text)).toThrow(/^PARLEY_MAIL_FROM must be/);
  });
});
