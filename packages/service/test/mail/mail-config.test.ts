import { describe, expect, test } from "@jest/globals";
import { serviceConfig } from "../../src/configuration/config.ts";
import { mailConfig } from "../../src/mail/config.ts";

const FROM = "Parley <parley@mail.example>";
const configOf = (PARLEY_SMTP_URL: string, PARLEY_MAIL_FROM = FROM) =>
  mailConfig({ PARLEY_SMTP_URL, PARLEY_MAIL_FROM });

describe("PARLEY_SMTP_URL", () => {
  test("without it and PARLEY_MAIL_FROM no mail is sent", () => {
    expect(mailConfig({})).toBeUndefined();
    expect(configOf("", "")).toBeUndefined();
    expect(serviceConfig({}).mail).toBeUndefined();
  });

  test.each([
    ["smtp://mail.example.com", { port: 587, isImplicitTls: false, isTlsRequired: true }],
    ["smtps://mail.example.com", { port: 465, isImplicitTls: true, isTlsRequired: true }],
    ["smtp://mail.example.com:2525/", { port: 2525, isImplicitTls: false, isTlsRequired: true }],
    ["smtp://localhost:25", { host: "localhost", isTlsRequired: false }],
    ["smtp://127.0.0.1:25", { host: "127.0.0.1", isTlsRequired: false }],
    ["smtp://[::1]:25", { host: "::1", isTlsRequired: false }],
    ["smtps://localhost", { isTlsRequired: true }],
    ["smtp://localhost.example.com", { isTlsRequired: true }],
    ["smtp://127.0.0.1.example.com", { isTlsRequired: true }],
  ])("%s", (url, expected) => {
    expect(configOf(url)).toMatchObject(expected);
  });

  test("decodes the user and the password", () => {
    expect(configOf("smtp://me%40example.com:p%40ss%3Aw%2Frd%20%C2%A7@mail.example.com")?.credentials).toEqual({
      user: "me@example.com",
      password: "p@ss:w/rd §",
    });
    expect(configOf("smtp://mail.example.com")).not.toHaveProperty("credentials");
  });

  test.each([
    "mail.example.com:587",
    "https://user:canary@mail.example.com",
    "smtp://",
    "smtp:mail.example.com",
    "smtp://user@mail.example.com",
    "smtp://:canary@mail.example.com",
    "smtp://user:canary%@mail.example.com",
    "smtp://user:canary%0Aquit@mail.example.com",
    "smtp://user:canary@mail.example.com/inbox",
    "smtp://user:canary@mail.example.com?pool=true",
    "smtp://user:canary@mail.example.com#x",
    "smtp://user:can@ary@mail.example.com:port",
  ])("%s is refused without repeating the password", (url) => {
    expect(() => configOf(url)).toThrow(/^PARLEY_SMTP_URL must be the address of a mail server, such as smtp:/);
    expect(() => configOf(url)).toThrow(expect.not.objectContaining({ message: expect.stringContaining("canary") }));
  });

  test("is needed with PARLEY_MAIL_FROM", () => {
    expect(() => serviceConfig({ PARLEY_MAIL_FROM: FROM })).toThrow(/^PARLEY_SMTP_URL must be/);
  });
});

describe("PARLEY_MAIL_FROM", () => {
  test.each([
    ["parley@mail.example", { name: "", address: "parley@mail.example" }],
    ["Parley <parley@mail.example>", { name: "Parley", address: "parley@mail.example" }],
    ['"Support, Acme" <support@acme.example>', { name: "Support, Acme", address: "support@acme.example" }],
  ])("%s", (from, expected) => {
    expect(configOf("smtp://localhost", from)?.from).toEqual(expected);
  });

  test.each([
    "",
    "parley",
    "a@mail.example, b@mail.example",
    "Parley <a@mail.example>, <b@mail.example>",
    "Parley <parley@mail.example>\r\nBcc: eve@mail.example",
    "Par\nley <parley@mail.example>",
    "<>",
  ])("%j is refused", (from) => {
    expect(() => configOf("smtp://localhost", from)).toThrow(/^PARLEY_MAIL_FROM must be the sender of mails/);
  });
});
