import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { findBoundary, type Boundary } from "../../../src/sandbox/boundary.ts";
import { appFixture, type AppFixture } from "../../support/app-fixture.ts";

let none: Boundary;
let fixture: AppFixture | undefined;
const before = process.env["PARLEY_TRUST_APPS"];
beforeAll(async () => {
  none = await findBoundary(["none"]);
});
afterEach(async () => {
  if (before === undefined) delete process.env["PARLEY_TRUST_APPS"];
  else process.env["PARLEY_TRUST_APPS"] = before;
  await fixture?.close();
  fixture = undefined;
});
afterAll(() => fixture?.close());

const start = async (origin: "folder" | "package", boundary?: Boundary, isCoverageMeasured = false) => {
  fixture = await appFixture({}, { origin, isCoverageMeasured, ...(boundary && { boundary }) });
  return fixture.lines;
};

test("a package is rejected without isolation by the operating system, with a next step", async () => {
  await expect(start("package", none)).rejects.toThrow(/not run here.*Install bubblewrap.*PARLEY_TRUST_APPS=1/s);
});

test("a package runs without isolation if the operator sets PARLEY_TRUST_APPS=1, with a warning", async () => {
  process.env["PARLEY_TRUST_APPS"] = "1";
  expect((await start("package", none)).join()).toMatch(/does not isolate the app's code/);
});

test("an operator's own folder runs without isolation, with a warning", async () => {
  expect((await start("folder", none)).join()).toMatch(
    /does not isolate the app's code.*only a folder of your own.*Packages of other authors are refused/,
  );
});

test("a package runs with isolation by the operating system", async () => {
  expect((await start("package")).join()).not.toMatch(/does not isolate/);
});

test("coverage is rejected without isolation by the operating system, also for trusted code", async () => {
  process.env["PARLEY_TRUST_APPS"] = "1";
  for (const origin of ["folder", "package"] as const)
    await expect(start(origin, none, true)).rejects.toThrow(
      /Coverage can't be measured on this machine.*run without --coverage/s,
    );
});
