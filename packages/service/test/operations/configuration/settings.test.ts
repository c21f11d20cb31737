import { describe, expect, test } from "@jest/globals";
import type { Environment } from "@parley/contract";
import { serviceConfig } from "../../../src/index.ts";
import { dispatchRulesOf } from "../../../src/events/dispatch/config.ts";

const HOUR_MS = 3_600_000;
const DAY_S = 86_400;
const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const FROM = "Parley <parley@example.com>";
const OUTBOUND: Environment = { PARLEY_OUTBOUND_URL: "https://provider.example/", PARLEY_OUTBOUND_SECRET: SECRET };
const MAIL: Environment = { PARLEY_SMTP_URL: "smtp://localhost", PARLEY_MAIL_FROM: FROM };

const DEFAULTS = {
  callsPerHour: undefined,
  outbound: undefined,
  objects: { place: undefined },
  publicUrl: undefined,
  corsOrigins: undefined,
  addressSeconds: undefined,
  reports: { perMinute: 1, perDay: 120, days: 7 },
  events: { platformUrl: undefined, retentionDays: undefined, pausedEventsDays: undefined },
  webhooks: { overlapHours: 24, allowsLoopback: undefined },
  sessions: { maxAgeMs: 14 * 24 * HOUR_MS, maxIdleMs: 24 * HOUR_MS },
  appsUrl: undefined,
  auditLogDays: undefined,
  trustedProxies: undefined,
  mail: undefined,
};
const NAMES = [
  ...["PARLEY_CALLS_PER_HOUR", "PARLEY_OUTBOUND_URL", "PARLEY_OUTBOUND_SECRET", "PARLEY_OBJECTS", "PARLEY_PUBLIC_URL"],
  ...["PARLEY_CORS_ORIGINS", "PARLEY_ADDRESS_DAYS", "PARLEY_REPORTS_PER_DAY", "PARLEY_PLATFORM_URL"],
  ...["PARLEY_WEBHOOK_OVERLAP_HOURS", "PARLEY_WEBHOOK_LOOPBACK", "PARLEY_SESSION_DAYS", "PARLEY_APPS_URL"],
  ...["PARLEY_AUDIT_LOG_DAYS", "PARLEY_TRUSTED_PROXIES", "PARLEY_SMTP_URL", "PARLEY_MAIL_FROM"],
];

test.each([
  ["absent", {}],
  ["empty", Object.fromEntries(NAMES.map((name) => [name, ""]))],
])("variables that are %s leave the defaults", (_, env) => {
  expect(serviceConfig(env)).toMatchObject(DEFAULTS);
  const { webhook, pausedEventsDays } = dispatchRulesOf(serviceConfig(env).events);
  expect([webhook.waitsMs.length, pausedEventsDays]).toEqual([9, 90]);
});

describe("a whole number is accepted from its least to its greatest value, and refused otherwise with the range:", () => {
  test.each<[name: string, min: number, max: number, unit: string, expected: (value: number) => object]>([
    ["PARLEY_CALLS_PER_HOUR", 1, 1_000_000_000, "", (callsPerHour) => ({ callsPerHour })],
    ["PARLEY_ADDRESS_DAYS", 1, 365, "of days ", (days) => ({ addressSeconds: days * DAY_S })],
    ["PARLEY_AUDIT_LOG_DAYS", 1, 3_650, "of days ", (auditLogDays) => ({ auditLogDays })],
    ["PARLEY_EVENTS_DAYS", 1, 3_650, "of days ", (retentionDays) => ({ events: { retentionDays } })],
    ["PARLEY_PAUSED_EVENTS_DAYS", 1, 3_650, "of days ", (pausedEventsDays) => ({ events: { pausedEventsDays } })],
    ["PARLEY_REPORTS_PER_MINUTE", 1, 1_000_000, "", (perMinute) => ({ reports: { perMinute } })],
    ["PARLEY_REPORTS_PER_DAY", 1, 1_000_000, "", (perDay) => ({ reports: { perDay } })],
    ["PARLEY_REPORT_DAYS", 1, 90, "", (days) => ({ reports: { days } })],
    ["PARLEY_SESSION_DAYS", 1, 365, "of days ", (days) => ({ sessions: { maxAgeMs: days * 24 * HOUR_MS } })],
    ["PARLEY_SESSION_IDLE_HOURS", 1, 8_760, "of hours ", (hours) => ({ sessions: { maxIdleMs: hours * HOUR_MS } })],
    ["PARLEY_WEBHOOK_OVERLAP_HOURS", 0, 720, "", (overlapHours) => ({ webhooks: { overlapHours } })],
  ])("%s", (name, min, max, unit, expected) => {
    for (const value of [min, max]) expect(serviceConfig({ [name]: String(value) })).toMatchObject(expected(value));
    for (const text of [String(min - 1), String(max + 1), "1.5", "-1", "many", "1e1"])
      expect(() => serviceConfig({ [name]: text })).toThrow(
        `${name} must be a whole number ${unit}from ${min} to ${max}, not '${text}'.`,
      );
  });
});

