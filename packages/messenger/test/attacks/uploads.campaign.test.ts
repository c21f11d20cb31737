import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { LIMITS, type File, type MessengerMessage } from "@parley/contract";
import { packedPng, plainImage } from "../../../service/test/messaging/uploads/image-builder.ts";
import { openPanel } from "../support/panel.ts";
import { frameAt, startAttackedBrowser } from "./attacked-browser.ts";
import { isAttacked, PROGRAMS, RUN } from "./programs.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** Files of a visitor that would do something where they are opened: in the agent's browser, in another visitor's, or on the server. */

const s = fileFixture(startAttackedBrowser);

const SCRIPT_TYPES = [
  "text/javascript",
  "application/javascript",
  "application/x-javascript",
  "text/ecmascript",
] as const;

/** Uploads as the panel of a visitor does. */
const upload = async (name: string, type: string, content: string | Uint8Array): Promise<File> => {
  const form = new FormData();
  form.set("file", new Blob([typeof content === "string" ? content : new Uint8Array(content)], { type }), name);
  const { status, text, body } = await (await s.instance.begin()).call<File>("POST", "/files", form);
  if (status !== 201) throw new Error(`${status} ${text}`);
  return body;
};
describe("a program", () => {
  test.each(Object.entries(PROGRAMS).slice(0, 3))(
    "runs on a site that shows uploads as they are: %s",
    async (_, [name, type, content]) => {
      const careless = await s.serve("careless.localhost", { [`/${name}`]: [type, content] });
      const page = await s.visit(`${careless.origin}/${name}`);
      expect(await isAttacked(page)).toBe(true);
      await page.context().close();
    },
  );

  test.each(Object.entries(PROGRAMS))("is downloaded and not shown: %s", async (_, [name, type, content]) => {
    const { url } = await upload(name, type, content);
    const page = await s.visit("about:blank", { acceptDownloads: true });
    const [download] = await Promise.all([page.waitForEvent("download"), page.goto(url).catch(() => undefined)]);
    expect(download.suggestedFilename()).toBe(name);
    expect(page.url()).toBe("about:blank");
    await page.context().close();
  });

  test.each(Object.entries(PROGRAMS))(
    "does not run in a frame, an object or an embedded document: %s",
    async (_, [name, type, content]) => {
      const { url } = await upload(name, type, content);
      const page = await s.visit(s.panel, { bypassCSP: true });
      await page.evaluate((address) => {
        for (const [tag, attribute] of [
          ["iframe", "src"],
          ["object", "data"],
          ["embed", "src"],
          ["img", "src"],
        ] as const) {
          const element = document.createElement(tag);
          element.setAttribute(attribute, address);
          document.body.append(element);
        }
      }, url);
      await page.waitForTimeout(300);
      expect(await isAttacked(page)).toBe(false);
      await page.context().close();
    },
  );
});

describe("a script", () => {
  /** Whether the script runs in a page of the service, whose policy admits scripts of its own origin. */
  const runsInPanel = async (url: string): Promise<boolean> => {
    const page = await s.visit(s.panel);
    await page.evaluate(
      (address) =>
        new Promise((resolve) => {
          const script = Object.assign(document.createElement("script"), { src: address });
          script.onload = script.onerror = resolve;
          document.body.append(script);
        }),
      url,
    );
    const runs = await isAttacked(page);
    await page.context().close();
    return runs;
  };

  test("of the service's own runs in its pages, so that the policy alone would admit an upload", async () => {
    const page = await s.visit(s.panel);
    await page.evaluate(
      (address) =>
        new Promise((resolve) => {
          const script = Object.assign(document.createElement("script"), { src: address, onload: resolve });
          document.body.append(script);
        }),
      `${s.instance.origin}/js/widget.js`,
    );
    expect(await page.evaluate("typeof fcWidget")).toBe("object");
    await page.context().close();
  });

  test.each(SCRIPT_TYPES)("that is uploaded with the type %s does not run in a page of the service", async (type) => {
    const { url } = await upload("a.js", type, RUN);
    expect(await runsInPanel(url)).toBe(false);
  });

  test("can't become a service worker of the service's pages", async () => {
    const { url } = await upload("sw.js", "text/javascript", "onfetch = () => undefined");
    const page = await s.visit(s.panel, { bypassCSP: true });
    const outcome = await page.evaluate(
      (address) =>
        navigator.serviceWorker.register(address).then(
          () => "registered",
          (error: Error) => error.name,
        ),
      url,
    );
    expect(outcome).toBe("SecurityError");
    await page.context().close();
  });

  test("that is uploaded as a style sheet is not applied", async () => {
    const { url } = await upload("a.css", "text/css", "body { display: none }");
    const page = await s.visit(s.panel);
    await page.evaluate(
      (href) =>
        new Promise((resolve) => {
          const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
          link.onload = link.onerror = resolve;
          document.head.append(link);
        }),
      url,
    );
    expect(await page.evaluate("getComputedStyle(document.body).display")).toBe("block");
    await page.context().close();
  });
});

