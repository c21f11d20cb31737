import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { MessagePart } from "@parley/contract";
import type { Locator, Page } from "playwright-core";
import { ATTACKING, ATTACKS, isAttacked, SCRIPT_ADDRESSES } from "../../support/hostile-texts.ts";
import { consoleHarness, eventually, type AgentBrowser } from "../support/harness.ts";
import { fileFixture } from "../../support/file-fixture.ts";

/** Texts and addresses that would run a script if a page inserted them as HTML. */

const s = fileFixture(consoleHarness);

const text = (content: string): MessagePart => ({ text: { content } });

describe("a text with HTML", () => {
  let blank: Page;
  beforeAll(async () => {
    blank = await (await s.browser.newContext()).newPage();
  });

  test.each(Object.entries(ATTACKS))("runs a script in a page that inserts it as HTML: %s", async (_kind, attack) => {
    await blank.goto("about:blank");
    await blank.setContent(attack);
    await eventually(async () => expect(await isAttacked(blank)).toBe(true));
  });

  test.each(SCRIPT_ADDRESSES)("runs a script in a page that links to it: %j", async (address) => {
    await blank.goto("about:blank");
    await blank.setContent(`<a href="${address}">Open it</a>`);
    await blank.getByText("Open it").click();
    await eventually(async () => expect(await isAttacked(blank)).toBe(true));
  });

  describe("in the console, without the content policy that would stop its script", () => {
    let unprotected: AgentBrowser;
    let page: Page;
    let messages: Locator;
    beforeAll(async () => {
      unprotected = await s.visit(undefined, { bypassCSP: true });
      ({ page } = unprotected);
      messages = page.getByRole("region", { name: "Messages of the conversation" });
    });
    afterAll(() => unprotected.close());

    test("is shown as it was written: as a text, a name of a file, a label and a help text", async () => {
      const { id } = await s.beginConversation("Mallory", "Hello");
      await unprotected.open(`/console/conversations/${id}`);
      for (const attack of Object.values(ATTACKS)) {
        const file = { name: attack, url: "https://shop.example/file" };
        const parts: MessagePart[] = [text(attack), { file }, { url_button: { label: attack, url: file.url } }];
        await s.client.messages.createMessage({
          params: { conversation_id: id },
          body: { actor_type: "bot", message_parts: parts, reply_parts: [{ help_text: { content: attack } }] },
        });
        await eventually(async () => {
          const message = messages.getByRole("article").last();
          expect(await message.getByText(attack).count()).toBe(4);
        });
      }
      expect(await page.locator(ATTACKING).count()).toBe(0);
      expect(await isAttacked(page)).toBe(false);
    });

    test("is shown as it was written: as the name of a customer, in the list and in the conversation", async () => {
      const attack = '<img src="/none" onerror="window.isAttacked = true">';
      const { id, userId } = await s.beginConversation("Mallory", "Hello");
      await s.client.users.updateUser({ params: { user_id: userId }, body: { first_name: attack } });
      await unprotected.open(`/console/conversations/${id}`);
      await page.getByRole("heading", { name: attack, level: 2 }).waitFor();
      await page.getByRole("grid").getByText(attack).waitFor();
      expect(await page.locator(ATTACKING).count()).toBe(0);
      expect(await isAttacked(page)).toBe(false);
    });

    test("is not a link, picture, video or file if its address is a script", async () => {
      // Requests can't send them; another system, from which messages are imported, may have taken them.
      const id = await s.importMessage(
        SCRIPT_ADDRESSES.flatMap((url): readonly MessagePart[] => [
          text(`Open ${url}`),
          { url_button: { url, label: "Open it" } },
          { image: { url } },
          { file: { name: "It", url } },
          { video: { url } },
        ]),
      );
      await unprotected.open(`/console/conversations/${id}`);
      await eventually(async () => expect(await messages.getByText("may be opened").count()).toBe(9));
      for (const label of await messages.getByText("Open it").all()) await label.click();
      expect(await messages.getByRole("link").count()).toBe(0);
      expect(await messages.locator("img[src], video, source").count()).toBe(0);
      expect(await isAttacked(page)).toBe(false);
    });

    test("causes no error", () => {
      expect(unprotected.errors).toEqual([]);
    });
  });
});
