import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { MessagePart } from "@parley/contract";
import type { Locator } from "playwright-core";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** Addresses of pictures and videos that customers and apps give: the agent's browser does not request them. */

let s: ConsoleHarness;
let agent: AgentBrowser;
let thread: Locator;
/** A server on the agent's machine, and the requests that it has received. */
let server: Server;
let origin: string;
const received: string[] = [];

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

beforeAll(async () => {
  s = await consoleHarness();
  server = createServer(({ url = "" }, reply) => {
    received.push(url);
    reply.writeHead(200, { "content-type": "image/png" }).end(PIXEL);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  agent = await s.visit();
  thread = agent.page.getByRole("region", { name: "Messages of the conversation" });
});
afterAll(async () => {
  await s.stop();
  server.close();
});

/** Sends a message of a bot. -> the message in the thread that is open */
const sendParts = async (id: string, parts: readonly MessagePart[], replies: readonly MessagePart[] = []) => {
  const sent = await s.client.messages.createMessage({
    params: { conversation_id: id },
    body: { actor_type: "bot", message_parts: [...parts], reply_parts: [...replies] },
  });
  return thread.locator(`[data-key="${sent.id}"]`);
};

const text = (content: string): MessagePart => ({ text: { content } });

const cardSections = (url: string) => [
  { name: "hero_image", parts: [{ image: { url } }] },
  { name: "title", parts: [text("Chair")] },
  { name: "callback", parts: [{ callback: { payload: "chair", label: "Buy" } }] },
];

test("a message with pictures and a video of a host on this machine sends it no request: it shows text and initials, and names the host", async () => {
  const url = `${origin}/absent.png`;
  // A page without the policy of the console's pages reaches the host.
  const unprotected = await agent.context.newPage();
  await unprotected.setContent(`<img src="${url}">`);
  await eventually(() => expect(received).toEqual(["/absent.png"]));
  await unprotected.close();
  received.splice(0);
  const { id, userId } = await s.beginConversation("Bruno Broken", "Can you see it?");
  await s.client.users.updateUser({ params: { user_id: userId }, body: { avatar: { url } } });
  await agent.open(`/console/conversations/${id}`);
  await thread.getByText("Can you see it?").waitFor();
  const cards = {
    type: "carousel",
    sections: [
      { name: "carousel_title", parts: [text("Our furniture")] },
      { name: "cards", parts: [{ template_content: { type: "carousel_card_default", sections: cardSections(url) } }] },
    ],
  };
  const video = `${origin}/absent.mp4`;
  const message = await sendParts(
    id,
    [{ image: { url } }, { video: { url: video, content_type: "video/mp4" } }],
    [{ template_content: cards }],
  );
  const { host } = new URL(origin);
  await message.getByText(`This picture can’t be shown. Open the original at ${host}`).nth(1).waitFor();
  await message.getByText(`A video on another host. Open the original at ${host}`).waitFor();
  const originals = message.getByRole("link", { name: `Open the original at ${host}` });
  expect(await originals.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual([url, video, url]);
  for (const path of [`/console/conversations/${id}`, `/console/customers/${userId}`]) {
    await agent.open(path);
    await agent.page.getByRole("heading", { level: 1, name: "Bruno Broken" }).waitFor();
    await agent.page.locator('[data-initials="BB"]').first().waitFor();
    await eventually(async () => expect(await agent.page.locator("img:not([src])").count()).toBe(0));
  }
  expect(received).toEqual([]);
});

test("a message with a picture of a public host shows what the service has loaded, and no broken picture before", async () => {
  const { id } = await s.beginConversation("Petra Picture", "Please show it");
  // The service loads no picture from this machine: the response of its endpoint is given here.
  let respond = (): void => undefined;
  const responding = new Promise<void>((resolve) => (respond = resolve));
  await agent.page.route(
    /\/messages\/[^/]+\/picture\?url=https%3A%2F%2Fshop\.example%2Floaded\.png$/,
    async (route) => {
      await responding;
      await route.fulfill({ contentType: "image/png", body: PIXEL });
    },
  );
  await agent.open(`/console/conversations/${id}`);
  await thread.getByText("Please show it").waitFor();
  const message = await sendParts(id, [{ image: { url: "https://shop.example/loaded.png" } }]);
  await message.getByRole("button", { name: "Picture from Bot: show it large" }).waitFor();
  // Browsers draw a picture without an address as a broken picture.
  expect(
    await message.locator("img").evaluateAll((all) => all.map((each) => getComputedStyle(each).visibility)),
  ).toEqual(["hidden"]);
  respond();
  const image = message.getByRole("img", { name: "Picture from Bot" });
  await eventually(async () =>
    expect(await image.evaluate((shown) => (shown as HTMLImageElement).naturalWidth)).toBe(1),
  );
});

test("the content policy refuses pictures and videos of other hosts", async () => {
  const blocked = await agent.page.evaluate(
    (address) =>
      Promise.all(
        (["img", "video"] as const).map(
          (name) =>
            new Promise((resolve) => {
              const element = document.createElement(name);
              element.addEventListener("error", () => resolve(name));
              element.src = `${address}/${name}`;
            }),
        ),
      ),
    origin,
  );
  expect(blocked).toEqual(["img", "video"]);
  expect(received).toEqual([]);
});

test("the browser reported no other errors than refusals", () => {
  const isRefusal = (error: string) => error.includes("127.0.0.1") && /Content Security Policy|picture\?/.test(error);
  expect(agent.errors.filter((error) => !isRefusal(error))).toEqual([]);
});
