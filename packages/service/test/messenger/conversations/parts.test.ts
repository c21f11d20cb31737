import { describe, expect, test } from "@jest/globals";
import { messengerUploads, type File, type Image } from "@parley/contract";
import { outcome, UNKNOWN_ID } from "../../console/console-harness.ts";
import { plainImage } from "../../messaging/uploads/image-builder.ts";
import { clientForm } from "../../messaging/uploads/upload-form-builder.ts";
import { conversationHarness, textMessage } from "../conversation-harness.ts";
import { visitorRequests } from "../visitor-requests.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** The parts that visitors send, and their answers to the parts that agents and bots send. */

const s = fileFixture(conversationHarness);
const { send, read, begin, topic, api } = visitorRequests(() => s);

describe("a visitor's message", () => {
  test("an answer to a quick reply names the message that it answers", async () => {
    const visitor = await s.visitor("Kim");
    const { conversation } = await s.begin(visitor);
    const button = { quick_reply_button: { label: "Yes", payload: "yes" } };
    const question = await api(conversation.id, {
      actor_type: "bot",
      ...textMessage("Sure?"),
      reply_parts: [{ collection: { sub_parts: [button] } }],
    });
    const { body } = await send(visitor, conversation.id, {
      ...textMessage("Yes"),
      in_reply_to: { message_id: question.id },
    });
    expect(body.in_reply_to).toEqual({ message_id: question.id });
    const shown = (await read(visitor, conversation.id)).body.messages[1];
    expect([shown?.actor, shown?.reply_parts]).toEqual([{ type: "bot" }, [{ collection: { sub_parts: [button] } }]]);
  });

  test("the payload of the pressed button is in meta_data, and one that no button of the answered message has is refused", async () => {
    const visitor = await s.visitor("Kai");
    const { conversation } = await s.begin(visitor);
    const card = (title: string) => ({
      template_content: {
        type: "carousel_card_default",
        sections: [
          { name: "hero_image", parts: [{ image: { url: "https://example.com/a.png" } }] },
          { name: "title", parts: [{ text: { content: title } }] },
          { name: "callback", parts: [{ callback: { label: "Choose", payload: `buy ${title}` } }] },
        ],
      },
    });
    const sections = [
      { name: "carousel_title", parts: [{ text: { content: "Bicycles" } }] },
      { name: "cards", parts: [card("City"), card("Cargo")] },
    ];
    const { id: message_id = "" } = await api(conversation.id, {
      actor_type: "bot",
      ...textMessage("Which?"),
      reply_parts: [
        { template_content: { type: "carousel", sections } },
        { collection: { sub_parts: [{ quick_reply_button: { label: "None", payload: "none" } }] } },
      ],
    });
    const answer = async (payload: string, more: object = { in_reply_to: { message_id } }) =>
      outcome(await send(visitor, conversation.id, { ...textMessage("Choose"), payload, ...more }));
    expect([await answer("buy Cargo"), await answer("none")]).toEqual(["200", "200"]);
    const params = { conversation_id: conversation.id };
    const { messages } = await s.client.messages.listMessages({ params, query: {} });
    expect(messages.slice(0, 2)).toMatchObject([
      { meta_data: { payload: "none" }, in_reply_to: { message_id } },
      { ...textMessage("Choose"), meta_data: { payload: "buy Cargo" } },
    ]);
    const refused = [
      await answer("buy everything"),
      await answer("none", {}),
      await answer("none", { in_reply_to: { message_id: "x" } }),
      outcome(await begin(visitor, { topic_id: topic(), message: { ...textMessage("Choose"), payload: "none" } })),
    ];
    expect(refused).toEqual(Array(4).fill("400 INVALID_MESSAGE_PARTS"));
  });

  test("a video that the visitor has uploaded is sent with the type of the upload, and other types are refused as a video", async () => {
    const visitor = await s.visitor("Leo");
    const { conversation } = await s.begin(visitor);
    const uploaded = async (type: string, name: string) => {
      const body = clientForm("file", "content", type, name);
      return (await s.ask<File>(visitor, messengerUploads.uploadVisitorFile, { body })).body.url;
    };
    const sent = async (url: string, content_type = "video/webm") =>
      send(visitor, conversation.id, { message_parts: [{ video: { url, content_type } }] });
    const { code, body } = await sent(await uploaded("video/mp4", "a.mp4"));
    expect([code, body.message_parts[0]?.video?.content_type]).toEqual([200, "video/mp4"]);
    const reply = await fetch(body.message_parts[0]?.video?.url ?? "", { headers: { range: "bytes=1-3" } });
    // A player reads the address; a browser that opens it downloads the file.
    expect([reply.status, await reply.text(), reply.headers.get("content-type")]).toEqual([206, "ont", "video/mp4"]);
    expect(reply.headers.get("content-disposition")).toMatch(/^attachment; filename="a\.mp4"/);
    const outcomes = [];
    for (const [type, name] of [
      ["image/svg+xml", "a.mp4"],
      ["text/html", "a.mp4"],
      ["video/unknown", "a.mp4"],
    ] as const)
      outcomes.push(outcome(await sent(await uploaded(type, name))));
    expect(outcomes).toEqual(Array(3).fill("400 INVALID_MESSAGE_PARTS"));
  });

  test("a picture and files that the visitor has uploaded are sent, and their addresses are renewed", async () => {
    const visitor = await s.visitor("Lea");
    const { conversation } = await s.begin(visitor);
    const picture = await s.ask<Image>(visitor, messengerUploads.uploadVisitorImage, {
      body: clientForm("image", await plainImage("png"), "image/png", "a.png"),
    });
    const file = await s.ask<File>(visitor, messengerUploads.uploadVisitorFile, {
      body: clientForm("file", "content", "text/plain", "a.txt"),
    });
    const { code, body } = await send(visitor, conversation.id, {
      message_parts: [
        { image: { url: picture.body.url } },
        { file: { file_hash: file.body.file_hash } },
        // The name and the type that a visitor states are not those of the upload.
        { file: { url: file.body.url, name: "invoice.pdf", content_type: "application/pdf" } },
      ],
    });
    expect(code).toBe(200);
    const [image, ...files] = body.message_parts;
    expect(await (await fetch(image?.image?.url ?? "")).arrayBuffer()).not.toHaveProperty("byteLength", 0);
    expect(files.map((part) => [part.file?.name, part.file?.content_type, part.file?.file_size_in_bytes])).toEqual(
      Array(2).fill(["a.txt", "text/plain", 7]),
    );
    expect(await (await fetch(files[0]?.file?.url ?? "")).text()).toBe("content");
  });

  test.each([
    ["a picture of another host", { image: { url: "https://example.com/a.png" } }],
    ["an address in code", { image: { url: "javascript:alert(1)" } }],
    ["a picture in the address itself", { image: { url: "data:image/png;base64,iVBORw0KGgo=" } }],
    ["a file of another host", { file: { url: "https://example.com/a.exe", name: "a.exe" } }],
    ["a file that was not uploaded", { file: { file_hash: UNKNOWN_ID } }],
    ["a file with both", { file: { file_hash: UNKNOWN_ID, url: "https://example.com/a" } }],
    ["a file with neither", { file: { name: "a" } }],
    ["a video of another host", { video: { url: "https://example.com/a.mp4" } }],
    ["a button", { url_button: { url: "https://example.com", label: "Click" } }],
    ["a collection", { collection: { sub_parts: [{ url_button: { url: "https://example.com", label: "Click" } }] } }],
    ["a part of responses", { text_input: { any: 1 } }],
    ["a text without a visible character", { text: { content: " \u200b\n" } }],
  ])(
    "POST /messenger/api/conversations/{conversation_id}/messages 400 INVALID_MESSAGE_PARTS for %s",
    async (_, part) => {
      const visitor = await s.visitor("Mia");
      const { conversation } = await s.begin(visitor);
      expect(outcome(await send(visitor, conversation.id, { message_parts: [part] }))).toBe(
        "400 INVALID_MESSAGE_PARTS",
      );
    },
  );

  test("a picture's or file's address of another account, or with an altered signature, is refused", async () => {
    const visitor = await s.visitor("Nia");
    const { conversation } = await s.begin(visitor);
    const form = () => clientForm("file", "secret", "text/plain", "a.txt");
    const own = await s.ask<File>(visitor, messengerUploads.uploadVisitorFile, { body: form() });
    const { token } = await s.admin.issueToken({ account: "solo", name: "uploads" });
    const headers = { authorization: `Bearer ${token}` };
    const elsewhere = await s.raw("POST", "/v2/files/upload", { body: form(), headers });
    const { url: urlOfOther } = (await elsewhere.json()) as File;
    expect(elsewhere.status).toBe(201);
    const urls = [urlOfOther, own.body.url.replace(/signature=../, "signature=--")];
    for (const url of urls) {
      const codes = [
        outcome(await send(visitor, conversation.id, { message_parts: [{ file: { url } }] })),
        outcome(await send(visitor, conversation.id, { message_parts: [{ image: { url } }] })),
      ];
      expect(codes).toEqual(Array(2).fill("400 INVALID_MESSAGE_PARTS"));
    }
    // A file is not shown as a picture.
    expect(outcome(await send(visitor, conversation.id, { message_parts: [{ image: { url: own.body.url } }] }))).toBe(
      "400 INVALID_MESSAGE_PARTS",
    );
  });
});
