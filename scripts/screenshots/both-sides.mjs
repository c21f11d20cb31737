/** A conversation on both sides: a visitor of the demo shop in the messenger, and the agent in the console. */
import { savePair } from "./pictured-instance.mjs";

const HEIGHT = 860;
const TIME = "2026-11-30T15:20:00.000Z";

/** Writes as the visitor, and waits until the message is sent. -> id of the conversation of the first message */
const say = async (page, panel, text) => {
  const sent = page.waitForResponse(
    (response) =>
      response.request().method() === "POST" &&
      /\/conversations(\/[^/]+\/messages)?$/.test(response.url()) &&
      response.ok(),
  );
  const field = panel.getByRole("textbox", { name: "Message", exact: true });
  await field.fill(text);
  await field.press("Enter");
  return (await (await sent).json()).conversation?.id;
};

export const pictureBothSides = async (instance) => {
  // Within the business hours of the demo account.
  await instance.command("clock", "freeze", TIME);
  const shop = await instance.openShop({ viewport: { width: 760, height: HEIGHT }, time: TIME });
  const panel = shop.frameLocator("#fc_widget");
  const messages = panel.getByRole("region", { name: "Conversation" });
  await shop.getByRole("button", { name: "Ask about the Alpine jacket" }).click();
  const conversation = await say(shop, panel, "Is the Alpine jacket warm enough for a week in Norway in March?");
  await messages.getByText("this is Concierge").waitFor();
  await messages.getByRole("button", { name: "I'd like to buy something" }).click();

  const { agents } = await instance.call("GET", "/agents?is_deactivated=false");
  const [agent] = agents;
  await instance.call("PUT", `/conversations/${conversation}`, { status: "assigned", assigned_agent_id: agent.id });
  const console = await instance.open(`/console/conversations/${conversation}`, {
    viewport: { width: 1_200, height: HEIGHT },
  });
  const reply = console.getByRole("textbox", { name: /^Reply/ });
  await reply.fill("It is, with a fleece below. For wind and wet snow I would take it over the Coast jacket.");
  await reply.press("Enter");
  await messages.getByText("with a fleece below").waitFor();
  await say(shop, panel, "Great, then I will take it in green. Thank you!");
  await console.getByText("then I will take it in green").first().waitFor();
  await console.waitForTimeout(1_500);
  await savePair([shop, console], "both-sides");
};
