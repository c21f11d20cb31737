import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parley, temporaryFolder } from "../../../test/support/parley-process.ts";
import { sampleRows } from "../../../test/support/campaign.ts";

/** DATABASE_URL with passwords that are invalid in a URL. No line of output contains any part of a password. */

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let hangsUp: ReturnType<typeof createServer>;
beforeAll(async () => {
  temporary = await temporaryFolder("parley-url-");
  hangsUp = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await new Promise((resolve) => hangsUp.once("listening", resolve));
});
afterAll(async () => {
  hangsUp.close();
  await temporary.remove();
});

const CANARY = /kanari|secret|geheim/i;

/** A client of a server that closes every connection gets one of these errors, depending on timing. */
const ENDED = /can't be used: (?:Connection terminated|read ECONNRESET|write EPIPE)/;

/** The text in the password's position, and the expected message: a reason, or a connection error. */
const PASSWORDS: readonly (readonly [password: string, said: RegExp])[] = [
  ["kanari-secret", ENDED],
  ["kanari%40secret", ENDED],
  ["kanari@secret", ENDED],
  ["kanari:secret", ENDED],
  ["kanari#secret", ENDED],
  ["kanari secret", ENDED],
  ["kanari,secret", ENDED],
  ["kanari[secret]", ENDED],
  ["kanarisecret-ü€", ENDED],
  ["kanari'secret\"", ENDED],
  ["kanari/secret", /percent-encoded/],
  ["kanari/secret@geheim", /percent-encoded/],
  ["kanari?secret", /percent-encoded/],
  ["123/kanari?secret", /percent-encoded/],
  ["123?kanari=secret", /percent-encoded/],
  ["123?kanari&secret", /percent-encoded/],
  ["kanari%secret", /begins no percent-encoded character/],
  ["kanari%zzsecret", /begins no percent-encoded character/],
  ["kanari%00secret", /begins no percent-encoded character/],
  ["kanari%ffsecret", /begins no percent-encoded character/],
];

const urlWith = (password: string): string =>
  `postgres://user:${password}@127.0.0.1:${(hangsUp.address() as AddressInfo).port}/database`;

describe.each(sampleRows(PASSWORDS, 3))("DATABASE_URL with the password %s", (password, expected) => {
  const env = () => ({ PARLEY_DATA: join(temporary.folder, "data"), DATABASE_URL: urlWith(password) });

  test("doctor and backup report the problem without any part of the password", async () => {
    const [doctor, backup] = await Promise.all([
      parley(["doctor", "--json"], { env: env() }),
      parley(["backup", join(temporary.folder, "backup")], { env: env() }),
    ]);
    for (const { stdout, stderr, status } of [doctor, backup]) {
      expect(status).toBe(1);
      expect(stdout + stderr).toMatch(expected);
      expect((stdout + stderr).match(CANARY)).toBeNull();
    }
    expect(backup.stderr.trim().split("\n")).toHaveLength(1);
  });
});

test.each([
  ["text that is not a URL", "kanari-secret", /must begin with postgres:\/\//],
  ["another protocol", "mysql://user:kanari-secret@host/x", /must begin with postgres:\/\//],
  ["an invalid port", "postgres://user:kanari-secret@host:99999/x", /port is not a number from 1 to 65535/],
  ["an unknown parameter", "postgres://user:kanari-secret@host/x?schema=secret", /known parameters/],
  ["an unknown mode", "postgres://user:kanari-secret@host/x?sslmode=secret", /Choose one of disable, allow/],
  [
    "an unknown role of servers",
    "postgres://user:kanari-secret@a,b/x?target_session_attrs=secret",
    /read-write, read-only/,
  ],
  ["lists of different lengths", "postgres://user:kanari-secret@a:1,b:2/x?port=1,2,3", /different lengths/],
  ["a password as a parameter", "postgres://127.0.0.1:1/x?user=me&password=kanari-secret", /ECONNREFUSED/],
])(
  "DATABASE_URL with %s is rejected in one line without the password",
  async (_, url, expected) => {
    const { stdout, stderr, status } = await parley(["serve", "--port", "0"], {
      env: { PARLEY_DATA: join(temporary.folder, "data"), DATABASE_URL: url },
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(expected);
    expect((stdout + stderr).match(CANARY)).toBeNull();
  },
  60_000,
);
