import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { MessagePart, MessagePartKey } from "@parley/contract";
import type { Locator } from "playwright-core";
import { RECORD_VIDEO } from "../../../packages/messenger/test/support/parts.ts";
import {
  consoleHarness,
  eventually,
  type AgentBrowser,
  type ConsoleHarness,
  type CustomerConversation,
} from "../support/harness.ts";

/** Each kind of content in the thread of a conversation, and content that attacks the page. */

let s: ConsoleHarness;
let agent: AgentBrowser;
let thread: Locator;
let picture: string;

let film: string;

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

beforeAll(async () => {
  s = await consoleHarness();
  const pixel = { name: "pixel.png", content_type: "image/png", content: PIXEL };
  picture = (await s.client.images.uploadImage({ upload: pixel })).url;
  agent = await s.visit();
  const content = Buffer.from(await agent.page.evaluate<number[]>(RECORD_VIDEO));
  film = (await s.client.files.uploadFile({ upload: { name: "film.webm", content_type: "video/webm", content } })).url;
  thread = agent.page.getByRole("region", { name: "Messages of the conversation" });
});
afterAll(() => s.stop());

/** Sends a message of a bot. -> the message in the thread that is open */
const sendParts = async (id: string, parts: readonly MessagePart[], replies: readonly MessagePart[] = []) => {
  const sent = await s.client.messages.createMessage({
    params: { conversation_id: id },
    body: { actor_type: "bot", message_parts: [...parts], reply_parts: [...replies] },
  });
  return thread.locator(`[data-key="${sent.id}"]`);
};

const newestMessage = () => thread.getByRole("article").last();

const text = (content: string): MessagePart => ({ text: { content } });

describe("a message", () => {
  const card = (title: string): MessagePart => ({
    template_content: {
      type: "carousel_card_default",
      sections: [
        { name: "hero_image", parts: [{ image: { url: picture } }] },
        { name: "title", parts: [text(title)] },
        { name: "description", parts: [text(`${title} of oak`)] },
        { name: "callback", parts: [{ callback: { payload: title, label: `Buy ${title}` } }] },
        { name: "view", parts: [{ url_button: { url: "https://shop.example/view", label: `View ${title}` } }] },
      ],
    },
  });

  let shown: Promise<CustomerConversation> | undefined;
  /** A conversation that is open in the browser. */
  const shownConversation = () =>
    (shown ??= (async () => {
      const begun = await s.beginConversation("Petra Parts", "Please show it");
      await agent.open(`/console/conversations/${begun.id}`);
      await thread.getByText("Please show it").waitFor();
      return begun;
    })());

  interface PartCase {
    readonly parts?: () => readonly MessagePart[];
    readonly replies?: () => readonly MessagePart[];
    readonly shows: (message: Locator) => Promise<unknown>;
  }

  const isVisible = (message: Locator, content: string) => message.getByText(content, { exact: true }).waitFor();

  /** Kinds that requests can contain; the others are read from imported messages. */
  const KINDS: Readonly<
    Record<Exclude<MessagePartKey, "attachment_input" | "reference" | "text_input" | "callback">, PartCase>
  > = {
    text: { parts: () => [text("Two\nlines")], shows: (message) => isVisible(message, "Two\nlines") },
    image: {
      parts: () => [{ image: { url: picture } }],
      async shows(message) {
        const image = message.getByRole("img", { name: "Picture from Bot" });
        await eventually(async () =>
          expect(await image.evaluate((shown) => (shown as HTMLImageElement).naturalWidth)).toBe(1),
        );
        await message.getByRole("button", { name: "Picture from Bot: show it large" }).click();
        const dialog = agent.page.getByRole("dialog", { name: "Picture from Bot" });
        const original = await dialog.getByRole("link", { name: "Open the original" }).getAttribute("href");
        expect(new URL(original ?? "").pathname).toBe(new URL(picture).pathname);
        await agent.page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
      },
    },
    video: {
      parts: () => [{ video: { url: film, content_type: "video/webm" } }],
      async shows(message) {
        const video = message.getByLabel("Video from Bot");
        await video.waitFor();
        const source = await video.getAttribute("src");
        expect(new URL(source ?? "").pathname).toBe(new URL(film).pathname);
        await eventually(async () =>
          expect(await video.evaluate((shown) => (shown as HTMLVideoElement).videoWidth)).toBe(32),
        );
        expect(await video.evaluate((shown) => (shown as HTMLVideoElement).controls)).toBe(true);
      },
    },
    file: {
      parts: () => [
        {
          file: {
            name: "Invoice 7.pdf",
            url: "https://shop.example/invoice.pdf",
            content_type: "application/pdf",
            file_size_in_bytes: 2_048,
          },
        },
      ],
      async shows(message) {
        await isVisible(message, "Invoice 7.pdf");
        await message.getByText("shop.example, application/pdf, 2 kB").waitFor();
        const download = message.getByRole("link", { name: "Download Invoice 7.pdf from shop.example" });
        expect(await download.getAttribute("href")).toBe("https://shop.example/invoice.pdf");
      },
    },
    collection: {
      parts: () => [
        {
          collection: {
            sub_parts: [
              { url_button: { url: "https://shop.example/one", label: "First shop" } },
              { url_button: { url: "https://shop.example/two", label: "Second shop" } },
            ],
          },
        },
      ],
      async shows(message) {
        await message.getByRole("link", { name: "First shop" }).waitFor();
        await message.getByRole("link", { name: "Second shop" }).waitFor();
      },
    },
    url_button: {
      parts: () => [{ url_button: { url: "https://shop.example/track", label: "Track the parcel" } }],
      async shows(message) {
        const link = message.getByRole("link", { name: "Track the parcel" });
        expect([await link.getAttribute("href"), await link.getAttribute("rel")]).toEqual([
          "https://shop.example/track",
          "noopener noreferrer",
        ]);
      },
    },
    quick_reply_button: {
      replies: () => [
        {
          collection: {
            sub_parts: [{ quick_reply_button: { label: "Yes" } }, { quick_reply_button: { label: "No" } }],
          },
        },
      ],
      async shows(message) {
        await message.getByText("The customer can choose:").waitFor();
        for (const label of ["Yes", "No"]) await isVisible(message, label);
        // The choice is the customer's: an agent can't press it.
        expect(await message.getByRole("button").count()).toBe(0);
      },
    },
    template_content: {
      replies: () => [
        {
          template_content: {
            type: "carousel",
            sections: [
              { name: "carousel_title", parts: [text("Our furniture")] },
              { name: "cards", parts: [card("Chair"), card("Table")] },
            ],
          },
        },
      ],
      async shows(message) {
        const cards = message.getByRole("list", { name: "Our furniture" }).getByRole("listitem");
        await cards.first().waitFor();
        expect(await cards.count()).toBe(2);
        for (const shown of ["Table", "Table of oak", "Buy Table"]) await isVisible(cards.last(), shown);
        await cards.last().getByRole("link", { name: "View Table" }).waitFor();
        expect(await cards.locator("img").count()).toBe(2);
      },
    },
    help_text: {
      replies: () => [{ help_text: { content: "Choose the nearest shop" } }],
      shows: (message) => message.getByText("Choose the nearest shop").waitFor(),
    },
  };

  test.each(Object.entries(KINDS))("that has the part %s appears with its content", async (kind, each) => {
    const { id } = await shownConversation();
    const message = await sendParts(id, each.parts?.() ?? [text(`This is ${kind}`)], each.replies?.());
    await message.waitFor();
    await each.shows(message);
  });

  test("that has a dropdown shows its options when it is opened", async () => {
    const { id } = await shownConversation();
    const labels = ["Monday", "Tuesday"];
    const options = labels.map((label): MessagePart => ({ quick_reply_button: { label } }));
    const dropdown = { type: "quick_reply_dropdown", sections: [{ name: "options", parts: options }] };
    const message = await sendParts(id, [text("Which day?")], [{ template_content: dropdown }]);
    await message.getByText("One of 2 choices").click();
    for (const label of labels) await isVisible(message, label);
  });

  test("that was imported with parts of responses shows what the customer is asked for", async () => {
    const parts: MessagePart[] = [
      { attachment_input: { label: "A photo of the damage" } },
      { text_input: { label: "The order number" } },
      { reference: { label: "Order 7" } },
    ];
    await agent.open(`/console/conversations/${await s.importMessage(parts)}`);
    await newestMessage().getByText("The customer is asked for a file A photo of the damage").waitFor();
    await newestMessage().getByText("The customer is asked for a text The order number").waitFor();
    await newestMessage().getByText("Reference Order 7").waitFor();
  });
});

