import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { KEY } from "./fake-account.ts";
import { messageEvent, hostFixture, type HostFixture } from "./host-fixture.ts";

const VALUES = { domain: "acme.parley.localhost", api_key: KEY };

describe("a change of the app's folder", () => {
  let here: HostFixture;
  beforeAll(async () => {
    here = await hostFixture("listener");
    await here.host.install(VALUES);
  });
  beforeEach(() => void (here.lines.length = 0));
  afterAll(() => here.close());

  const GREETING = "server/lib/greeting.ts";

  test("takes effect within a second", async () => {
    const { version } = here.host.project();
    const begun = performance.now();
    await here.write(GREETING, `export const greeting = "second version";`);
    while (here.host.project().version === version && performance.now() - begun < 10_000)
      await new Promise((go) => setTimeout(go, 5));
    const took = performance.now() - begun;
    await here.deliver(messageEvent("greet"));
    await here.waitForLog(/second version/);
    expect(took).toBeLessThan(5_000);
  });

  test("with a syntax error is reported with file and line while the last good version stays active", async () => {
    await here.write(GREETING, `export const fine = 1;\nexport const greeting = ;`);
    await here.waitForLog(/^error: server\/lib\/greeting\.ts:2:25: Unexpected ";"/);
    await here.waitForLog(/last good version/);
    await here.deliver(messageEvent("greet"));
    await here.waitForLog(/second version/);
    expect(await (await fetch(here.host.url)).text()).toContain("server/lib/greeting.ts:2:25");

    await here.write(GREETING, `export const greeting = "third version";`);
    await here.waitForLog(/was reloaded/);
    await here.deliver(messageEvent("greet"));
    await here.waitForLog(/third version/);
    expect(await (await fetch(here.host.url)).text()).not.toContain("greeting.ts");
  });

  test("that removes a handler is reported as an error", async () => {
    const manifest = await readFile(join(here.folder, "manifest.json"), "utf8");
    await here.write("manifest.json", manifest.replace("onMessageCreateHandler", "goneHandler"));
    await here.waitForLog(/manifest\.json:\d+:\d+: Event callback 'goneHandler' is not defined/);
    await here.write("manifest.json", '{ "platform-version": ');
    await here.waitForLog(/^error: manifest\.json:1:/);
    await here.write("manifest.json", manifest);
    await here.waitForLog(/was reloaded/);
  });

  test("lets a running call finish in its version", async () => {
    const slow = here.deliver(messageEvent("slowly"));
    await new Promise((go) => setTimeout(go, 50));
    await here.write(GREETING, `export const greeting = "fourth version";`);
    expect(await slow).toBe(204);
    await here.waitForLog(/was reloaded/);
    await here.deliver(messageEvent("greet"));
    await here.waitForLog(/fourth version/);
  });

  test("of agent pages takes effect immediately", async () => {
    await here.write("app/index.html", "<title>Changed</title>");
    expect(await (await fetch(`${here.host.url}/app/index.html`)).text()).toBe("<title>Changed</title>");
  });
});

test("an app that can't run is rejected with all of its errors", async () => {
  const failure = await hostFixture("broken").catch((error: unknown) => error as Error);
  expect(failure).toMatchObject({ name: "ProjectUnusable" });
  const { message } = failure as Error;
  expect(message).toMatch(/manifest\.json:\d+:\d+: Event callback 'missingHandler' is not defined/);
  expect(message).toContain("must NOT have additional properties 'body'");
});
