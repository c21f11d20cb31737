import { describe, expect, test } from "@jest/globals";
import { callsOf, messageField, waitForFocus, withState } from "./sample-page-harness.ts";

describe("the field for the message", () => {
  test("has the focus, sends by Enter, and is empty then", () =>
    withState("thread", async (page) => {
      await waitForFocus(page, ".messageField");
      await page.keyboard.type("First line");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("second line");
      await page.keyboard.press("Enter");
      expect(await callsOf(page, "send")).toEqual([["c1", { text: "First line\nsecond line" }]]);
      expect(await messageField(page).inputValue()).toBe("");
      await waitForFocus(page, ".messageField");
      await page.getByText("First line").waitFor();
    }));

  test("sends nothing without a visible character", () =>
    withState("thread", async (page) => {
      await messageField(page).fill("  \n ");
      await page.keyboard.press("Enter");
      expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
      expect(await callsOf(page, "send")).toEqual([]);
    }));

  test("does not send while an input method composes a word", () =>
    withState("thread", async (page) => {
      await messageField(page).fill("にほん");
      await messageField(page).dispatchEvent("keydown", { key: "Enter", isComposing: true, bubbles: true });
      await messageField(page).dispatchEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true });
      expect(await callsOf(page, "send")).toEqual([]);
    }));

  test("takes a text that the site's page puts into it", () =>
    withState("thread", async (page) => {
      await page.evaluate(() => window.sample.setThread({ draft: "About order 4711" }));
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "About order 4711");
    }));

  test("has letters of 16 pixels, so that phones don't enlarge the page", () =>
    withState("thread-closed", async (page) => {
      const sizes = await page
        .locator("input:not([type=file]), textarea, select")
        .evaluateAll((elements) => elements.map((element) => Number.parseFloat(getComputedStyle(element).fontSize)));
      expect(sizes.length).toBe(2);
      for (const size of sizes) expect(size).toBeGreaterThanOrEqual(16);
    }));
});

describe("files", () => {
  const file = { name: "bell.png", mimeType: "image/png", buffer: Buffer.from("x") };

  test("are attached by the button", () =>
    withState("thread", async (page) => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Attach files" }).click();
      await (await chooser).setFiles([file, { ...file, name: "frame.png" }]);
      expect(await callsOf(page, "attach")).toEqual([["c1", ["bell.png", "frame.png"]]]);
    }));

  const transfer = () => {
    const data = new DataTransfer();
    data.items.add(new File(["x"], "bell.png", { type: "image/png" }));
    return data;
  };

  test("are attached by dropping them on the thread", () =>
    withState("thread", async (page) => {
      const dataTransfer = await page.evaluateHandle(transfer);
      await page.locator(".scroller").dispatchEvent("dragover", { dataTransfer });
      await page.getByText("Drop files to send them").waitFor();
      await page.locator(".scroller").dispatchEvent("drop", { dataTransfer });
      expect(await callsOf(page, "attach")).toEqual([["c1", ["bell.png"]]]);
      expect(await page.getByText("Drop files to send them").count()).toBe(0);
    }));

  test("are attached by pasting them", () =>
    withState("thread", async (page) => {
      const clipboardData = await page.evaluateHandle(transfer);
      await messageField(page).evaluate(
        (element, data) => element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true })),
        clipboardData,
      );
      expect(await callsOf(page, "attach")).toEqual([["c1", ["bell.png"]]]);
    }));

  test("can be cancelled while they are uploaded, and failed messages can be sent again", () =>
    withState("thread-outgoing", async (page) => {
      await page.getByRole("button", { name: "Cancel the upload of Invoice 4711.pdf" }).click();
      await page.getByRole("button", { name: "Send again" }).click();
      for (const remove of (await page.getByRole("button", { name: "Remove" }).all()).reverse()) await remove.click();
      expect((await callsOf(page, "discard")).length).toBe(3);
      expect((await callsOf(page, "retry")).length).toBe(1);
      expect(await page.getByText("This one did not arrive").count()).toBe(0);
    }));
});

describe("response enablers", () => {
  test("a quick reply answers its message with its own text, the buttons disappear, and the field has the focus", () =>
    withState("thread-enablers", async (page) => {
      await page.getByRole("button", { name: "Where is my order?" }).click();
      const [[key, message] = []] = await callsOf(page, "send");
      expect([key, message]).toEqual([
        "c1",
        { parts: [{ text: { content: "Tell me where my order is" } }], inReplyTo: expect.stringMatching(/^m\d+$/) },
      ]);
      await page.getByRole("button", { name: "Where is my order?" }).waitFor({ state: "detached" });
      expect(await page.getByRole("button", { name: /Choose/ }).count()).toBe(0);
      await waitForFocus(page, ".messageField");
    }));

  test("a list answers by its button and not by the choice alone", () =>
    withState("thread-enablers", async (page) => {
      await page.getByRole("combobox", { name: "Choose an option" }).selectOption("Rome");
      expect(await callsOf(page, "send")).toEqual([]);
      await page.locator(".dropdown button").click();
      expect(await callsOf(page, "send")).toMatchObject([["c1", { parts: [{ text: { content: "Rome" } }] }]]);
    }));

  test("a card answers with the label of its button", () =>
    withState("thread-enablers", async (page) => {
      await page.getByRole("button", { name: "Choose City" }).click();
      expect(await callsOf(page, "send")).toMatchObject([["c1", { parts: [{ text: { content: "Choose City" } }] }]]);
    }));
});

