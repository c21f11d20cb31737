import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { request } from "node:http";
import { startSmtpServer, type SmtpServerFixture } from "../mail/smtp-fixture.ts";
import { linkHarness, untilMailsArrived, type LinkHarness } from "./link-harness.ts";

/** Senders of requests choose the Host header: it must not lead a link to another host. */

const WINDOW_MS = 15 * 60_000;

let smtp: SmtpServerFixture;
let s: LinkHarness;
beforeAll(async () => {
  smtp = await startSmtpServer();
  s = await linkHarness({ config: { mail: smtp.config() } });
});
afterAll(async () => {
  await s.close();
  await smtp.close();
});
beforeEach(() => {
  s.advance(WINDOW_MS);
  smtp.mails.length = 0;
});

describe("the address in a mailed link", () => {
  /** Asks with a Host header, and the origin that a page on this host would have. */
  const resetOn = (url: string, host: string, email: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ account: "acme", email });
      const isLocal = /(?:localhost|\.\d+|\])(?::\d+)?$/.test(host);
      const headers = {
        host,
        origin: `${isLocal ? "http" : "https"}://${host.toLowerCase()}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      };
      request(`${url}/identity/password-reset`, { method: "POST", headers }, (reply) =>
        resolve(reply.resume().statusCode ?? 0),
      )
        .on("error", reject)
        .end(body);
    });
  const originOf = (link: string): string => link.replace(/\/sign-in\/password#[\w-]{43}$/, "");

  test("is that of this service, whatever the Host header says", async () => {
    const { port } = new URL(s.url);
    const hosts = [
      "evil.example",
      `evil.example:${port}`,
      "localhost:1",
      "localhost",
      `evil.example/.localhost:${port}`,
      `evil.example#.localhost:${port}`,
      `evil.example?.localhost:${port}`,
      `evil.example\\.localhost:${port}`,
      `evil.example:80/.localhost:${port}`,
      `x@evil.example/.parley.localhost:${port}`,
      `localhost:${port}@evil.example/.localhost:${port}`,
      "evil.example/.parley.localhost",
    ];
    for (const host of hosts) {
      s.advance(WINDOW_MS);
      const { email } = await s.newAgent();
      expect([host, await resetOn(s.url, host, email)]).toEqual([host, 202]);
    }
    await untilMailsArrived(s, smtp);
    expect(smtp.mails.map(({ link }) => originOf(link))).toEqual([]);
    expect(s.logLines.filter((line) => line.includes("set PARLEY_PUBLIC_URL"))).not.toEqual([]);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`]) {
      const { email } = await s.newAgent();
      expect(await resetOn(s.url, host, email)).toBe(202);
      expect(originOf((await smtp.mail()).link)).toBe(`http://${host}`);
      smtp.mails.length = 0;
    }
  });

  test("is PARLEY_PUBLIC_URL if it is set, whatever the Host header says", async () => {
    const own = await linkHarness({ config: { mail: smtp.config(), publicUrl: "https://chat.example.com" } });
    try {
      for (const host of ["evil.example", "chat.example.com", new URL(own.url).host]) {
        const { email } = await own.client.agents.createAgent({
          body: { email: `${host.replace(":", "-")}@acme.example` },
        });
        expect(await resetOn(own.url, host, email)).toBe(202);
        expect(originOf((await smtp.mail()).link)).toBe("https://chat.example.com");
        smtp.mails.length = 0;
      }
    } finally {
      await own.close();
    }
  });

  test("is the account's own host with PARLEY_DOMAIN, and no other host that ends like it", async () => {
    const own = await linkHarness({ config: { mail: smtp.config(), domain: "chat.example.com" } });
    try {
      for (const [index, host] of [
        "evil.example/.chat.example.com",
        "evil.example#.chat.example.com",
        "evilchat.example.com",
        "a.b.chat.example.com",
        ".chat.example.com",
      ].entries()) {
        const { email } = await own.client.agents.createAgent({ body: { email: `host${index}@acme.example` } });
        expect([host, await resetOn(own.url, host, email)]).toEqual([host, 202]);
      }
      const { email } = await own.client.agents.createAgent({ body: { email: "last@acme.example" } });
      expect(await resetOn(own.url, "acme.chat.example.com", email)).toBe(202);
      const { link, to } = await smtp.mail();
      expect([to, originOf(link)]).toEqual([[email], "https://acme.chat.example.com"]);
      expect(smtp.mails).toHaveLength(1);
    } finally {
      await own.close();
    }
  });
});
