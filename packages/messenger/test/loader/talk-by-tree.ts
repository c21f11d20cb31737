import { expect } from "@jest/globals";
import type { Page } from "playwright-core";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import type { businessOf } from "../support/account.ts";
import { carouselOf } from "../support/parts.ts";

/** A whole conversation in which everything is found by its role and name, and operated by keys. */
export const talkByTree = async (page: Page, business: ReturnType<typeof businessOf>): Promise<void> => {
  await page.getByRole("button", { name: /^Chat/ }).press("Enter");
  const panel = page.getByTitle(/^Chat/).contentFrame();
  const dialog = panel.getByRole("dialog", { name: /^Chat with/ });
  await dialog.getByRole("button", { name: /^Inbox/ }).press("Enter");
  const thread = dialog.getByRole("region", { name: "Conversation" });
  await dialog.getByRole("textbox", { name: "Message", exact: true }).fill("A bicycle by its tree");
  await dialog.getByRole("button", { name: "Send", exact: true }).press("Enter");
  const id = await business.conversationOf("A bicycle by its tree");

  const choices = ["Sales", "Repairs"].map((label) => ({
    quick_reply_button: { label, custom_reply_text: `I ask about ${label}`, payload: label.toLowerCase() },
  }));
  const asked = await business.ask(id, "What is it about?", [{ collection: { sub_parts: choices } }]);
  await thread.getByRole("button", { name: "Sales", exact: true }).press("Enter");
  await thread.getByRole("article", { name: /^You/ }).getByText("I ask about Sales").waitFor();
  expect(await thread.getByRole("button", { name: "Repairs", exact: true }).count()).toBe(0);

  // A question that is stored before the answer would count as answered by it.
  await waitUntil(async () => (await business.sentIn(id)).length === 2);
  await business.ask(id, "Which one?", [carouselOf("Our bicycles", ["City", "Cargo"])]);
  const cards = thread.getByRole("list", { name: "Our bicycles" });
  await cards.getByRole("listitem", { name: "2 of 2" }).getByRole("button", { name: "Choose" }).press("Enter");
  await thread.getByRole("button", { name: /^Answer to .*Which one/ }).waitFor();

  const attach = dialog.getByRole("button", { name: "Attach files" });
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), attach.press("Enter")]);
  await chooser.setFiles({ name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("left, then right") });
  await thread.getByRole("link", { name: /plan\.txt/ }).waitFor();
  expect((await business.sentIn(id)).slice(0, 3)).toMatchObject([
    { message_parts: [{ file: { name: "plan.txt", content_type: "text/plain" } }] },
    { message_parts: [{ text: { content: "Cargo: Choose" } }], meta_data: { payload: "buy Cargo" } },
    { in_reply_to: { message_id: asked.id }, meta_data: { payload: "sales" } },
  ]);

  await business.resolve(id);
  const rating = thread.getByRole("region", { name: "Did we answer your question?" });
  await rating.getByRole("button", { name: "Yes" }).press("Enter");
  await rating.getByRole("radio", { name: "4 of 5 stars" }).press("Space");
  await rating.getByRole("button", { name: "Send" }).press("Enter");
  await thread.getByRole("status").getByText("Thank you for your answer.").waitFor();
};
