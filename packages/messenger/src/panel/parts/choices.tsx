/** @jsxImportSource preact */
import type { MessagePart } from "@parley/contract";
import { safeLink, visibleName } from "@parley/contract/display";
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";
import { Icon } from "../elements/icon.tsx";
import { Link } from "../elements/link.tsx";
import { UnsafeAddress } from "./unsafe-address.tsx";

type Part<K extends keyof MessagePart> = NonNullable<MessagePart[K]>;
export type Template = Part<"template_content">;

/** Sends the answer to a message. */
interface Answerer {
  /** @shape payload: that of the pressed button */
  readonly text: (text: string, payload?: string) => void;
  readonly files: (files: readonly File[]) => void;
}
/** Absent once the message is answered: its choices are not shown then. */
export type Answer = Answerer | undefined;

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
  readonly payload: string | undefined;
  /** Id of the element that says what is chosen, if the label alone doesn't. */
  readonly describedBy?: string | undefined;
  readonly answer: Answer;
}

export const Choice = ({ label, text, payload, describedBy, answer }: ChoiceProps) =>
  answer && (
    <button type="button" class="choice" aria-describedby={describedBy} onClick={() => answer.text(text, payload)}>
      <bdi>{visibleName(label)}</bdi>
    </button>
  );

/** -> the text that a quick reply sends */
export const quickReplyText = ({ label, custom_reply_text }: Part<"quick_reply_button">): string =>
  custom_reply_text || label;

export const sectionOf = ({ sections }: Template, name: string): readonly MessagePart[] =>
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
        if (chosen !== "" && option) answer.text(quickReplyText(option), option.payload);
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

export const Choices = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="choices">{children}</div>
);
