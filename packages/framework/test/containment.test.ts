import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { appStage, type AppStage } from "./app-fixture.ts";

/** Each of what an app can do to itself. */
const DEEDS: Readonly<Record<string, string>> = {
  loops: "for (;;);",
  fills: "const all = []; for (;;) all.push(new Array(1e6).fill(1.5));",
  floods: "for (let i = 0; i < 2e4; i++) console.log('x'.repeat(1e3)); await new Promise(() => {});",
  asks: "for (;;) await Promise.all(Array.from({ length: 60 }, () => $db.get('x').catch(() => 0)));",
};
const functions = Object.fromEntries(Object.keys(DEEDS).map((name) => [name, {}]));

let bad: AppStage;
let good: AppStage;
beforeAll(async () => {
  const deeds = Object.entries(DEEDS).map(([name, body]) => `${name}: async function () { ${body} }`);
  [bad, good] = await Promise.all([
    appStage(
      { server: `exports = { ${deeds.join(",\n")} };`, common: { functions } },
      { settings: { callTimeoutMs: 1_500 } },
    ),
    appStage({
      server: `exports = { mine: async function ({ turn }) {
        await $db.set("turn", { turn }); renderData(null, (await $db.get("turn")).turn); } };`,
      common: { functions: { mine: {} } },
    }),
  ]);
  await Promise.all([bad.install(), good.install()]);
});
afterAll(() => Promise.all([bad.close(), good.close()]));

test.each(Object.keys(DEEDS))("an app that %s is not noticed by another one", async (deed) => {
  let isOver = false;
  const attack = bad.call(deed).finally(() => (isOver = true));
  const outputs: unknown[] = [];
  for (let turn = 0; !isOver || turn < 3; turn += 1) {
    const { ok, output } = await good.call("mine", { turn });
    outputs.push([ok, output === turn]);
    await setTimeout(50);
  }
  const { ok, output } = await attack;
  expect([ok, output]).toEqual([false, undefined]);
  expect(outputs.filter((one) => JSON.stringify(one) !== "[true,true]")).toEqual([]);
});
