import type { MessagePart, MessagePartKey } from "@parley/contract";
import type { ReactNode } from "react";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { ChoiceLabel, TemplatePart, UrlButtonPart } from "./choice-parts.tsx";
import { FilePart, ImagePart, VideoPart } from "./media-parts.tsx";
import { partMessages as texts } from "./messages.ts";
import styles from "./parts.module.css";
import { TextPart } from "./text-part.tsx";

type Content<K extends MessagePartKey> = NonNullable<MessagePart[K]>;

interface PlaceholderProps {
  readonly icon: IconName;
  readonly label: string;
  readonly children?: ReactNode;
}

/** A labelled box in place of something that has no view of its own. */
const Placeholder = ({ icon, label, children }: PlaceholderProps) => (
  <div className={styles.box}>
    <Icon name={icon} />
    <span>
      {label}
      {children !== undefined && <span className={styles.detail}> {children}</span>}
    </span>
  </div>
);

/** The attributes of these parts are not specified: their texts are shown. */
const textsIn = (pairs: Readonly<Record<string, unknown>>): string =>
  Object.values(pairs)
    .filter((value) => typeof value === "string")
    .join(" · ")
    .slice(0, 400);

/** One view for each kind of part. */
const VIEWS: { readonly [K in MessagePartKey]: (part: Content<K>, author: string) => ReactNode } = {
  text: ({ content }) => <TextPart content={content} />,
  image: (part, author) => <ImagePart part={part} author={author} />,
  video: (part, author) => <VideoPart part={part} author={author} />,
  file: (part) => <FilePart part={part} />,
  collection: ({ sub_parts }, author) => <Parts parts={sub_parts} author={author} isInline />,
  url_button: (part) => <UrlButtonPart part={part} />,
  quick_reply_button: ({ label }) => <ChoiceLabel label={label} />,
  template_content: (part) => <TemplatePart part={part} />,
  callback: ({ label }) => <ChoiceLabel label={label} />,
  help_text: ({ content }) => (
    <p className={styles.help}>
      <span className="visually-hidden">{texts.help}: </span>
      {content}
    </p>
  ),
  attachment_input: (pairs) => (
    <Placeholder icon="attach" label={texts.attachmentInput}>
      {textsIn(pairs)}
    </Placeholder>
  ),
  reference: (pairs) => (
    <Placeholder icon="link" label={texts.reference}>
      {textsIn(pairs)}
    </Placeholder>
  ),
  text_input: (pairs) => (
    <Placeholder icon="edit" label={texts.textInput}>
      {textsIn(pairs)}
    </Placeholder>
  ),
};

const viewOf = <K extends MessagePartKey>(key: K, part: MessagePart, author: string): ReactNode => {
  const content = part[key];
  return content === undefined || content === null ? undefined : VIEWS[key](content, author);
};

const PartView = ({ part, author }: { readonly part: MessagePart; readonly author: string }) => {
  const [key = ""] = Object.keys(part);
  if (!Object.hasOwn(VIEWS, key)) return <Placeholder icon="warning" label={texts.unknown(key)} />;
  return viewOf(key as MessagePartKey, part, author);
};

interface PartsProps {
  readonly parts: readonly MessagePart[];
  /** Name of the author, for the descriptions of pictures and videos. */
  readonly author: string;
  /** Side by side, as far as there is space. */
  readonly isInline?: boolean;
}

/** The parts of a message or of a collection. */
export const Parts = ({ parts, author, isInline = false }: PartsProps) => {
  if (parts.length === 1 && parts[0]) return <PartView part={parts[0]} author={author} />;
  return (
    <ul className={isInline ? styles.choices : styles.parts}>
      {parts.map((part, index) => (
        <li key={index}>
          <PartView part={part} author={author} />
        </li>
      ))}
    </ul>
  );
};

/** The choices of the customer, as information. */
export const ReplyParts = ({ parts, author }: PartsProps) => (
  <div className={styles.replies}>
    <p className={styles.detail}>{texts.choices}</p>
    <Parts parts={parts} author={author} />
  </div>
);
