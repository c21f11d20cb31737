/** @jsxImportSource preact */
import type { MessengerConversation, NewCsat } from "@parley/contract";
import { useEffect, useId, useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";
import { IconButton } from "../elements/icon-button.tsx";
import { Icon } from "../elements/icon.tsx";

const STARS = [1, 2, 3, 4, 5];
const COMMENT_CHARACTERS_MAX = 4_000;

interface StarsProps {
  readonly chosen: number | undefined;
  readonly onChoose: (count: number) => void;
}

/** Radio buttons drawn as stars: the arrow keys move between them. */
const Stars = ({ chosen, onChoose }: StarsProps) => {
  const { texts } = useDisplay();
  const name = useId();
  return (
    <fieldset class="stars">
      <legend>{texts.csatRate}</legend>
      {STARS.map((count) => (
        <label class={count <= (chosen ?? 0) ? "star chosenStar" : "star"} title={texts.stars(count)}>
          <input
            type="radio"
            class="visuallyHidden"
            name={name}
            value={count}
            checked={chosen === count}
            aria-label={texts.stars(count)}
            onChange={() => onChoose(count)}
          />
          <Icon name="star" />
        </label>
      ))}
    </fieldset>
  );
};

interface RatingFormProps {
  readonly isResolved: boolean;
  readonly canReopen: boolean;
  readonly onRate: (rating: NewCsat) => Promise<void>;
}

/** The second step: stars if the issue is resolved, a comment, and the choice to continue if it is not. */
const RatingForm = ({ isResolved, canReopen, onRate }: RatingFormProps) => {
  const { texts, failureText } = useDisplay();
  const id = useId();
  const [stars, setStars] = useState<number>();
  const [comment, setComment] = useState("");
  const [failure, setFailure] = useState<string>();
  const [isSending, setSending] = useState(false);
  const rate = async (reopens: boolean): Promise<void> => {
    if (isResolved && stars === undefined) return setFailure(texts.starsMissing);
    setSending(true);
    try {
      await onRate({
        issue_resolved: isResolved,
        ...(stars !== undefined && { rating: stars }),
        ...(comment.trim() !== "" && { additional_feedback: comment.trim() }),
        ...(reopens && { reopen_conversation: true }),
      });
    } catch (error) {
      setFailure(failureText(error));
      setSending(false);
    }
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void rate(false);
      }}
    >
      {isResolved && <Stars chosen={stars} onChoose={setStars} />}
      <label for={id} class="visuallyHidden">
        {texts.csatReply}
      </label>
      <textarea
        id={id}
        class="field"
        rows={2}
        placeholder={texts.csatReply}
        maxLength={COMMENT_CHARACTERS_MAX}
        value={comment}
        onInput={({ currentTarget }) => setComment(currentTarget.value)}
      />
      {failure !== undefined && (
        <p class="fieldFailure" role="alert">
          {failure}
        </p>
      )}
      <div class="choices">
        <button type="submit" class="primary" disabled={isSending}>
          {texts.csatSubmit}
        </button>
        {!isResolved && canReopen && (
          <button type="button" class="secondary" disabled={isSending} onClick={() => void rate(true)}>
            {texts.csatReopen}
          </button>
        )}
      </div>
    </form>
  );
};

/** Asks for a rating of a resolved conversation that has none, once an interaction. */
export const Rating = ({ conversation }: { readonly conversation: MessengerConversation }) => {
  const { texts, actions } = useDisplay();
  const [isIssueResolved, setIssueResolved] = useState<boolean>();
  const [step, setStep] = useState<"open" | "done" | "later">("open");
  const { id, status, is_rated, is_latest } = conversation;
  const isShown = step === "open" && status === "resolved" && !is_rated;
  useEffect(() => {
    if (isShown) actions.ratingShown(id);
  }, [isShown, actions, id]);
  const questionId = useId();
  if (step === "done")
    return (
      <p class="card" role="status">
        {texts.csatThanks}
      </p>
    );
  if (!isShown) return null;
  const rate = async (rating: NewCsat): Promise<void> => {
    await actions.rate(id, rating);
    setStep("done");
  };
  return (
    <section class="card rating" aria-labelledby={questionId}>
      <div class="cardHead">
        <h2 id={questionId}>{texts.csatQuestion}</h2>
        <IconButton icon="close" label={texts.csatLater} onClick={() => setStep("later")} />
      </div>
      <div class="choices" role="group" aria-labelledby={questionId}>
        {[true, false].map((answer) => (
          <button
            type="button"
            class="choice"
            aria-pressed={isIssueResolved === answer}
            onClick={() => setIssueResolved(answer)}
          >
            {answer ? texts.csatYes : texts.csatNo}
          </button>
        ))}
      </div>
      {isIssueResolved !== undefined && (
        <RatingForm key={String(isIssueResolved)} isResolved={isIssueResolved} canReopen={is_latest} onRate={rate} />
      )}
    </section>
  );
};