describe("a rating", () => {
  test("of a resolved issue needs stars and sends them with the comment", () =>
    withState("thread-rating", async (page) => {
      expect(await callsOf(page, "ratingShown")).toEqual([["c1"]]);
      await page.getByRole("button", { name: "Yes" }).click();
      await page.locator(".rating").getByRole("button", { name: "Send" }).click();
      await page.getByText("Choose one to five stars.").waitFor();
      await page.getByRole("radio", { name: "3 of 5 stars" }).focus();
      await page.keyboard.press("ArrowRight");
      await page.getByRole("textbox", { name: "Comment (optional)" }).fill("Quick help");
      await page.locator(".rating").getByRole("button", { name: "Send" }).click();
      await page.getByText("Thank you for your answer.").waitFor();
      const rating = { issue_resolved: true, rating: 4, additional_feedback: "Quick help" };
      expect(await callsOf(page, "rate")).toEqual([["c1", rating]]);
    }));

  test("of an issue that is not resolved can continue the conversation", () =>
    withState("thread-rating", async (page) => {
      await page.getByRole("button", { name: "No", exact: true }).click();
      await page.getByRole("button", { name: "Send and continue the conversation" }).click();
      await page.getByText("Thank you for your answer.").waitFor();
      expect(await callsOf(page, "rate")).toEqual([["c1", { issue_resolved: false, reopen_conversation: true }]]);
    }));

  test("that fails says why and can be sent again", () =>
    withState("thread-rating", async (page) => {
      await page.evaluate(() => (window.sample.fail["rate"] = "unreachable"));
      await page.getByRole("button", { name: "No", exact: true }).click();
      await page.locator(".rating").getByRole("button", { name: "Send", exact: true }).click();
      await page.getByRole("alert").getByText("The messenger can't be reached.").waitFor();
      await page.evaluate(() => delete window.sample.fail["rate"]);
      await page.locator(".rating").getByRole("button", { name: "Send", exact: true }).click();
      await page.getByText("Thank you for your answer.").waitFor();
    }));
});

describe("places", () => {
  test("the focus goes to the field of a thread, and back to the item that led to it", () =>
    withState("home-conversations", async (page) => {
      await waitForFocus(page, "h1");
      await page.locator("[data-conversation=c1]").focus();
      await page.keyboard.press("Enter");
      await messageField(page).waitFor();
      await waitForFocus(page, ".messageField");
      await page.getByRole("button", { name: "Back to all conversations" }).click();
      await page.getByText("Your conversations").waitFor();
      await waitForFocus(page, "[data-conversation=c1]");
    }));

  test("an older conversation can be read, and a new conversation begun", () =>
    withState("home-conversations", async (page) => {
      await page.locator("[data-conversation=c0]").click();
      await page.getByText("This conversation has ended.").waitFor();
      expect(await messageField(page).count()).toBe(0);
      await page.getByRole("button", { name: "Start a new conversation" }).click();
      expect(await callsOf(page, "beginAnew")).toEqual([["repairs"]]);
    }));

  test("a topic shows its welcome message before the first message", () =>
    withState("home", async (page) => {
      await page.getByRole("button", { name: "Orders and delivery" }).click();
      await page.getByRole("article").getByText("Ask us about an order").waitFor();
    }));

  test("the field keeps its text and the focus when the conversation of a topic begins", () =>
    withState("thread-empty", async (page) => {
      await page.keyboard.type("And another que");
      await page.evaluate(() => {
        const thread = window.sample.state().threads.get("topic:orders");
        if (!thread) throw new Error("No thread of the topic is shown.");
        window.sample.set({ threads: new Map([["c9", thread]]), place: { kind: "thread", key: "c9" } });
      });
      await page.keyboard.type("stion");
      expect(await messageField(page).inputValue()).toBe("And another question");
    }));

  test("a closed business asks for an e-mail address and checks it", () =>
    withState("thread-closed", async (page) => {
      const address = page.getByRole("textbox", { name: "E-mail address" });
      await address.fill("nobody");
      await page.keyboard.press("Enter");
      await page.getByText("Enter an e-mail address, such as name@example.com.").waitFor();
      await address.fill("ada@example.com");
      await page.keyboard.press("Enter");
      await page.getByText("We can reach you at ada@example.com.").waitFor();
      expect(await callsOf(page, "leaveEmail")).toEqual([["ada@example.com"]]);
    }));
});