const from = { name: "Parley", address: "parley@example.com" };
const remote = { isImplicitTls: false, isTlsRequired: true, login: undefined, from };
const mail = (url: string, expected: object): [Environment, object] => [
  { ...MAIL, PARLEY_SMTP_URL: url },
  { mail: { ...remote, ...expected } },
];
const sender = (text: string, name: string, address: string): [Environment, object] => [
  { ...MAIL, PARLEY_MAIL_FROM: text },
  { mail: { from: { name, address } } },
];

test.each<[Environment, object]>([
  [{ PARLEY_PUBLIC_URL: "https://chat.example.com" }, { publicUrl: "https://chat.example.com" }],
  [{ PARLEY_PUBLIC_URL: "HTTP://Chat.example.com:80/" }, { publicUrl: "http://chat.example.com" }],
  [{ PARLEY_PUBLIC_URL: "http://[::1]:8080" }, { publicUrl: "http://[::1]:8080" }],
  [
    { PARLEY_CORS_ORIGINS: "https://App.example.com, http://localhost:3000/" },
    { corsOrigins: ["https://app.example.com", "http://localhost:3000"] },
  ],
  [{ PARLEY_APPS_URL: "https://Apps.example.com/" }, { appsUrl: "https://apps.example.com" }],
  [{ PARLEY_TRUSTED_PROXIES: "127.0.0.1" }, { trustedProxies: ["127.0.0.1"] }],
  [{ PARLEY_TRUSTED_PROXIES: "10.0.0.0/8, ::1,fd00::/8" }, { trustedProxies: ["10.0.0.0/8", "::1", "fd00::/8"] }],
  [{ PARLEY_PLATFORM_URL: "http://10.0.0.7:10001/" }, { events: { platformUrl: "http://10.0.0.7:10001" } }],
  [{ PARLEY_WEBHOOK_LOOPBACK: "on" }, { webhooks: { allowsLoopback: true } }],
  [{ PARLEY_WEBHOOK_LOOPBACK: "off" }, { webhooks: { allowsLoopback: false } }],
  ...[
    ...["https://provider.example/send", "https://provider.example:8443/send?x=1"],
    ...["http://127.0.0.1:8080/", "http://localhost/", "http://[::1]:9/"],
  ].map((url): [Environment, object] => [
    { ...OUTBOUND, PARLEY_OUTBOUND_URL: url },
    { outbound: { url, secret: SECRET } },
  ]),
  // TLS is required unless the server is on this machine.
  mail("smtp://mail.example.com", { host: "mail.example.com", port: 587 }),
  mail("smtp://mail.example.com:25/", { host: "mail.example.com", port: 25 }),
  mail("smtps://[2001:db8::1]", { host: "2001:db8::1", port: 465, isImplicitTls: true }),
  mail("smtp://127.0.0.1.evil.example", { host: "127.0.0.1.evil.example", port: 587 }),
  mail("smtp://localhost:2525", { host: "localhost", port: 2525, isTlsRequired: false }),
  mail("smtp://[::1]", { host: "::1", port: 587, isTlsRequired: false }),
  mail("smtps://127.0.0.1", { host: "127.0.0.1", port: 465, isImplicitTls: true }),
  mail("smtp://me%40example.com:p%3A%2Fw@mail.example.com", { login: { user: "me@example.com", password: "p:/w" } }),
  sender("parley@example.com", "", "parley@example.com"),
  sender("<parley@example.com>", "", "parley@example.com"),
  sender('"Acme, Inc." <help@example.com>', "Acme, Inc.", "help@example.com"),
  sender("Jürgen <jürgen@example.com>", "Jürgen", "jürgen@example.com"),
])("%j is accepted", (env, config) => {
  expect(serviceConfig(env)).toMatchObject(config);
});

test("the times of PARLEY_WEBHOOK_RETRIES and PARLEY_WEBHOOK_HOLD are the rules of delivery", () => {
  const env = { PARLEY_WEBHOOK_RETRIES: "1s, 2m,3h", PARLEY_WEBHOOK_HOLD: "10m", PARLEY_EVENTS_DAYS: "7" };
  expect(dispatchRulesOf(serviceConfig({ ...env, PARLEY_PAUSED_EVENTS_DAYS: "120" }).events)).toMatchObject({
    retentionDays: 7,
    pausedEventsDays: 120,
    webhook: { waitsMs: [1_000, 120_000, 10_800_000], holdMs: 600_000, attemptTimeoutMs: 15_000 },
  });
});

