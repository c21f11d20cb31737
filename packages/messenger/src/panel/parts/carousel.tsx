/** @jsxImportSource preact */
import type { MessagePart } from "@parley/contract";
import { safeMedia, visibleName } from "@parley/contract/display";
import { useCallback, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";
import { Icon, type IconName } from "../elements/icon.tsx";
import { Choice, sectionOf, UrlButton, type Answer, type Template } from "./choices.tsx";
import { TextPart } from "./text-part.tsx";

/** Distance from an end within which the list counts as scrolled to that end. @units pixels */
const END_PX = 4;

const partsOfCard = (template: Template) => {
  const [hero, title, description, callback, view] = ["hero_image", "title", "description", "callback", "view"].map(
    (name): MessagePart | undefined => sectionOf(template, name)[0],
  );
  return {
    picture: hero?.image && safeMedia(hero.image.url, location.href),
    title: visibleName(title?.text?.content ?? ""),
    description: description?.text?.content,
    button: callback?.callback,
    view: view?.url_button,
  };
};

const Picture = ({ address }: { readonly address: string }) => {
  const [hasFailed, setFailed] = useState(false);
  return hasFailed ? null : <img class="hero" src={address} alt="" loading="lazy" onError={() => setFailed(true)} />;
};

interface CardProps {
  readonly template: Template;
  readonly answer: Answer;
  /** Whether another card has a button of the same name: the answer then begins with the title of the card. */
  readonly isNameShared?: boolean;
}

export const Card = ({ template, answer, isNameShared = false }: CardProps) => {
  const titleId = useId();
  const { picture, title, description, button, view } = partsOfCard(template);
  return (
    <>
      {picture !== undefined && <Picture address={picture} />}
      {title !== "" && (
        <strong id={titleId} dir="auto">
          {title}
        </strong>
      )}
      {description !== undefined && <TextPart content={description} />}
      <span class="cardActions">
        {button && (
          <Choice
            label={button.label}
            text={isNameShared && title !== "" ? `${title}: ${button.label}` : button.label}
            payload={button.payload}
            describedBy={title === "" ? undefined : titleId}
            answer={answer}
          />
        )}
        {view && <UrlButton part={view} />}
      </span>
    </>
  );
};

/** Which ends of the list are out of sight. */
interface HiddenEnds {
  readonly start: boolean;
  readonly end: boolean;
}

const useHiddenEnds = () => {
  const list = useRef<HTMLUListElement>(null);
  const [hidden, setHidden] = useState<HiddenEnds>({ start: false, end: false });
  const measure = useCallback((): void => {
    const element = list.current;
    if (!element) return;
    // Negative in a list from right to left.
    const position = Math.abs(element.scrollLeft);
    const start = position > END_PX;
    const end = position + element.clientWidth < element.scrollWidth - END_PX;
    setHidden((old) => (old.start === start && old.end === end ? old : { start, end }));
  }, []);
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (list.current) observer.observe(list.current);
    return () => observer.disconnect();
  }, [measure]);
  return { list, hidden, measure };
};

/** Cards side by side, as a list that scrolls. Keys, a finger, and buttons where there is a mouse move it. */
export const Carousel = ({ template, answer }: { readonly template: Template; readonly answer: Answer }) => {
  const { texts, format } = useDisplay();
  const { list, hidden, measure } = useHiddenEnds();
  const title = visibleName(sectionOf(template, "carousel_title")[0]?.text?.content ?? "");
  const cards = sectionOf(template, "cards").flatMap(({ template_content }) => template_content ?? []);
  const names = cards.map((card) => partsOfCard(card).button?.label);
  const scroll = (direction: -1 | 1): void => {
    const element = list.current;
    if (!element) return;
    const isRightToLeft = getComputedStyle(element).direction === "rtl";
    element.scrollBy({ left: (isRightToLeft ? -direction : direction) * element.clientWidth * 0.8 });
  };
  const button = (icon: IconName, label: string, isPossible: boolean, direction: -1 | 1) => (
    // It stays reachable at the end of the list, where a disabled button would lose the focus.
    <button
      type="button"
      class="iconButton"
      aria-label={label}
      title={label}
      aria-disabled={!isPossible}
      onClick={() => scroll(direction)}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <div class="carousel" role="group" aria-label={title || texts.cards}>
      <div class="carouselHead">
        {title !== "" && (
          <p>
            <bdi>{title}</bdi>
          </p>
        )}
        {(hidden.start || hidden.end) && (
          <span class="carouselButtons">
            {button("back", texts.previousCards, hidden.start, -1)}
            {button("forward", texts.nextCards, hidden.end, 1)}
          </span>
        )}
      </div>
      {/* Focusable, so that keys can scroll it. A list without bullets is a list for all screen readers only if it says so. */}
      <ul
        ref={list}

        class="cards"
        role="list"
        tabIndex={0}
        aria-label={title || texts.cards}
        onScroll={measure}
      >
        {cards.map((card, index) => (
          <li class="card" aria-label={texts.cardOf(format.number(index + 1), format.number(cards.length))}>
            <Card
              template={card}
              answer={answer}
              isNameShared={names.some((name, other) => other !== index && name === names[index])}
            />
          </li>
        ))}
      </ul>
    </div>
  );
};
