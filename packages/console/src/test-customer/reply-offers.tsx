import { safeMedia } from "@parley/contract/display";
import { Button } from "react-aria-components";
import { UrlButtonPart } from "../thread/parts/choice-parts.tsx";
import { PartPicture } from "../thread/parts/part-picture.tsx";
import { UnshownPicture } from "../thread/parts/unshown-media.tsx";
import { Select } from "../ui/select.tsx";
import { testCustomerMessages as texts } from "./messages.ts";
import type { ReplyCard, ReplyChoice, ReplyOffer } from "./reply-choices.ts";
import styles from "./test-customer.module.css";

interface ChoosingProps {
  readonly onChoose: (text: string) => void;
  readonly isDisabled: boolean;
}

interface ChoiceButtonProps extends ChoosingProps {
  readonly choice: ReplyChoice;
  /** Name of the group of choices, for screen readers. */
  readonly subject?: string;
}

const ChoiceButton = ({ choice: { label, text }, subject, onChoose, isDisabled }: ChoiceButtonProps) => (
  <Button
    className={styles.choice ?? ""}
    isDisabled={isDisabled}
    onPress={() => onChoose(text)}
    {...(subject !== undefined && { "aria-label": `${label}: ${subject}` })}
  >
    {label}
  </Button>
);

const Card = ({ card, ...choosing }: ChoosingProps & { readonly card: ReplyCard }) => {
  const { title, description, imageUrl, choice, link } = card;
  const image = imageUrl === undefined ? undefined : safeMedia(imageUrl, location.href);
  return (
    <>
      {image !== undefined && (
        <PartPicture src={image} alt="" className={styles.hero} fallback={<UnshownPicture address={image} />} />
      )}
      <strong>{title}</strong>
      {description !== undefined && <span className={styles.lead}>{description}</span>}
      {choice && <ChoiceButton choice={choice} subject={title} {...choosing} />}
      {link && <UrlButtonPart part={link} />}
    </>
  );
};

const Offer = ({ offer, ...choosing }: ChoosingProps & { readonly offer: ReplyOffer }) => {
  switch (offer.kind) {
    case "choice":
      return <ChoiceButton choice={offer} {...choosing} />;
    case "link":
      return <UrlButtonPart part={offer} />;
    case "help":
      return <p className={styles.lead}>{offer.text}</p>;
    case "dropdown":
      return (
        <Select
          label={texts.choices}
          choices={offer.choices.map(({ label }, index) => ({ id: String(index), label }))}
          value={null}
          isDisabled={choosing.isDisabled}
          onChange={(index) => {
            const chosen = offer.choices[Number(index)];
            if (chosen) choosing.onChoose(chosen.text);
          }}
        />
      );
    case "carousel":
      return (
        <>
          {offer.title !== "" && <strong>{offer.title}</strong>}
          <ul className={styles.cards} tabIndex={0} aria-label={offer.title || texts.choices}>
            {offer.cards.map((card, index) => (
              <li key={index} className={styles.card}>
                <Card card={card} {...choosing} />
              </li>
            ))}
          </ul>
        </>
      );
  }
};

/** Choices of a message for the customer. */
export const ReplyOffers = ({ offers, ...choosing }: ChoosingProps & { readonly offers: readonly ReplyOffer[] }) => (
  <ul className={styles.choices} aria-label={texts.choices}>
    {offers.map((offer, index) => (
      <li key={index} data-kind={offer.kind}>
        <Offer offer={offer} {...choosing} />
      </li>
    ))}
  </ul>
);
