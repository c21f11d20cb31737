import { afterEach, describe, expect, test } from "@jest/globals";
import { createServer, type AddressInfo } from "node:net";
import { certificate } from "../../../egress/test/certificate-builder.ts";
import type { LinkMail, LinkMailer } from "../../src/identity/sign-in/mail-port.ts";
import type { MailConfig } from "../../src/mail/config.ts";
import { createSmtpMailer } from "../../src/mail/smtp-mailer.ts";
import { SMTP_CREDENTIALS, startSmtpServer, type SmtpServerFixture } from "./smtp-fixture.ts";

/** Sending links by SMTP, to a real mail server on this machine. */

const SECRET = "s".repeat(43);
const MAIL: LinkMail = {
  to: "olivia@acme.example",
  account: "acme",
  purpose: "invitation",
  link: `https://chat.example.com/sign-in/password#${SECRET}`,
  expires: new Date("2100-01-31T13:15:00Z"),
};

const closers: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
const serverOf = async (settings?: Parameters<typeof startSmtpServer>[0]): Promise<SmtpServerFixture> => {
  const server = await startSmtpServer(settings);
  closers.push(server.close);
  return server;
};
const mailerOf = (config: MailConfig): LinkMailer & { readonly lines: readonly string[] } => {
  const lines: string[] = [];
  const mailer = createSmtpMailer({ config, now: () => new Date(), log: (line) => void lines.push(line) });
  closers.push(mailer.close);
  return { ...mailer, lines };
};
const until = async (holds: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 250 && !holds(); turn++) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(holds()).toBe(true);
};

