import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { appFixture, type AppFixture } from "../support/app-fixture.ts";

/** Operations by which an app can harm its own process. */
const OPERATIONS: Readonly<Record<string, string>> = {
  loops: "for (;;);",
  fills: "const all = []; for (;;) all.push(new Array(1e6).fill(1.5));",
  floods: "for (let i = 0; i < 2e4; i++) console.log('x'.repeat(1e3)); await new Promise(() => {});",
  asks: "for (;;) await Promise.all(Array.from({ length: 60 }, () => $db.get('x').catch(() => 0)));",
};
const functions = Object.fromEntries(Object.keys(OPERATIONS).map((name) => [name, {}]));

let bad: AppFixture;
let good: AppFixture;
beforeAll(async () => {
  const operations = Object.entries(OPERATIONS).map(([name, body]) => `${name}: async function () { ${body} }`);
  [bad, good] = await Promise.all([
    appFixture(
      { server: `exports = { ${operations.join(",\n")} };`, common: { functions } },
      { settings: { callTimeoutMs: 1_500 } },
    ),
    appFixture({
      server: `exports = { mine: async function ({ turn }) {
        await $db.set("turn", { turn }); renderData(null, (await $db.get("turn")).turn); } };`,
      common: { functions: { mine: {} } },
    }),
  ]);
  await Promise.all([bad.install(), good.install()]);
});
afterAll(() => Promise.all([bad.close(), good.close()]));

test.each(Object.keys(OPERATIONS))("an app that %s does not affect another app", async (operation) => {
  let hasEnded = false;
  const attack = bad.call(operation).finally(() => (hasEnded = true));
  const outputs: unknown[] = [];
  for (let turn = 0; !hasEnded || turn < 3; turn += 1) {
    const { ok, output } = await good.call("mine", { turn });
    outputs.push([ok, output === turn]);
    await setTimeout(50);
  }
  const { ok, output } = await attack;
  expect([ok, output]).toEqual([false, undefined]);
  expect(outputs.filter((one) => JSON.stringify(one) !== "[true,true]")).toEqual([]);
});
