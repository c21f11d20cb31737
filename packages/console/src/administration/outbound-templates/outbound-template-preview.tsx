import field from "../../ui/field.module.css";
import { Icon } from "../../ui/icon.tsx";
import { outboundTemplateMessages as texts } from "./messages.ts";
import styles from "./outbound-templates.module.css";
import type { OutboundTemplateValues, TemplateHeaderType } from "./outbound-form.ts";
import { piecesOf } from "./placeholders.ts";

/** A text with its placeholders as boxes. */
const Filled = ({ text }: { readonly text: string }) =>
  piecesOf(text).map((piece, index) =>
    "text" in piece ? (
      piece.text
    ) : (
      <span key={index} className={styles.placeholder}>
        {piece.placeholder}
      </span>
    ),
  );

const MEDIA = {
  image: { icon: "image", label: texts.headerImage },
  video: { icon: "video", label: texts.headerVideo },
  document: { icon: "file", label: texts.headerDocument },
} as const;

const PreviewHeader = ({ type, text }: { readonly type: TemplateHeaderType; readonly text: string }) => {
  if (type === "none") return undefined;
  if (type === "text")
    return (
      <strong>
        <Filled text={text} />
      </strong>
    );
  const { icon, label } = MEDIA[type];
  return (
    <span className={styles.media}>
      <Icon name={icon} />
      {label}
    </span>
  );
};

/** The message as a recipient sees it, with the places of the values. */
export const OutboundTemplatePreview = ({ values }: { readonly values: OutboundTemplateValues }) => (
  <figure className={styles.preview}>
    <figcaption className={field.help}>{texts.preview}</figcaption>
    <div className={styles.bubble}>
      <PreviewHeader type={values.header} text={values.headerText} />
      <div>
        <Filled text={values.body} />
      </div>
      {values.buttons.map(({ key, label }) => (
        <span key={key} className={styles.link}>
          {label}
        </span>
      ))}
    </div>
  </figure>
);
