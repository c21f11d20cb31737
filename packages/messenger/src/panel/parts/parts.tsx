/** @jsxImportSource preact */
import type { MessagePart, MessagePartKey } from "@parley/contract";
import { visibleName } from "@parley/contract/display";
import type { ComponentChildren } from "preact";
import { useDisplay, type Display } from "../elements/display.ts";
import { Card, Carousel } from "./carousel.tsx";
import { Choice, Choices, Dropdown, quickReplyText, UrlButton, type Answer } from "./choices.tsx";
import { FilePart, VideoPart } from "./file-parts.tsx";
import { AttachmentInput, Reference, TextInput } from "./inputs.tsx";
import { PicturePart } from "./picture.tsx";
import { attributeTexts } from "./readable-text.ts";
import { TextPart } from "./text-part.tsx";

type Content<K extends MessagePartKey> = NonNullable<MessagePart[K]>;

interface PartContext {
  readonly display: Display;
  /** Name of the author, for the descriptions of pictures and videos. */
  readonly author: string;
  readonly answer: Answer;
}

/** In place of a part that has no view of its own: its texts. */
const readable = (content: unknown, fallback: string) => <TextPart content={attributeTexts(content) || fallback} />;

const TEMPLATES: Readonly<Record<string, typeof Dropdown>> = {
  carousel: Carousel,
  carousel_card_default: Card,
  quick_reply_dropdown: Dropdown,
};

/** One view for each kind of part. */
const VIEWS: { readonly [K in MessagePartKey]: (part: Content<K>, context: PartContext) => ComponentChildren } = {
  text: ({ content }) => <TextPart content={content} />,
  image: ({ url }, { display, author }) => <PicturePart url={url} alt={display.texts.pictureBy(author)} />,
  video: (part, { display, author }) => <VideoPart part={part} label={display.texts.videoBy(author)} />,
  file: (part) => <FilePart part={part} />,
  collection: ({ sub_parts }, { author, answer }) => (
    <Choices>
      <Parts parts={sub_parts} author={author} answer={answer} />
    </Choices>
  ),
  url_button: (part) => <UrlButton part={part} />,
  quick_reply_button: (part, { answer }) => (
    <Choice label={part.label} text={quickReplyText(part)} payload={part.payload} answer={answer} />
  ),
  template_content: (part, { author, answer }) => {
    const View = Object.hasOwn(TEMPLATES, part.type) ? TEMPLATES[part.type] : undefined;
    if (View) return <View template={part} answer={answer} />;
    // A type that is newer than this panel: its choices can still be chosen.
    return part.sections.map(({ parts }) => <Parts parts={parts} author={author} answer={answer} />);
  },
  callback: ({ label, payload }, { answer }) => <Choice label={label} text={label} payload={payload} answer={answer} />,
  help_text: ({ content }) => (
    <div class="help">
      <TextPart content={content} />
    </div>
  ),
  attachment_input: (content, { answer }) => <AttachmentInput content={content} answer={answer} />,
  reference: (content) => <Reference content={content} />,
  text_input: (content, { answer }) => <TextInput content={content} answer={answer} />,
};

const viewOf = <K extends MessagePartKey>(key: K, part: MessagePart, context: PartContext): ComponentChildren => {
  const content = part[key];
  if (content === undefined || content === null) return null;
  if (Object.hasOwn(VIEWS, key)) return VIEWS[key](content, context);
  return readable(content, `${context.display.texts.unknownPart} (${visibleName(key)})`);
};

interface PartsProps {
  readonly parts: readonly MessagePart[];
  readonly author: string;
  readonly answer?: Answer;
}

/** The parts of a message, of a collection or of a section. */
export const Parts = ({ parts, author, answer }: PartsProps) => {
  const display = useDisplay();
  const context: PartContext = { display, author, answer };
  return <>{parts.map((part) => viewOf((Object.keys(part)[0] ?? "") as MessagePartKey, part, context))}</>;
};
