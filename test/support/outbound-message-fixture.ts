import type { NewOutboundMessage } from "@parley/contract";

/** A message to one person with a template of the demo account that takes no parameters. */
export const WELCOME_MESSAGE: { readonly params: { readonly provider: "chatapp" }; readonly body: NewOutboundMessage } =
  {
    params: { provider: "chatapp" },
    body: {
      from: { phone_number: "+12025550100" },
      provider: "chatapp",
      to: [{ phone_number: "+12025550105" }],
      data: {
        message_template: {
          template_name: "welcome",
          namespace: "acme_shop",
          language: { policy: "deterministic", code: "en" },
          rich_template_data: {},
        },
      },
    },
  };
