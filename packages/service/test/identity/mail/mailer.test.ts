import { logText } from "@parley/telemetry";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { MailConfig } from "../../../src/identity/mail/config.ts";
import { createLinkMailer } from "../../../src/identity/mail/mailer.ts";
import { held } from "../../held.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { MAIL_CERTIFICATE, MAIL_LOGIN, mailServerFixture, type MailServerFixture } from "./mail-server-fixture.ts";

const LINK = `https://chat.example.com/sign-in/password#${"S".repeat(43)}`;
const MAIL = {
  to: "kim@acme.example",
  account: "acme",
  purpose: "invitation" as const,
  link: LINK,
  expires: new Date("2027-01-31T12:00:00.000Z"),
};

const configFor = ({ port }: { readonly port: number }, more: Partial<MailConfig> = {}): MailConfig => ({
  host: "localhost",
  port,
  isImplicitTls: false,
  isTlsRequired: false,
  from: { name: "Parley", address: "parley@example.com" },
  ...more,
});

/** A mailer and its log, which is closed after the use. */
const withMailer = async (
  config: MailConfig,
  use: (mailer: ReturnType<typeof createLinkMailer>, log: readonly string[]) => Promise<void>,
): Promise<void> => {
  const log: string[] = [];
  const mailer = createLinkMailer({ config, log: (...line) => void log.push(logText(...line)) });
  try {
    await use(mailer, log);
  } finally {
    mailer.close();
  }
};
const sendBy = (config: MailConfig, mail: Partial<typeof MAIL> = {}): Promise<void> =>
  withMailer(config, (mailer) => mailer.send({ ...MAIL, ...mail }));