describe("a wrong value is refused by the variable's name, without a password:", () => {
  test.each<[name: string, others: Environment, values: readonly string[]]>([
    [
      "PARLEY_PUBLIC_URL",
      {},
      [
        ...["chat.example.com", "ftp://chat.example.com", "https://chat.example.com/v2", "https://chat.example.com?"],
        ...["https://chat.example.com#", "https://me:secret@chat.example.com", "javascript:alert(1)"],
      ],
    ],
    ["PARLEY_CORS_ORIGINS", {}, ["*", "null", "https://a.example,", "https://a.example/path", "app.example.com"]],
    [
      "PARLEY_APPS_URL",
      {},
      [
        ...[
          "apps.example.com",
          "ftp://apps.example.com",
          "https://apps.example.com/path",
          "https://u@apps.example.com",
        ],
        ...["https://apps.example.com?a", "https://10.0.0.7", "https://[::1]:10001", "https://apps.example.com."],
      ],
    ],
    [
      "PARLEY_TRUSTED_PROXIES",
      {},
      ["true", "proxy.example.com", "10.0.0.0/33", "10.0.0.0/", "1.2.3.4;5.6.7.8", "10.0.0.0/8/8"],
    ],
    ["PARLEY_PLATFORM_URL", {}, ["10.0.0.7:10001", "http://10.0.0.7:10001/events"]],
    ["PARLEY_WEBHOOK_LOOPBACK", {}, ["yes"]],
    ["PARLEY_WEBHOOK_RETRIES", {}, ["soon", "5s,,5m", "8d", "0s"]],
    ["PARLEY_WEBHOOK_HOLD", {}, ["5"]],
    [
      "PARLEY_OUTBOUND_URL",
      OUTBOUND,
      [
        ...["", "provider.example", "http://provider.example/", "http://10.0.0.1/", "http://127.0.0.1.evil.example/"],
        ...["https://me:pw@provider.example/", "https://provider.example/#a", "file:///etc/passwd"],
      ],
    ],
    [
      "PARLEY_OUTBOUND_SECRET",
      OUTBOUND,
      [
        ...["", "secret", "whsec_", "whsec_c2hvcnQ=", "whsec_!!!!", SECRET.slice(6)],
        `whsec_${Buffer.alloc(65).toString("base64")}`,
      ],
    ],
    [
      "PARLEY_SMTP_URL",
      MAIL,
      [
        ...["", "mail.example.com", "mail.example.com:587", "http://mail.example.com", "smtp://"],
        ...["smtp:mail.example.com", "smtp://user:canary@mail.example.com/path"],
        ...["smtp://user:canary@mail.example.com?x=1", "smtp://user:canary@mail.example.com#x"],
        ...["smtp://user:canary@mail.example.com:0", "smtp://user:canary@mail.example.com:99999"],
        ...["smtp://user:canary%zz@mail.example.com", "smtp://:canary@mail.example.com"],
        ...["smtp://canary@mail.example.com", "smtp://user:canary@mail_example com"],
      ],
    ],
    [
      "PARLEY_MAIL_FROM",
      MAIL,
      [
        ...["", "parley", "a@example.com, b@example.com", "A <a@example.com>, B <b@example.com>"],
        ...["A\r\nBcc: b@example.com <a@example.com>", "a b@example.com", '"a b"@example.com'],
      ],
    ],
  ])("%s", (name, others, values) => {
    for (const value of values) {
      const read = () => serviceConfig({ ...others, [name]: value });
      expect(read).toThrow(new RegExp(`^${name} must be`));
      expect(read).not.toThrow(/canary/);
      if (name === "PARLEY_OUTBOUND_SECRET" && value.length > 10) expect(read).not.toThrow(value);
    }
  });

  test("PARLEY_OUTBOUND_SECRET and PARLEY_MAIL_FROM are mandatory beside their addresses", () => {
    const { PARLEY_OUTBOUND_URL, PARLEY_SMTP_URL } = { ...OUTBOUND, ...MAIL };
    expect(() => serviceConfig({ PARLEY_OUTBOUND_URL })).toThrow(/^PARLEY_OUTBOUND_SECRET must be/);
    expect(() => serviceConfig({ PARLEY_SMTP_URL })).toThrow(/^PARLEY_MAIL_FROM must be/);
  });
});
