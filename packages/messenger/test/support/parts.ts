import type { MessagePart } from "@parley/contract";

const cardOf = (title: string): MessagePart => ({
  template_content: {
    type: "carousel_card_default",
    sections: [
      { name: "hero_image", parts: [{ image: { url: "https://pictures.invalid/none.png" } }] },
      { name: "title", parts: [{ text: { content: title } }] },
      { name: "callback", parts: [{ callback: { label: "Choose", payload: `buy ${title}` } }] },
    ],
  },
});

/** A carousel whose cards have buttons of the same name. */
export const carouselOf = (title: string, cards: readonly string[]): MessagePart => ({
  template_content: {
    type: "carousel",
    sections: [
      { name: "carousel_title", parts: [{ text: { content: title } }] },
      { name: "cards", parts: cards.map(cardOf) },
    ],
  },
});

/** Expression for a browser: records a short video of 32 by 32 pixels. -> its bytes */
export const RECORD_VIDEO = `new Promise((resolve) => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 32, height: 32 });
  const context = canvas.getContext("2d");
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: "video/webm" });
  recorder.ondataavailable = async ({ data }) => resolve([...new Uint8Array(await data.arrayBuffer())]);
  recorder.start();
  let frames = 0;
  const draw = () => {
    context.fillRect(frames, 0, 9, 9);
    if ((frames += 1) < 10) requestAnimationFrame(draw);
    else recorder.stop();
  };
  draw();
})`;
