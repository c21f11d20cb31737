import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { world, type World } from "../world.ts";

let w: World;
beforeAll(async () => {
  w = await world();
});
afterAll(() => w.close());
test("x", async () => {
  const form = new FormData();
  form.set("file", new Blob(["hello"], { type: "text/plain" }), "Grüße.txt");
  const reply = await w.raw("POST", "/v2/files/upload", { body: form });
  const body = (await reply.json()) as { url: string };
  console.log(reply.status, body, w.lines);
  const got = await fetch(body.url);
  console.log(got.status, await got.text(), Object.fromEntries(got.headers));
  const sharp = (await import("sharp")).default;
  const png = await sharp({ create: { width: 400, height: 120, channels: 3, background: "red" } })
    .jpeg()
    .toBuffer();
  const f2 = new FormData();
  f2.set("image", new Blob([new Uint8Array(png)], { type: "image/png" }), "Grüße.png");
  const r2 = await w.raw("POST", "/v2/images/upload", { body: f2 });
  console.log(r2.status, await r2.json(), w.lines);
});