test("addresses in a text are links that open in a new tab without access to the page; others are text", async () => {
  const { id } = await s.beginConversation(
    "Links",
    "See https://shop.example/a?b=1. Or www.shop.example, help@shop.example, tel:+4912345, javascript:alert(1) data:text/html,x",
  );
  await agent.open(`/console/conversations/${id}`);
  await newestMessage().getByRole("link").first().waitFor();
  const links = await newestMessage()
    .getByRole("link")
    .evaluateAll((all) => all.map((link) => ["href", "rel", "target"].map((name) => link.getAttribute(name))));
  const safe = (href: string) => [href, "noopener noreferrer", "_blank"];
  expect(links).toEqual(
    ["https://shop.example/a?b=1", "https://www.shop.example/", "mailto:help@shop.example", "tel:+4912345"].map(safe),
  );
});

test.each([
  ["narrow", 400],
  ["wide", 1_440],
])("a long name without a break stays within the thread of a %s window", async (_, width) => {
  const name = "W".repeat(60);
  const { id } = await s.beginConversation(name, "Hello");
  await agent.open(`/console/conversations/${id}`);
  await s.client.messages.createMessage({
    params: { conversation_id: id },
    body: { actor_type: "system", message_parts: [{ text: { content: `${name} was here` } }] },
  });
  await thread.getByText(`${name} was here`).waitFor();
  await agent.page.setViewportSize({ width, height: 900 });
  await thread.getByRole("article").first().waitFor();
  const beyond = () =>
    thread.evaluate((area) => {
      const { right } = area.getBoundingClientRect();
      const range = document.createRange();
      return [...area.querySelectorAll("*")].flatMap((element) => {
        range.selectNodeContents(element);
        return range.getBoundingClientRect().right > right ? [element.outerHTML] : [];
      });
    });
  await eventually(async () => expect(await beyond()).toEqual([]));
  await agent.page.setViewportSize({ width: 1_440, height: 900 });
});

test("the browser reported no errors", () => {
  expect(agent.errors).toEqual([]);
});