describe("a video", () => {
  /** Sends an upload as a video. -> the status, and the stored video */
  const send = async (url: string) => {
    const visitor = await s.instance.begin();
    const { id } = await visitor.write("A video follows");
    const message = { message_parts: [{ video: { url, content_type: "video/mp4" } }] };
    const { status, body } = await visitor.call<Partial<MessengerMessage>>(
      "POST",
      `/conversations/${id}/messages`,
      message,
    );
    return { status, video: body.message_parts?.[0]?.video };
  };
  /** Begins like an MP4, and is HTML and a script, too. */
  const POLYGLOT = Buffer.concat([
    Buffer.from([0, 0, 0, 32]),
    Buffer.from(`ftypisom=1;/*<!doctype html><script>${RUN}</script>*/${RUN}`),
  ]);
  const CASES = [
    ["HTML with a video's name and type", "a.mp4", "video/mp4", PROGRAMS.HTML[2]],
    ["a file that is a video, HTML and a script", "b.mp4", "video/mp4", POLYGLOT],
    ["SVG with a video's name and type", "c.webm", "video/webm", PROGRAMS.SVG[2]],
  ] as const;

  test.each(CASES)("runs on a site that shows uploads by their content: %s", async (_, name, _type, content) => {
    const careless = await s.serve("careless-video.localhost", {
      [`/${name}`]: [name.startsWith("c") ? "image/svg+xml" : "text/html", content.toString()],
    });
    const page = await s.visit(`${careless.origin}/${name}`);
    expect(await isAttacked(page)).toBe(true);
    await page.context().close();
  });

  test.each(CASES)(
    "is downloaded, runs in no element, and its player shows nothing: %s",
    async (_, name, type, content) => {
      const { url } = await upload(name, type, content);
      const { status, video } = await send(url);
      expect([status, video?.content_type]).toEqual([200, type]);
      const page = await s.visit(s.panel, { bypassCSP: true, acceptDownloads: true });
      const failed = await page.evaluate(
        (address) =>
          new Promise<string>((resolve) => {
            for (const [tag, attribute] of [
              ["iframe", "src"],
              ["object", "data"],
              ["embed", "src"],
              ["script", "src"],
            ] as const) {
              const element = document.createElement(tag);
              element.setAttribute(attribute, address);
              document.body.append(element);
            }
            const player = Object.assign(document.createElement("video"), { src: address });
            player.onerror = () => resolve("not played");
            player.onloadedmetadata = () => resolve("played");
            document.body.append(player);
          }),
        video?.url ?? "",
      );
      expect([failed, await isAttacked(page)]).toEqual(["not played", false]);
      await page.context().close();
      const opened = await s.visit("about:blank", { acceptDownloads: true });
      const [download] = await Promise.all([
        opened.waitForEvent("download"),
        opened.goto(video?.url ?? "").catch(() => undefined),
      ]);
      expect([download.suggestedFilename(), opened.url()]).toEqual([name, "about:blank"]);
      await opened.context().close();
    },
  );

  test.each([
    ["SVG", "a.mp4", "image/svg+xml", PROGRAMS.SVG[2]],
    ["HTML", "a.mp4", "text/html", PROGRAMS.HTML[2]],
    ["a script", "a.mp4", "text/javascript", RUN],
    ["a playlist, which would name further addresses", "a.m3u8", "application/vnd.apple.mpegurl", "#EXTM3U"],
    ["a type that begins like a video's", "a.mp4", "video/mp4x", "x"],
  ])("can't be sent of an upload with the type of %s", async (_, name, type, content) => {
    const { url } = await upload(name, type, content);
    expect((await send(url)).status).toBe(400);
    expect((await send(url.replace(`type=${encodeURIComponent(type)}`, "type=video%2Fmp4"))).status).toBe(400);
  });
});

describe("a bomb", () => {
  const picture = async (content: Uint8Array) => {
    const form = new FormData();
    form.set("image", new Blob([new Uint8Array(content)], { type: "image/png" }), "a.png");
    return (await s.instance.begin()).call("POST", "/images", form);
  };

  test("of many pixels in a few bytes is refused, and the service answers meanwhile; a small picture is stored", async () => {
    const bombs = Promise.all(Array.from({ length: 10 }, () => picture(packedPng(30_000, 30_000, 1))));
    const visitor = await s.instance.begin();
    await visitor.write("Is anybody there?");
    for (const { body } of await bombs) expect(body).toMatchObject({ code: 400, status: "IMAGE_TOO_LARGE" });
    expect((await picture(await plainImage("png"))).status).toBe(201);
  });

  test("of zeros that are compressed is stored with its compressed bytes and never unpacked", async () => {
    const packed = gzipSync(Buffer.alloc(50_000_000));
    expect(await upload("zeros.gz", "application/gzip", packed)).toMatchObject({ file_size: packed.length });
  });

  test("that is compressed on the way is refused", async () => {
    const { token } = await s.instance.begin();
    const packed = gzipSync(Buffer.alloc(50_000_000));
    const response = await fetch(`${s.instance.origin}/messenger/api/files`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "multipart/form-data; boundary=x",
        "content-encoding": "gzip",
      },
      body: packed,
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
  });

  test("of more bytes than the limit is refused", async () => {
    await expect(upload("large.bin", "application/octet-stream", Buffer.alloc(LIMITS.file_bytes + 1))).rejects.toThrow(
      "413",
    );
  });
});

test("a visitor who sends a program by the panel gets a link that downloads it, with a name that shows its ending", async () => {
  const page = await s.visit(s.shop.origin);
  await page.evaluate("fcWidget.init({}), undefined");
  const panel = await openPanel(page);
  await panel.getByRole("button", { name: /^Inbox/ }).click();
  await (await frameAt(page, s.panel)).locator("input[type=file]").setInputFiles({
    name: "photo\u202egpj.html",
    mimeType: "text/html",
    buffer: Buffer.from(PROGRAMS.HTML[2]),
  });
  const link = panel.getByRole("link", { name: /photogpj\.html/ });
  await link.waitFor();
  expect(await link.getAttribute("href")).toContain(s.instance.origin);
  expect(await isAttacked(page)).toBe(false);
  await page.context().close();
});
