import { describe, expect, test } from "@jest/globals";
import { LIMITS, type Image } from "@parley/contract";
import sharp from "sharp";
import type { ImageFormat } from "../../../src/messaging/uploads/image-processing.ts";
import { serviceHarness } from "../../service-harness.ts";
import { clientForm, objectsIn } from "./upload-form-builder.ts";
import { METADATA_CANARY, gifWithFrames, packedPng, plainImage, imageWithMetadata } from "./image-builder.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const w = fileFixture(serviceHarness);

type UploadResponse = Image & { readonly status: string; readonly message: string };
const upload = async (content: string | Uint8Array, type = "image/png", name = "a.png") => {
  const reply = await w.raw("POST", "/v2/images/upload", { body: clientForm("image", content, type, name) });
  return { code: reply.status, image: (await reply.json()) as UploadResponse };
};
const bytesAt = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());

const FORMATS: ImageFormat[] = ["png", "jpeg", "gif", "webp"];

describe("POST /images/upload", () => {
  test.each(FORMATS)("POST /images/upload 201: stores an image of format %s, and a thumbnail of it", async (format) => {
    const { code, image } = await upload(await plainImage(format, 640, 480), `image/${format}`, "cat.png");
    expect(code).toBe(201);
    expect(image).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      content_type: `image/${format}`,
      width: 640,
      height: 480,
      name: `${image.id}.${format}`,
      url: expect.stringContaining(`${w.url}/objects/uploads/`) as unknown,
      thumbnail: {
        url: expect.stringContaining(`${w.url}/objects/uploads/`) as unknown,
        content_type: `image/${format}`,
        width: 320,
        height: 240,
      },
    });
    for (const { url, width, height } of [image, image.thumbnail]) {
      const reply = await fetch(url);
      expect(reply.headers.get("content-type")).toBe(`image/${format}`);
      expect(reply.headers.get("content-disposition")).toBe("inline");
      expect(await sharp(Buffer.from(await reply.arrayBuffer())).metadata()).toMatchObject({ format, width, height });
    }
  });

  test.each(FORMATS)("removes all metadata of an image of format %s", async (format) => {
    const original = await imageWithMetadata(format);
    expect(original.includes(METADATA_CANARY)).toBe(true);
    const { code, image } = await upload(original, `image/${format}`);
    expect(code).toBe(201);
    for (const { url } of [image, image.thumbnail]) {
      const stored = await bytesAt(url);
      expect(stored.includes(METADATA_CANARY)).toBe(false);
      const { exif, xmp, icc, iptc, comments } = await sharp(stored).metadata();
      expect({ exif, xmp, icc, iptc, comments }).toEqual({});
    }
  });

  test.each([2, 3, 6, 8])("rotates an image with EXIF orientation %i upright", async (orientation) => {
    // Its left half is black, its right half white.
    const left = await sharp({ create: { width: 50, height: 80, channels: 3, background: "black" } })
      .png()
      .toBuffer();
    const lying = sharp({ create: { width: 100, height: 80, channels: 3, background: "white" } }).composite([
      { input: left, left: 0, top: 0 },
    ]);
    const sent = await lying.withMetadata({ orientation }).jpeg().toBuffer();
    const upright = await sharp(sent).autoOrient().raw().toBuffer({ resolveWithObject: true });
    const { image } = await upload(sent, "image/jpeg");
    expect([image.width, image.height]).toEqual([upright.info.width, upright.info.height]);
    const stored = await sharp(await bytesAt(image.url))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([stored.info.width, stored.info.height]).toEqual([image.width, image.height]);
    for (const at of [0, upright.data.length - 3])
      expect(Math.abs((stored.data[at] ?? 0) - (upright.data[at] ?? 0))).toBeLessThan(16);
    expect(image.thumbnail).toMatchObject({ width: image.width, height: image.height });
  });

  test("keeps the colours of an image whose profile it removes", async () => {
    const wide = await sharp({ create: { width: 8, height: 8, channels: 3, background: { r: 60, g: 160, b: 90 } } })
      .withIccProfile("p3")
      .png()
      .toBuffer();
    const seen = await sharp(wide).raw().toBuffer();
    const { image } = await upload(wide);
    const stored = await sharp(await bytesAt(image.url))
      .raw()
      .toBuffer();
    for (const channel of [0, 1, 2]) expect(Math.abs((stored[channel] ?? 0) - (seen[channel] ?? 0))).toBeLessThan(3);
  });

  test("keeps an animation, with a thumbnail of its first frame", async () => {
    for (const [format, sent] of [
      ["gif", gifWithFrames(40, 40, 3)],
      [
        "webp",
        await sharp(await colourful(), { animated: true })
          .webp()
          .toBuffer(),
      ],
    ] as const) {
      const { code, image } = await upload(sent, `image/${format}`);
      expect([code, image.width, image.height]).toEqual([201, 40, 40]);
      expect((await sharp(await bytesAt(image.url)).metadata()).format).toBe(format);
      expect((await sharp(await bytesAt(image.thumbnail.url)).metadata()).pages ?? 1).toBe(1);
    }
  });

  const mark = async (colour: string) =>
    sharp({ create: { width: 40, height: 40, channels: 3, background: colour } })
      .png()
      .toBuffer();
  const colourful = async () =>
    sharp([await mark("red"), await mark("green"), await mark("blue")], { join: { animated: true } })
      .gif()
      .toBuffer();

  test("keeps every frame of an animation", async () => {
    const { image } = await upload(await colourful(), "image/gif");
    expect((await sharp(await bytesAt(image.url)).metadata()).pages).toBe(3);
  });

  test.each([
    ["1 by 1", 1, 1, 1, 1],
    ["smaller than a thumbnail", 320, 10, 320, 10],
    ["just larger", 321, 10, 320, 10],
    ["a thread", 1, 5_000, 1, 320],
    ["a line", 5_000, 2, 320, 1],
  ])("creates a thumbnail of an image %s", async (_, width, height, thumbWidth, thumbHeight) => {
    const { code, image } = await upload(await plainImage("png", width, height));
    expect(code).toBe(201);
    expect([image.width, image.height]).toEqual([width, height]);
    expect([image.thumbnail.width, image.thumbnail.height]).toEqual([thumbWidth, thumbHeight]);
  });

  test("determines the format by the content", async () => {
    const png = await plainImage("png");
    for (const [type, name] of [
      ["image/jpeg", "a.jpg"],
      ["application/octet-stream", "a.exe"],
      ["image/svg+xml", "a.svg"],
    ] as const) {
      const { code, image } = await upload(png, type, name);
      expect([code, image.content_type]).toEqual([201, "image/png"]);
    }
  });

  const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>`;
  const NO_IMAGES: [string, () => Promise<string | Uint8Array> | string, string?][] = [
    ["a text", () => "hello"],
    ["no byte", () => ""],
    ["a drawing", () => SVG, "image/svg+xml"],
    ["a drawing said to be a PNG", () => SVG],
    ["a page", () => "<html><script>alert(1)</script></html>", "image/gif"],
    ["only the beginning of a PNG", async () => (await plainImage("png")).subarray(0, 20)],
    ["half a JPEG", async () => halfOf(await sharp(noise(200, 200), { raw: RAW }).jpeg().toBuffer()), "image/jpeg"],
    ["half a WebP", async () => halfOf(await sharp(noise(200, 200), { raw: RAW }).webp().toBuffer()), "image/webp"],
    ["a PNG without its pixels", async () => packedPng(100, 100, 0)],
    ["a PNG as large as can be said", async () => packedPng(0x7fffffff, 0x7fffffff, 0)],
    ["signs of a GIF and nothing more", () => "GIF89a", "image/gif"],
    ["signs of a GIF and a script", () => "GIF89a=1;alert(1)//", "image/gif"],
    [
      "another kind of image",
      async () =>
        sharp(await plainImage("png"))
          .tiff()
          .toBuffer(),
      "image/tiff",
    ],
    [
      "a HEIF",
      async () =>
        sharp(await plainImage("png"))
          .avif({ effort: 0 })
          .toBuffer(),
      "image/avif",
    ],
    ["an image said to be a text", async () => plainImage("png"), "text/plain"],
    ["an image said to be a page", async () => plainImage("png"), "text/html"],
  ];
  const RAW = { width: 200, height: 200, channels: 3 as const };
  const noise = (width: number, height: number) =>
    Buffer.from(
      Array.from({ length: width * height * 3 }, (_, index) => (index * 7_919 + (index >> 3) * 104_729) & 255),
    );
  const halfOf = (complete: Buffer) => complete.subarray(0, complete.length / 2);

  test.each(NO_IMAGES)("POST /images/upload 400 NOT_AN_IMAGE: %s", async (_, content, type = "image/png") => {
    const before = await objectsIn(w.objectsFolder);
    const { code, image } = await upload(await content(), type);
    expect([code, image.status]).toEqual([400, "NOT_AN_IMAGE"]);
    expect(image.message).toMatch(/^The part 'image'/);
    expect(await objectsIn(w.objectsFolder)).toEqual(before);
    expect(w.logLines).toEqual([]);
  });

  const PIXELS = LIMITS.image_pixels;
  test.each([
    ["one row too many", () => packedPng(10_000, PIXELS / 10_000 + 1)],
    ["a bomb of four thousand million", () => packedPng(65_500, 65_500, 10)],
    ["frames that are small alone", () => gifWithFrames(2_040, 2_040, 13)],
  ])("POST /images/upload 400 IMAGE_TOO_LARGE: %s", async (_, content) => {
    const { code, image } = await upload(content());
    expect([code, image.status]).toEqual([400, "IMAGE_TOO_LARGE"]);
    expect(w.logLines).toEqual([]);
  });

  test("accepts an image with exactly the maximum of pixels, and serves other requests meanwhile", async () => {
    const large = upload(packedPng(10_000, PIXELS / 10_000));
    let done = false;
    void large.finally(() => (done = true));
    let served = 0;
    for (; !done; served += 1) await w.raw("GET", "/v2/roles");
    expect((await large).code).toBe(201);
    expect(served).toBeGreaterThan(1);
  });
});