describe("a mail with a link", () => {
  test("says what the link is for, by which account, until when, and what to do without having asked for it", async () => {
    const server = await serverOf();
    const mailer = mailerOf(server.config());
    await mailer.send(MAIL);
    await mailer.send({ ...MAIL, purpose: "password_reset" });
    const [invitation, reset] = [await server.mail(0), await server.mail(1)];
    expect([invitation.from, invitation.to]).toEqual(["parley@mail.example", ["olivia@acme.example"]]);
    expect(invitation.headers.get("from")).toBe("Parley <parley@mail.example>");
    expect(invitation.headers.get("to")).toBe("olivia@acme.example");
    expect(invitation.headers.get("subject")).toBe("Invitation to acme on Parley");
    expect(reset.headers.get("subject")).toBe("New password for acme on Parley");
    for (const { text, html, headers } of [invitation, reset]) {
      expect(headers.get("auto-submitted")).toBe("auto-generated");
      for (const words of [
        "account acme",
        MAIL.link,
        "once, until 31 January 2100",
        "13:15 UTC",
        "ignore this message",
      ]) {
        expect(text).toContain(words);
        expect(html).toContain(words);
      }
    }
    expect(invitation.text).toMatch(/invited to Parley as an agent/);
    expect(reset.text).toMatch(/did not ask for it, ignore this message: your password stays the same/);
  });

  test("loads nothing and names no other address than the link", async () => {
    const server = await serverOf();
    await mailerOf(server.config()).send(MAIL);
    const { html, text, headers } = await server.mail();
    expect(html.match(/https?:\/\/[^"<\s]+/g)).toEqual([MAIL.link, MAIL.link]);
    expect(text.match(/https?:\/\/\S+/g)).toEqual([MAIL.link]);
    expect(html).not.toMatch(/<img|<link|<script|<style|src=/i);
    expect([...headers.keys()]).not.toContain("x-mailer");
  });

  test.each([
    "acme\r\nBcc: eve@evil.example",
    "acme\nX-Injected: 1\n\nbody",
    "acme\u2028Bcc: eve@evil.example",
    "<img src=https://evil.example/x>",
    "acme =?utf-8?q?=0d=0aBcc:_eve@evil.example?=",
  ])("with the account name %j has no other header, recipient or element", async (account) => {
    const server = await serverOf();
    await mailerOf(server.config()).send(MAIL);
    await mailerOf(server.config()).send({ ...MAIL, account });
    const [plain, mail] = [await server.mail(0), await server.mail(1)];
    expect([...mail.headers.keys()]).toEqual([...plain.headers.keys()]);
    expect(mail.to).toEqual(["olivia@acme.example"]);
    expect(mail.html.match(/<\w+/g)).toEqual(plain.html.match(/<\w+/g));
  });

  test.each([
    "olivia@acme.example\r\nBcc: eve@evil.example",
    "olivia@acme.example, eve@evil.example",
    "olivia@acme.example> RCPT TO:<eve@evil.example",
    "Olivia <olivia@acme.example>",
    '"olivia@acme.example eve"@evil.example',
    "olivia",
    "@acme.example",
    `${"x".repeat(250)}@acme.example`,
  ])("to %j is not sent", async (to) => {
    const server = await serverOf();
    await expect(mailerOf(server.config()).send({ ...MAIL, to })).rejects.toThrow("not one plain e-mail address");
    expect(server.mails).toEqual([]);
  });

  test("to an address with letters of another alphabet arrives", async () => {
    const server = await serverOf();
    await mailerOf(server.config()).send({ ...MAIL, to: "josé@acme.example" });
    expect((await server.mail()).to).toEqual(["josé@acme.example"]);
  });
});

describe("the connection to the mail server", () => {
  test("authenticates with the user and the password", async () => {
    const server = await serverOf({ needsAuthentication: true });
    await mailerOf(server.config()).send(MAIL);
    expect((await server.mail()).user).toBe(SMTP_CREDENTIALS.user);
  });

  test("with a wrong password fails, and the error does not contain it", async () => {
    const server = await serverOf({ needsAuthentication: true });
    const mailer = mailerOf(server.config({ credentials: { user: "me", password: "canary" } }));
    const failure = await mailer.send(MAIL).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ message: expect.stringMatching(/535/), isTemporary: false });
    expect(JSON.stringify([failure, String(failure)])).not.toMatch(/canary|Y2FuYXJ5/);
  });

  test.each(["starttls", "implicit"] as const)("is encrypted where TLS is required: %s", async (tls) => {
    const server = await serverOf({ tls, needsAuthentication: true });
    await mailerOf(server.config()).send(MAIL);
    expect((await server.mail()).isEncrypted).toBe(true);
  });

  test("sends neither the password nor the mail to a server without TLS where it is required; where it is not, it does", async () => {
    const server = await serverOf({ needsAuthentication: true });
    await expect(mailerOf(server.config({ isTlsRequired: true })).send(MAIL)).rejects.toThrow(/STARTTLS/i);
    expect([server.logins, server.mails]).toEqual([[], []]);
    await mailerOf(server.config({ isTlsRequired: false })).send(MAIL);
    expect(server.logins).toEqual([SMTP_CREDENTIALS.user]);
  });

  test.each([
    ["an unknown authority", "starttls", { certificateAuthorities: undefined }],
    ["an unknown authority", "implicit", { certificateAuthorities: undefined }],
    ["another name", "starttls", { host: "127.0.0.1" }],
    ["another key", "starttls", { certificateAuthorities: certificate("localhost").cert }],
  ] as const)("refuses a certificate of %s: %s", async (_, tls, changes) => {
    const server = await serverOf({ tls, needsAuthentication: true });
    await expect(mailerOf(server.config(changes)).send(MAIL)).rejects.toThrow(/certificate|altnames/i);
    expect([server.logins, server.mails]).toEqual([[], []]);
  });

  test("uses TLS on this machine if the server offers it, whatever its certificate", async () => {
    const server = await serverOf({ tls: "starttls" });
    await mailerOf(server.config({ isTlsRequired: false, certificateAuthorities: undefined })).send(MAIL);
    expect((await server.mail()).isEncrypted).toBe(true);
  });

  test("fails at once when no server answers", async () => {
    const server = await startSmtpServer();
    const config = server.config();
    await server.close();
    await expect(mailerOf(config).send(MAIL)).rejects.toMatchObject({
      message: expect.stringContaining("ECONNREFUSED"),
      isTemporary: true,
    });
  });

  test.each([
    ["never greets", 0],
    ["answers a mail too late", 5_000],
  ])("ends after its time limit with a server that %s", async (_, delayMs) => {
    let config: MailConfig;
    if (delayMs > 0) config = (await serverOf({ delayMs })).config();
    else {
      const silent = createServer((socket) => void socket.on("error", () => undefined)).listen(0, "127.0.0.1");
      await new Promise((resolve) => silent.once("listening", resolve));
      closers.push(() => void silent.close());
      config = {
        host: "127.0.0.1",
        port: (silent.address() as AddressInfo).port,
        isImplicitTls: false,
        isTlsRequired: false,
        from: { name: "", address: "parley@mail.example" },
      };
    }
    const begin = performance.now();
    await expect(mailerOf({ ...config, attemptTimeoutMs: 300 }).send(MAIL)).rejects.toMatchObject({
      isTemporary: true,
    });
    expect(performance.now() - begin).toBeLessThan(2_000);
  });
});

describe("refusals", () => {
  test.each([
    [451, true],
    [550, false],
  ])("%s is an error of the caller, who asked for the link", async (code, isTemporary) => {
    const server = await serverOf({ refusals: [code] });
    await expect(mailerOf(server.config()).send(MAIL)).rejects.toMatchObject({
      message: expect.stringContaining(String(code)),
      isTemporary,
    });
    expect(server.attempts()).toBe(1);
  });

  test("in the background a temporary refusal is followed by further attempts", async () => {
    const server = await serverOf({ refusals: [451, 421] });
    const mailer = mailerOf(server.config());
    mailer.sendInBackground(MAIL);
    expect((await server.mail()).link).toBe(MAIL.link);
    expect([server.attempts(), mailer.lines]).toEqual([3, []]);
  });

  test("in the background the attempts end, and the failure is logged without the link and the address", async () => {
    const server = await serverOf({
      refusals: [451, 451, 451, 451, 451, 451],
      refusalText: (raw) => `it contains ${/https:\S+?s{43}/.exec(raw.replace(/=\r\n/g, ""))?.[0]}`,
    });
    const mailer = mailerOf(server.config());
    mailer.sendInBackground(MAIL);
    await until(() => mailer.lines.length > 0);
    expect(server.attempts()).toBe(4);
    expect(mailer.lines).toHaveLength(1);
    expect(mailer.lines[0]).toMatch(/^error: A mail for an agent of acme was not sent: .*451/);
    expect(mailer.lines[0]).toMatch(/it contains https:.*…/);
    expect(mailer.lines[0]).not.toMatch(/s{20}|\n/);
  });

  test("in the background a permanent refusal is not followed by another attempt", async () => {
    const server = await serverOf({ refusals: [550] });
    const mailer = mailerOf(server.config());
    mailer.sendInBackground(MAIL);
    await until(() => mailer.lines.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([server.attempts(), server.mails]).toEqual([1, []]);
  });

  test("a link that has expired meanwhile is not sent, and closing ends the attempts", async () => {
    const server = await serverOf({ refusals: [451] });
    const mailer = mailerOf(server.config());
    mailer.sendInBackground({ ...MAIL, expires: new Date(Date.now() - 1) });
    await until(() => mailer.lines.length === 1);
    expect(server.attempts()).toBe(0);
    const slow = mailerOf(server.config({ retryDelaysMs: [60_000] }));
    slow.sendInBackground(MAIL);
    await until(() => server.attempts() === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    slow.close();
    await until(() => slow.lines.length === 1);
    expect(server.mails).toEqual([]);
  });

  test("at most four mails are sent at a time, and beyond 200 further ones are dropped", async () => {
    const server = await serverOf({ delayMs: 100 });
    const mailer = mailerOf(server.config());
    for (let count = 0; count < 205; count++) mailer.sendInBackground(MAIL);
    expect(mailer.lines.filter((line) => line.includes("was dropped"))).toHaveLength(5);
    await until(() => server.mails.length >= 8);
    expect(server.mailsAtOnce()).toBe(4);
    expect(mailer.lines).toHaveLength(5);
  });
});
