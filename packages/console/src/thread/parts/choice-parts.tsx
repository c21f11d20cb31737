import type { MessagePart } from "@parley/contract";
import { safeLink, safeMedia } from "@parley/contract/display";
import type { ReactNode } from "react";
import { Icon } from "../../ui/icon.tsx";
import { partMessages as texts } from "./messages.ts";
import { PartPicture } from "./part-picture.tsx";
import styles from "./parts.module.css";
import { UnshownPicture } from "./unshown-media.tsx";

type Part<K extends keyof MessagePart> = NonNullable<MessagePart[K]>;
type Template = Part<"template_content">;

/** A link with a label; only its label if the address may not be opened. */
export const UrlButtonPart = ({ part: { url, label } }: { readonly part: Part<"url_button"> }) => {
  const href = safeLink(url);
  if (href === undefined)
    return (
      <span className={styles.choice} title={texts.unsafe}>
        {label}
      </span>
    );
  return (
    <a className={styles.link} href={href} target="_blank" rel="noopener noreferrer">
      {label}
      <Icon name="external" label={texts.opensTab} />
    </a>
  );
};

/** The buttons of the customer. The agent sees it, but can't. */
export const ChoiceLabel = ({ label }: { readonly label: string }) => <span className={styles.choice}>{label}</span>;

const sectionOf = ({ sections }: Template, name: string): readonly MessagePart[] =>
  sections.find((section) => section.name === name)?.parts ?? [];

const Dropdown = ({ template }: { readonly template: Template }) => {
  const options = sectionOf(template, "options").flatMap(({ quick_reply_button }) => quick_reply_button ?? []);
  return (
    <details className={styles.dropdown}>
      <summary>{texts.oneOf(options.length)}</summary>
      <ul className={styles.choices}>
        {options.map(({ label }, index) => (
          <li key={index}>
            <ChoiceLabel label={label} />
          </li>
        ))}
      </ul>
    </details>
  );
};

const Card = ({ template }: { readonly template: Template }) => {
  const [hero] = sectionOf(template, "hero_image");
  const [title] = sectionOf(template, "title");
  const [description] = sectionOf(template, "description");
  const [callback] = sectionOf(template, "callback");
  const [view] = sectionOf(template, "view");
  const image = hero?.image && safeMedia(hero.image.url, location.href);
  return (
    <>
      {image !== undefined && (
        <PartPicture src={image} alt="" className={styles.hero} fallback={<UnshownPicture address={image} />} />
      )}
      {title?.text && <strong className={styles.cardTitle}>{title.text.content}</strong>}
      {description?.text && <span className={styles.detail}>{description.text.content}</span>}
      {callback?.callback && <ChoiceLabel label={callback.callback.label} />}
      {view?.url_button && <UrlButtonPart part={view.url_button} />}
    </>
  );
};

const Carousel = ({ template }: { readonly template: Template }) => {
  const [title] = sectionOf(template, "carousel_title");
  const cards = sectionOf(template, "cards").flatMap(({ template_content }) => template_content ?? []);
  const name = title?.text?.content ?? texts.cards;
  return (
    <div className={styles.carousel}>
      {title?.text && <strong>{title.text.content}</strong>}
      {/* Focusable, so that keys can scroll it. */}
      <ul className={styles.cards} tabIndex={0} aria-label={name}>
        {cards.map((card, index) => (
          <li key={index} className={styles.card}>
            <Card template={card} />
          </li>
        ))}
      </ul>
    </div>
  );
};

/** Shown for a template of another type. */
const OtherTemplate = ({ template, children }: { readonly template: Template; readonly children: ReactNode }) => (
  <div className={styles.box}>
    <span>
      {texts.unknown(template.type)} {children}
    </span>
  </div>
);

const TEMPLATES: Readonly<Record<string, (props: { readonly template: Template }) => ReactNode>> = {
  carousel: Carousel,
  carousel_card_default: Card,
  quick_reply_dropdown: Dropdown,
};

export const TemplatePart = ({ part }: { readonly part: Template }) => {
  const View = Object.hasOwn(TEMPLATES, part.type) ? TEMPLATES[part.type] : undefined;
  if (View) return <View template={part} />;
  return <OtherTemplate template={part}>{part.sections.map(({ name }) => name).join(", ")}</OtherTemplate>;
};