describe("a message", () => {
  let server: MailServerFixture;
  beforeAll(async () => {
    server = await mailServerFixture();
  });
  afterAll(() => server.close());

  test.each([
    ["invitation", "Subject: Invitation to the account acme", "You have been invited"],
    ["password_reset", "Subject: New password for the account acme", "A new password was requested"],
  ] as const)(
    "%s says its account, agent, purpose, expiry, and what to do if it was not asked for",
    async (purpose, subject, reason) => {
      server.received.length = 0;
      await withMailer(configFor(server), (mailer) => mailer.send({ ...MAIL, purpose }));
      const [mail] = server.received;
      expect(mail).toMatchObject({ from: "parley@example.com", to: ["kim@acme.example"] });
      expect(mail?.headers).toEqual(
        expect.arrayContaining([
          subject,
          "From: Parley <parley@example.com>",
          "To: kim@acme.example",
          "Auto-Submitted: auto-generated",
        ]),
      );
      for (const words of [reason, "acme", "kim@acme.example", LINK, "2027-01-31 12:00 UTC", "ignore this message"])
        expect(mail?.text).toContain(words);
      expect(mail?.text.match(/https?:\/\/[^"<\s]+/g)?.every((address) => address === LINK)).toBe(true);
      expect(mail?.text).toContain("text/plain");
      expect(mail?.text).toContain("text/html");
      expect(mail?.text).not.toMatch(/<img|X-Mailer/i);
    },
  );

  test("with a hostile account name has no further header, recipient or element", async () => {
    server.received.length = 0;
    const account = 'acme\r\nBcc: eve@evil.example\r\n\r\n<a href="https://evil.example">x</a>\u2028';
    await sendBy(configFor(server), { account });
    const [mail] = server.received;
    expect(mail?.to).toEqual(["kim@acme.example"]);
    expect(mail?.headers.filter((line) => /^bcc/i.test(line))).toEqual([]);
    expect(mail?.headers.filter((line) => /^subject/i.test(line))).toHaveLength(1);
    expect(mail?.text).not.toContain('<a href="https://evil.example">x</a> of Parley as kim@acme.example.</p>');
    expect(mail?.text).toContain("&lt;a href=&quot;https://evil.example&quot;&gt;");
  });

  test.each([
    "kim@acme.example, eve@evil.example",
    "kim@acme.example\r\nBcc: eve@evil.example",
    "kim@acme.example>\r\nRCPT TO:<eve@evil.example",
    '"eve@evil.example kim"@acme.example',
    "Kim <eve@evil.example>",
    "group: eve@evil.example;",
    "kim",
    "",
  ])("to the address %j is not sent", async (to) => {
    const before = server.attempts;
    await expect(sendBy(configFor(server), { to })).rejects.toThrow("the e-mail address of the agent is not valid");
    expect(server.attempts).toBe(before);
  });
});

describe("the connection", () => {
  const trusted = { authorities: MAIL_CERTIFICATE.cert };
  const required = { isTlsRequired: true };
  test.each([
    ["plain on this machine", {}, {}, { isEncrypted: false, user: undefined }],
    ["with authentication", { needsLogin: true }, { login: MAIL_LOGIN }, { user: MAIL_LOGIN.user }],
    ["STARTTLS", { tls: "starttls" }, { ...required, ...trusted }, { isEncrypted: true }],
    [
      "STARTTLS with authentication",
      { tls: "starttls", needsLogin: true },
      { ...required, ...trusted, login: MAIL_LOGIN },
      { isEncrypted: true, user: MAIL_LOGIN.user },
    ],
    ["implicit TLS", { tls: "implicit" }, { ...required, ...trusted, isImplicitTls: true }, { isEncrypted: true }],
    ["STARTTLS on this machine with any certificate", { tls: "starttls" }, {}, { isEncrypted: true }],
  ] as const)("is used: %s", async (_, options, more, expected) => {
    const server = await mailServerFixture(options);
    await sendBy(configFor(server, more));
    expect(server.received).toEqual([expect.objectContaining(expected)]);
    await server.close();
  });
  test.each([
    ["a server without TLS where it is required", {}, required, /^the mail server answered 50\d to STARTTLS/],
    ["an unknown certificate", { tls: "starttls" }, required, /^no message was exchanged/],
    [
      "a certificate for another name",
      { tls: "starttls" },
      { ...required, ...trusted, host: "127.0.0.1" },
      /^no message was exchanged/,
    ],
    ["missing authentication", { needsLogin: true }, {}, /^the mail server answered 530/],
    [
      "a wrong password",
      { needsLogin: true },
      { login: { user: "parley", password: "canary" } },
      /^the mail server answered 535 5\.7\.8 to AUTH/,
    ],
  ] as const)("is refused: %s", async (_, options, more, message) => {
    const server = await mailServerFixture(options);
    const refused = await sendBy(configFor(server, more)).catch((error: unknown) => error as Error);
    expect(String((refused as Error).message)).toMatch(message);
    expect(String((refused as Error).message)).not.toContain("canary");
    expect(server.received).toEqual([]);
    await server.close();
  });

  test("to a server that is down or never answers fails in time", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", () => resolve()));
    const { port } = silent.address() as AddressInfo;
    await expect(sendBy(configFor({ port }, { stepTimeoutMs: 200 }))).rejects.toThrow("ETIMEDOUT");
    await new Promise((resolve) => silent.close(resolve));
    await expect(sendBy(configFor({ port }))).rejects.toThrow(/^no message was exchanged with the mail server/);
  });

  test("to a server that sends a little now and then ends at the limit of the attempt", async () => {
    const slow = createServer((socket) => {
      const timer = setInterval(() => socket.write("220-wait\r\n"), 50);
      socket.on("close", () => clearInterval(timer)).on("error", () => undefined);
    });
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", () => resolve()));
    const { port } = slow.address() as AddressInfo;
    const config = configFor({ port }, { stepTimeoutMs: 60_000, attemptTimeoutMs: 300 });
    const closed = new Promise((resolve) => slow.once("connection", (socket: Socket) => socket.once("close", resolve)));
    await withMailer(config, async (mailer) => {
      await expect(mailer.send(MAIL)).rejects.toThrow("the mail server was too slow");
      // The connection does not outlive the attempt.
      await closed;
    });
    await new Promise((resolve) => slow.close(resolve));
  });
});

describe("a message in the background", () => {
  let server: MailServerFixture;
  beforeAll(async () => {
    server = await mailServerFixture();
  });
  afterAll(() => server.close());
  const retrying = { retryDelaysMs: [20, 20] };

  test("is sent again after a temporary refusal, and once", async () => {
    const answers = [451, 421, undefined];
    server.answer = () => answers.shift();
    await withMailer(configFor(server, retrying), async (mailer, log) => {
      mailer.sendInBackground(MAIL);
      await waitUntil(() => server.received.length > 0);
      expect([server.received.length, server.attempts, log.length]).toEqual([1, 3, 2]);
      expect(log[0]).toBe(
        'error: A link for an agent of "acme" was not sent: the mail server answered 451 4.7.1 to RCPT TO. The next attempt is in 0.02 s.',
      );
    });
  });
  test.each([
    ["a permanent refusal", 550, 1],
    ["the last temporary refusal", 451, 3],
  ])("is given up after %s, and the log contains neither the link nor the address", async (_, code, attempts) => {
    [server.attempts, server.received.length] = [0, 0];
    server.answer = () => code;
    await withMailer(configFor(server, retrying), async (mailer, log) => {
      mailer.sendInBackground(MAIL);
      await waitUntil(() => log.length === attempts);
      expect(log.at(-1)).toMatch(new RegExp(`answered ${code} .*Check the mail server and PARLEY_SMTP_URL\\.$`));
      expect([server.attempts, server.received.length]).toEqual([attempts, 0]);
      expect(log.join("\n")).not.toMatch(/SSSS|kim@|sign-in/);
    });
  });
  test("waits while four others are being sent", async () => {
    const [limit, more] = [4, 6];
    [server.attempts, server.received.length] = [0, 0];
    let [open, most] = [0, 0];
    const { promise, release } = held();
    server.answer = async (to) => {
      if (to === "later@acme.example") return undefined;
      most = Math.max(most, ++open);
      await promise;
      open--;
      return undefined;
    };
    await withMailer(configFor(server, retrying), async (mailer, log) => {
      for (let index = 0; index < limit + more; index++)
        mailer.sendInBackground({ ...MAIL, to: `kim${index}@acme.example` });
      await waitUntil(() => open === limit);
      // A message of another mailer, which began later, is sent meanwhile.
      await sendBy(configFor(server), { to: "later@acme.example" });
      expect(open).toBe(limit);
      release();
      await waitUntil(() => server.received.length === limit + more + 1);
      expect([most, log]).toEqual([limit, []]);
    });
  });
  test("is not sent again once a newer one to the same agent is, or after the end", async () => {
    [server.attempts, server.received.length] = [0, 0];
    const answers = [451, undefined, 451];
    server.answer = () => answers.shift();
    const config = configFor(server, { retryDelaysMs: [50] });
    await withMailer(config, async (mailer, log) => {
      mailer.sendInBackground(MAIL);
      await waitUntil(() => log.length === 1);
      mailer.sendInBackground({ ...MAIL, link: `${LINK}-newer` });
      await waitUntil(() => server.received.length === 1);
      mailer.sendInBackground({ ...MAIL, account: "other" });
      await waitUntil(() => log.length === 2);
    });
    // The next attempt of a mailer that began later is after those that the first one would have made.
    answers.push(451);
    await withMailer(config, async (mailer) => {
      mailer.sendInBackground({ ...MAIL, link: `${LINK}-last` });
      await waitUntil(() => server.received.length === 2);
    });
    expect(server.received.map(({ text }) => /-newer|-last/.exec(text)?.[0])).toEqual(["-newer", "-last"]);
    expect(server.attempts).toBe(5);
  });
});
