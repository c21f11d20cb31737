import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { KEY } from "../support/fake-account.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { messageEvent, hostFixture, type HostFixture } from "../support/host-fixture.ts";

const VALUES = { domain: "acme.parley.localhost", api_key: KEY };

describe("a change of the app's folder", () => {
  let fixture: HostFixture;
  beforeAll(async () => {
    fixture = await hostFixture("listener", { settings: { callTimeoutMs: 60_000 } });
    await fixture.host.install(VALUES);
  });
  beforeEach(() => void (fixture.lines.length = 0));
  afterAll(() => fixture.close());

  const GREETING = "server/lib/greeting.ts";

  test("takes effect without a restart", async () => {
    const { version } = fixture.host.project();
    await fixture.write(GREETING, `export const greeting = "second version";`);
    await waitUntil(() => fixture.host.project().version !== version);
    await fixture.deliver(messageEvent("greet"));
    await fixture.waitForLog(/second version/);
  });

  test("with a syntax error is reported with file and line while the last good version stays active", async () => {
    await fixture.write(GREETING, `export const fine = 1;\nexport const greeting = ;`);
    await fixture.waitForLog(/^error: server\/lib\/greeting\.ts:2:25: Unexpected ";"/);
    await fixture.waitForLog(/last good version/);
    await fixture.deliver(messageEvent("greet"));
    await fixture.waitForLog(/second version/);
    expect(await (await fetch(fixture.host.url)).text()).toContain("server/lib/greeting.ts:2:25");

    await fixture.write(GREETING, `export const greeting = "third version";`);
    await fixture.waitForLog(/reloaded/);
    await fixture.deliver(messageEvent("greet"));
    await fixture.waitForLog(/third version/);
    expect(await (await fetch(fixture.host.url)).text()).not.toContain("greeting.ts");
  });

  test("that removes a handler is reported as an error", async () => {
    const manifest = await readFile(join(fixture.folder, "manifest.json"), "utf8");
    await fixture.write("manifest.json", manifest.replace("onMessageCreateHandler", "goneHandler"));
    await fixture.waitForLog(/manifest\.json:\d+:\d+: Event callback 'goneHandler' is not defined/);
    await fixture.write("manifest.json", '{ "platform-version": ');
    await fixture.waitForLog(/^error: manifest\.json:1:/);
    await fixture.write("manifest.json", manifest);
    await fixture.waitForLog(/reloaded/);
  });

  test("lets a running call finish in its version", async () => {
    const held = fixture.deliver(messageEvent("hold"));
    await fixture.waitForLog(/on hold/);
    await fixture.write(GREETING, `export const greeting = "fourth version";`);
    await fixture.waitForLog(/reloaded/);
    await fixture.deliver(messageEvent("greet"));
    await fixture.waitForLog(/fourth version/);
    await fixture.deliver(messageEvent("release"));
    expect(await held).toBe(204);
    await fixture.waitForLog(/released, in the third version/);
  });

  test("of agent pages takes effect immediately", async () => {
    await fixture.write("app/index.html", "<title>Changed</title>");
    expect(await (await fetch(`${fixture.host.url}/app/index.html`)).text()).toBe("<title>Changed</title>");
  });
});

test("an app that can't run is rejected with all of its errors", async () => {
  const failure = await hostFixture("broken").catch((error: unknown) => error as Error);
  expect(failure).toMatchObject({ name: "ProjectUnusable" });
  const { message } = failure as Error;
  expect(message).toMatch(/manifest\.json:\d+:\d+: Event callback 'missingHandler' is not defined/);
  expect(message).toContain("must NOT have additional properties 'body'");
});
