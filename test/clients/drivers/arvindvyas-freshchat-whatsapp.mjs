import { fileURLToPath } from "node:url";
import { runProgram, same } from "../parley.mjs";

const SCRIPT = fileURLToPath(new URL("../ruby/freshchat_whatsapp.rb", import.meta.url));

/** Sends template messages and polls their status. Uses the second-last commit, which sends no `Bearer` prefix. */
export default {
  name: "freshchat_whatsapp",
  repository: "arvindvyas/freshchat_whatsapp",
  commit: "6f1c8c810def551f915dd2c71b4e9944e6e4e1c0",
  version: "0.1.2",
  language: "Ruby",
  needs: ["ruby", "ruby-faraday"],
  failures: [{ of: "^send_hsm_message$", whose: "own", why: "it leaves out `provider`, which the API demands" }],
  async drive({ parley, folder, step }) {
    const ruby = async (...args) =>
      JSON.parse(
        await runProgram("ruby", ["-I", "lib", SCRIPT, ...args], {
          cwd: folder,
          env: { BASE_PATH: parley.origin, API_KEY: parley.token },
        }),
      );
    const body = { text: "Your order {{1}} is on its way." };
    parley.approve({ namespace: "shop", name: "order_shipped", language: "en", body });
    await step("check_message_status", async () => {
      const message_template = {
        storage: "conversation",
        namespace: "shop",
        template_name: "order_shipped",
        language: { policy: "deterministic", code: "en" },
        rich_template_data: { body: { params: [{ data: "42" }] } },
      };
      const { request_id: id } = await parley.call("POST", "/outbound-messages/whatsapp", {
        from: { phone_number: "+12015550100" },
        provider: "whatsapp",
        to: [{ phone_number: "+12015550123" }],
        data: { message_template },
      });
      const { outbound_messages: found } = await ruby("status", id);
      same("the request and the receiver", [found[0].request_id, found[0].to[0].phone_number], [id, "+12015550123"]);
    });
    await step("send_hsm_message is refused as the errors of the API say", async () => {
      const refused = await ruby("send", "+12015550100", "+12015550123", "shop", "order_shipped");
      same(
        "the answer",
        [refused.success, refused.error_code, refused.error_message],
        [false, 5, "provider is required"],
      );
    });
    await step("send_hsm_message", async () => {
      const sent = await ruby("send", "+12015550100", "+12015550123", "shop", "order_shipped");
      same("the type of its id", typeof sent.request_id, "string");
    });
  },
};
