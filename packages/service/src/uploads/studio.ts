import { LIMITS } from "@parley/contract";
import type { Spool } from "../objects/spool.ts";
import { gate } from "./gate.ts";
import { headOf, pictureOf, type Picture } from "./picture.ts";

/** Makes pictures of what is uploaded. @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE, SERVICE_UNAVAILABLE */
export type Studio = (content: AsyncIterable<Uint8Array>) => Promise<Picture>;

/** Images that wait, on disk. */
const WAITING = 100;
/** At a time: the threads that sharp works on are those that files are read on too. */
const MOST = 2;

/**
 * Unpacked images are large: those that are made at a time have together no more pixels than the largest may have. What is no image,
 * or too large, is known before and doesn't wait for them.
 */
export const openStudio = (spool: Spool): Studio => {
  const heads = gate({ room: MOST, waiting: WAITING });
  const pictures = gate({ room: LIMITS.image_pixels, waiting: WAITING });
  return (content) =>
    spool(content, async (read) => {
      const head = await heads(1, async () => headOf(await read()));
      return pictures(Math.max(head.pixels, LIMITS.image_pixels / MOST), async () => pictureOf(await read(), head));
    });
};
