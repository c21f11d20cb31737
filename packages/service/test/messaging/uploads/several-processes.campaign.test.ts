import { mkdir, mkdtemp, readFile, rm, utimes } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { File } from "@parley/contract";
import { serviceProcess, type ServiceProcess } from "../../service-process.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { clientForm, filePart, FORM_TYPE, formOf, objectsIn } from "./upload-form-builder.ts";
import { plainImage } from "./image-builder.ts";

let w: ServiceHarness;
const others: ServiceProcess[] = [];
beforeAll(async () => {
  w = await serviceHarness();
});
afterAll(async () => {
  await Promise.all(others.map((other) => other.kill()));
  await w.close();
});
const other = async () => {
  const started = await serviceProcess(w.database, w.objectsFolder);
  others.push(started);
  return started;
};

const upload = async ({ url, token }: { url: string; token: string }, content: string) => {
  const body = clientForm("file", content, "text/plain", "a.txt");
  const headers = { authorization: `Bearer ${token}` };
  return (await (await fetch(`${url}/v2/files/upload`, { method: "POST", headers, body })).json()) as File;
};

/** Sends a form with a file of the given size in megabytes. -> the status of the response */
const uploadLarge = ({ url, token }: { url: string; token: string }, megabytes: number): Promise<number> => {
  const megabyte = Buffer.alloc(1_048_576, "x");
  const [head, tail] = [formOf([filePart("")], "").subarray(0, -2), formOf([]).subarray(0)];
  function* body() {
    yield head;
    for (let count = 0; count < megabytes; count += 1) yield megabyte;
    yield Buffer.concat([Buffer.from("\r\n"), tail]);
  }
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": FORM_TYPE };
    const sent = request(`${url}/v2/files/upload`, { method: "POST", headers }, (reply) => {
      reply.resume();
      reply.on("end", () => resolve(reply.statusCode ?? 0));
    });
    sent.on("error", reject);
    Readable.from(body()).pipe(sent);
  });
};

test("every process serves every object, by URLs that any of them signed", async () => {
  const second = await other();
  const [mine, theirs] = [await upload(w, "mine"), await upload(second, "theirs")];
  const text = async (url: string, { url: at }: { url: string }) =>
    (await fetch(at + new URL(url).pathname + new URL(url).search)).text();
  expect(await text(mine.url, second)).toBe("mine");
  expect(await text(theirs.url, w)).toBe("theirs");
});

test("a process that is killed during an upload leaves no object, and the next start works", async () => {
  const before = await objectsIn(w.objectsFolder);
  const second = await other();
  const headers = { authorization: `Bearer ${second.token}`, "content-type": FORM_TYPE, "content-length": "9000000" };
  const sent = request(`${second.url}/v2/files/upload`, { method: "POST", headers });
  sent.on("error", () => undefined);
  sent.write(formOf([filePart("x".repeat(1_000_000))], ""));
  const left = async () => (await objectsIn(w.objectsFolder)).filter((name) => !before.includes(name));
  for (let count = 0; count < 200 && (await left()).length === 0; count += 1) await setTimeout(25);
  await second.kill();
  sent.destroy();
  // An incomplete file is not an object: it has no key.
  expect((await left()).length).toBeGreaterThan(0);
  expect((await left()).every((name) => name.startsWith(".arriving-"))).toBe(true);
  const third = await other();
  expect((await upload(third, "after")).file_size).toBe(5);
});

test("a start removes incomplete files that are older than a day, and no newer files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-sweep-"));
  const [old, young] = [join(folder, ".arriving-old"), join(folder, ".arriving-young")];
  for (const each of [old, young]) await mkdir(each);
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  await utimes(old, yesterday, yesterday);
  const started = await serviceHarness({ database: w.database, objectsFolder: folder });
  expect(await objectsIn(folder)).toEqual([".arriving-young"]);
  await started.close();
  await rm(folder, { recursive: true });
});

test("the memory for many large concurrent uploads does not grow with their total size", async () => {
  const second = others.at(-1) ?? (await other());
  const status = async () => readFile(`/proc/${second.pid}/status`, "utf8").catch(() => "");
  /** Peak memory of the process. @units megabytes */
  const peakMegabytes = async () => Number(/VmHWM:\s+(\d+)/.exec(await status())?.[1]) / 1024;
  await uploadLarge(second, 1);
  const before = await peakMegabytes();
  const codes = await Promise.all(Array.from({ length: 16 }, () => uploadLarge(second, 20)));
  expect(codes).toEqual(codes.map(() => 201));
  // 320 MB were sent. Without /proc the memory is unknown.
  if (!Number.isNaN(before)) expect((await peakMegabytes()) - before).toBeLessThan(160);
});

test("many concurrent images are all processed, a few at a time", async () => {
  const png = await plainImage("png", 800, 600);
  const codes = await Promise.all(
    Array.from({ length: 24 }, async () => {
      const body = clientForm("image", png, "image/png", "a.png");
      return (await w.raw("POST", "/v2/images/upload", { body })).status;
    }),
  );
  expect(codes).toEqual(codes.map(() => 201));
});
