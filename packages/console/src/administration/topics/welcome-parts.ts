import type { File as UploadedFile, MessagePart } from "@parley/contract";
import { VALUES } from "../../contract-values.ts";
import { ADMIN_VALUES } from "../contract-values.ts";
import { comparableText } from "../entry-merge.ts";
import { parsedAddress } from "../parsed-address.ts";
import { welcomeMessages as texts } from "./welcome-messages.ts";

/** Kinds of parts that the form changes. Others stay as they are: only programs make them. */
const EDITED_KINDS = ["text", "image", "video", "file", "url_button"] as const;
export type EditedKind = (typeof EDITED_KINDS)[number];
export type PartKind = EditedKind | "other";

/** A part of a welcome message in the form. */
export interface PartRow {
  /** Identifies the row of the form. */
  readonly key: number;
  readonly part: MessagePart;
  /** The part at present; undefined for a new part. */
  readonly saved: MessagePart | undefined;
}

export const kindOf = (part: MessagePart): PartKind => {
  // A reference to an upload has no address that a customer could open.
  if (part.file?.url === undefined && part.file !== undefined) return "other";
  return EDITED_KINDS.find((kind) => part[kind] !== undefined) ?? "other";
};

const isBlank = ({ text }: MessagePart): boolean => text !== undefined && text.content.trim() === "";

const EMPTY: { readonly [K in EditedKind]: MessagePart } = {
  text: { text: { content: "" } },
  image: { image: { url: "" } },
  video: { video: { url: "" } },
  file: { file: { name: "", url: "" } },
  url_button: { url_button: { label: "", url: "" } },
};

/** -> the rows with another part at their end */
export const withPart = (rows: readonly PartRow[], part: MessagePart): readonly PartRow[] => [
  ...rows,
  { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, part, saved: undefined },
];

export const withNewPart = (rows: readonly PartRow[], kind: EditedKind): readonly PartRow[] =>
  withPart(rows, EMPTY[kind]);

/** -> the rows of a message. A message without a text begins with an empty text, to write in. */
export const partRowsOf = (parts: readonly MessagePart[] = []): readonly PartRow[] => {
  const hasText = parts.some((part) => kindOf(part) === "text");
  const first: readonly PartRow[] = hasText ? [] : [{ key: parts.length, part: EMPTY.text, saved: EMPTY.text }];
  return [...first, ...parts.map((part, key) => ({ key, part, saved: part }))];
};

/** -> the parts of the message. Texts without content are left out. */
export const messagePartsOf = (rows: readonly PartRow[]): MessagePart[] =>
  rows.map(({ part }) => part).filter((part) => !isBlank(part));

/** -> names of the rows: the kind and a number, which begins with 1 for each kind */
export const rowNames = (rows: readonly PartRow[]): readonly string[] => {
  const counts = new Map<PartKind, number>();
  return rows.map(({ part }) => {
    const kind = kindOf(part);
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    return kind === "text" && number === 1 ? texts.welcome : texts.partName(texts[kind], number);
  });
};

/** -> the part of an uploaded file that is not a picture. Videos are played where the message is shown. */
export const uploadedPart = ({ file_name, file_size, file_content_type, url }: UploadedFile): MessagePart =>
  file_content_type.startsWith("video/")
    ? { video: { url, content_type: file_content_type } }
    : { file: { name: file_name, url, file_size_in_bytes: file_size, content_type: file_content_type } };

const RASTER_IMAGE = new RegExp(ADMIN_VALUES.rasterImageAddress, "i");
const isWeb = (address: string): boolean => /^https?:/i.test(address) && parsedAddress(address) !== undefined;
/** Whether a picture may have the address. The service accepts no other, since it could contain scripts. */
export const isPictureAddress = (address: string): boolean =>
  isWeb(address) || (RASTER_IMAGE.test(address) && parsedAddress(address) !== undefined);
const isLinkAddress = (address: string): boolean => {
  const parsed = parsedAddress(address);
  return parsed !== undefined && ADMIN_VALUES.linkSchemes.some((scheme) => scheme === parsed.protocol);
};

const { text_characters: textMax, short_text_characters: shortMax, url_characters: urlMax } = VALUES.limits;

const addressProblem = (address: string, isValid: (address: string) => boolean, invalid: string) => {
  if (address.length > urlMax) return texts.addressTooLong;
  return isValid(address) ? undefined : invalid;
};

/** -> why the service would refuse a part that was changed. One that is as it was is not checked. */
export const partProblem = ({ part, saved }: PartRow): string | undefined => {
  if (saved !== undefined && comparableText(part) === comparableText(saved)) return undefined;
  const { text, image, video, file, url_button: button } = part;
  if (text) return text.content.length > textMax ? texts.textTooLong : undefined;
  if (image) return addressProblem(image.url, isPictureAddress, texts.addressInvalid);
  if (video) return addressProblem(video.url, isWeb, texts.addressInvalid);
  if (file) {
    if ((file.name ?? "").length > shortMax) return texts.labelTooLong(shortMax);
    return addressProblem(file.url ?? "", isWeb, texts.addressInvalid);
  }
  if (!button) return undefined;
  if (button.label.trim() === "") return texts.labelMissing;
  if (button.label.length > shortMax) return texts.labelTooLong(shortMax);
  return addressProblem(button.url, isLinkAddress, texts.linkInvalid);
};

/** -> why a message is refused */
export const welcomeProblem = (rows: readonly PartRow[], isUploading: boolean): string | undefined => {
  if (isUploading) return texts.waitForUploads;
  const problem = rows.map(partProblem).find((each) => each !== undefined);
  return (
    problem ?? (messagePartsOf(rows).length > VALUES.limits.parts ? texts.tooManyParts(VALUES.limits.parts) : undefined)
  );
};
