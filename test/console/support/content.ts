import { deflateSync } from "node:zlib";
import type { MessagePart } from "@parley/contract";
import { consoleAccount, type ConsoleAccount } from "./account.ts";
import type { ConsoleHarness, CustomerConversation } from "./harness.ts";

/** An account in the middle of a working day. */
export interface ConsoleContent {
  readonly account: ConsoleAccount;
  /** A conversation with every kind of content, and a private note. */
  readonly full: CustomerConversation;
  /** Assigned to nobody, with one message. */
  readonly short: CustomerConversation;
}

const crcTable = Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});
const crc = (bytes: Uint8Array): number => {
  let value = 0xffffffff;
  for (const byte of bytes) value = crcTable[(value ^ byte) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
};
const chunk = (name: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc(body));
  return Buffer.concat([length, body, check]);
};

/** A picture of one colour. @units pixels */
export const picture = (width: number, height: number): Uint8Array<ArrayBuffer> => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const line = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, 0x77)]);
  const lines = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk("IHDR", header), chunk("IDAT", lines), chunk("IEND", Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat([signature, ...chunks]));
};

const text = (content: string): MessagePart => ({ text: { content } });
const button = (label: string): MessagePart => ({ url_button: { url: "https://shop.example/returns", label } });

/** Creates groups, properties, agents, customers and conversations. */
export const fillAccount = async (s: ConsoleHarness): Promise<ConsoleContent> => {
  const account = consoleAccount(s);
  await account.apply({
    groups: [{ name: "Returns" }, { name: "Wholesale and partners" }],
    fields: [
      { name: "priority" },
      { name: "cf_reason", label: "Reason", type: "DROPDOWN", required: true, choices: ["Delay", "Damage"] },
      { name: "cf_amount", label: "Amount refunded", type: "DECIMAL" },
      { name: "cf_vip", label: "Important customer", type: "CHECKBOX" },
    ],
  });
  const returns = await account.group("Returns");
  const colleague = await account.agent({ name: "Tomasz Wielki", groups: [returns] });
  const short = await s.beginConversation("Noor Haddad", "Hello, is the blue bicycle still available?");
  for (const name of ["Yuki Tanaka", "Oluwaseun Adebayo-Christodoulopoulos", "Mia", "Bernardo O’Higgins"])
    await s.beginConversation(name, `Where is my parcel? It was sent 12 days ago. (${name})`);
  const assigned = await s.beginConversation("Ines Assigned", "The invoice has the wrong address.");
  await account.change(assigned.id, {
    status: "assigned",
    assigned_agent_id: colleague.id,
    assigned_group_id: returns,
    properties: { priority: "Urgent" },
  });
  const resolved = await s.beginConversation("Rosa Resolved", "Thank you, that is all.");
  await account.change(resolved.id, { status: "resolved", properties: { cf_reason: "Delay" } });

  const full = await s.beginConversation(
    "Ada Fuller",
    "The frame arrived with a scratch.\nSee https://shop.example/ada",
  );
  const image = await s.client.images.uploadImage({
    upload: { name: "frame.png", content_type: "image/png", content: picture(320, 200) },
  });
  const file = await s.client.files.uploadFile({
    upload: { name: "invoice.pdf", content_type: "application/pdf", content: new TextEncoder().encode("%PDF-1.4") },
  });
  const fromAgent = { actor_type: "agent" as const, actor_id: colleague.id };
  const customer = { actor_type: "user" as const, actor_id: full.userId };
  await account.say(full.id, {
    ...customer,
    message_parts: [{ image: { url: image.url } }, { file: { file_hash: file.file_hash, name: "invoice.pdf" } }],
  });
  await account.say(full.id, {
    ...customer,
    message_parts: [{ video: { url: "https://shop.example/unboxing.mp4", content_type: "video/mp4" } }],
  });
  await account.say(full.id, {
    ...fromAgent,
    message_parts: [
      text("Please choose one of these."),
      { collection: { sub_parts: [button("Returns")] } },
      button("Help"),
    ],
    reply_parts: [
      {
        collection: {
          sub_parts: [
            { quick_reply_button: { label: "Exchange it" } },
            { quick_reply_button: { label: "Refund", custom_reply_text: "I want a refund" } },
          ],
        },
      },
    ],
  });
  await account.say(full.id, {
    actor_type: "bot",
    message_parts: [text("These may fit.")],
    reply_parts: [
      {
        template_content: {
          type: "carousel",
          sections: [
            { name: "carousel_title", parts: [text("Frames")] },
            {
              name: "cards",
              parts: [
                {
                  template_content: {
                    type: "carousel_card_default",
                    sections: [
                      { name: "hero_image", parts: [{ image: { url: image.url } }] },
                      { name: "title", parts: [text("Blue frame")] },
                      { name: "description", parts: [text("54 cm")] },
                      { name: "callback", parts: [{ callback: { payload: "blue", label: "This one" } }] },
                      { name: "view", parts: [button("Show it")] },
                    ],
                  },
                },
              ],
            },
          ],
        },
      },
    ],
  });
  await account.say(full.id, {
    ...fromAgent,
    message_parts: [text("Which size do you need?")],
    reply_parts: [
      {
        template_content: {
          type: "quick_reply_dropdown",
          sections: [{ name: "options", parts: ["52", "54"].map((label) => ({ quick_reply_button: { label } })) }],
        },
      },
    ],
  });
  await account.say(full.id, {
    ...fromAgent,
    message_type: "private",
    message_parts: [text("She bought three of them last year. Please be generous.")],
  });
  await account.say(full.id, { ...customer, message_parts: [text("54, please.")] });
  await account.change(full.id, { status: "assigned", assigned_agent_id: colleague.id, assigned_group_id: returns });
  return { account, full, short };
};
