/** @jsxImportSource preact */
import type { MessagePart } from "@parley/contract";
import { safeLink, safeMedia, visibleName } from "@parley/contract/display";
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";
import { Icon } from "../elements/icon.tsx";
import { Link } from "../elements/link.tsx";
import { TextPart } from "./text-part.tsx";
import { UnsafeAddress } from "./unsafe-address.tsx";

type Part<K extends keyof MessagePart> = NonNullable<MessagePart[K]>;
type Template = Part<"template_content">;

/** Sends a text as the answer to the message. Absent once the message is answered: its choices are not shown then. */
export type Answer = ((text: string) => void) | undefined;

export const UrlButton = ({ part: { url, label } }: { readonly part: Part<"url_button"> }) => {
  const href = safeLink(url);
  const name = visibleName(label) || url;
  if (href === undefined || !/^https?:/.test(href)) return <UnsafeAddress label={name} address={url} />;
  return (
    <Link href={href} class="choice">
      <bdi>{name}</bdi> <Icon name="external" />
    </Link>
  );
};

interface ChoiceProps {
  readonly label: string;
  /** Text of the answer. */
  readonly text: string;
  readonly answer: Answer;
}

export const Choice = ({ label, text, answer }: ChoiceProps) =>
  answer && (
    <button type="button" class="choice" onClick={() => answer(text)}>
      <bdi>{visibleName(label)}</bdi>
    </button>
  );

/** -> the text that a quick reply sends */
export const quickReplyText = ({ label, custom_reply_text }: Part<"quick_reply_button">): string =>
  custom_reply_text || label;

const sectionOf = ({ sections }: Template, name: string): readonly MessagePart[] =>
  sections.find((section) => section.name === name)?.parts ?? [];

/** A list to choose from. The choice is sent by a button, since keys that move through the list choose too. */
export const Dropdown = ({ template, answer }: { readonly template: Template; readonly answer: Answer }) => {
  const { texts } = useDisplay();
  const id = useId();
  const [chosen, setChosen] = useState("");
  if (!answer) return null;
  const options = sectionOf(template, "options").flatMap(({ quick_reply_button }) => quick_reply_button ?? []);
  const option = options[Number(chosen)];
  return (
    <form
      class="dropdown"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== "" && option) answer(quickReplyText(option));
      }}
    >
      <label for={id} class="visuallyHidden">
        {texts.chooseOption}
      </label>
      <select id={id} value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
        <option value="">{texts.chooseOption}</option>
        {options.map(({ label }, index) => (
          <option value={index}>{visibleName(label)}</option>
        ))}
      </select>
      <button type="submit" class="primary" disabled={chosen === ""}>
        {texts.send}
      </button>
    </form>
  );
};

export const Card = ({ template, answer }: { readonly template: Template; readonly answer: Answer }) => {
  const [hero, title, description, callback, view] = ["hero_image", "title", "description", "callback", "view"].map(
    (name) => sectionOf(template, name)[0],
  );
  const picture = hero?.image && safeMedia(hero.image.url, location.href);
  const button = callback?.callback;
  return (
    <>
      {picture !== undefined && <img class="hero" src={picture} alt="" loading="lazy" />}
      {title?.text && <strong dir="auto">{visibleName(title.text.content)}</strong>}
      {description?.text && <TextPart content={description.text.content} />}
      {button && <Choice label={button.label} text={button.label} answer={answer} />}
      {view?.url_button && <UrlButton part={view.url_button} />}
    </>
  );
};

export const Carousel = ({ template, answer }: { readonly template: Template; readonly answer: Answer }) => {
  const { texts } = useDisplay();
  const title = visibleName(sectionOf(template, "carousel_title")[0]?.text?.content ?? "");
  const cards = sectionOf(template, "cards").flatMap(({ template_content }) => template_content ?? []);
  return (
    <div class="carousel">
      {title !== "" && <p dir="auto">{title}</p>}
      {/* Focusable, so that keys can scroll it. */}
      <ul class="cards" tabIndex={0} aria-label={title || texts.cards}>
        {cards.map((card) => (
          <li class="card">
            <Card template={card} answer={answer} />
          </li>
        ))}
      </ul>
    </div>
  );
};

export const Choices = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="choices">{children}</div>
);
