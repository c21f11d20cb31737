import type { Message, MessagePart } from "@parley/contract";
import { useRef } from "react";
import { PictureSourceContext } from "../pictures/picture-source.ts";
import { useEffect } from "../state/effects.ts";
import { Parts } from "../thread/parts/part-view.tsx";
import { classes } from "../ui/classes.ts";
import { testCustomerMessages as texts } from "./messages.ts";
import { replyOffers } from "./reply-choices.ts";
import { ReplyOffers } from "./reply-offers.tsx";
import styles from "./test-customer.module.css";

const AUTHORS: Readonly<Record<Message["actor_type"], string>> = {
  user: texts.you,
  agent: texts.agent,
  bot: texts.bot,
  system: texts.bot,
};

interface TestCustomerThreadProps {
  /** Messages before the conversation, such as the welcome message of the topic. */
  readonly welcome: readonly MessagePart[];
  /** The topic of the welcome message. */
  readonly channelId: string | undefined;
  readonly messages: readonly Message[];
  /** Answers a message by one of its choices. */
  readonly onChoose: (text: string, messageId: string) => void;
  readonly isDisabled: boolean;
}

/** The conversation from the customer's side. Only the newest message can be answered by its choices. */
export const TestCustomerThread = ({ welcome, channelId, messages, onChoose, isDisabled }: TestCustomerThreadProps) => {
  const log = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const shown = messages.filter(({ message_type }) => message_type === "normal");
  const last = shown.at(-1);
  const offers = last && last.actor_type !== "user" ? replyOffers(last) : [];
  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  }, [last?.id]);
  const choose = (text: string, messageId: string): void => {
    // The button that has the focus is going to disappear.
    log.current?.focus();
    onChoose(text, messageId);
  };
  return (
    <div ref={log} className={styles.thread} role="log" aria-label={texts.messages} tabIndex={0}>
      {welcome.length > 0 && (
        <div className={styles.message}>
          <span className={styles.author}>{texts.welcome}</span>
          <PictureSourceContext value={channelId === undefined ? undefined : { channel_id: channelId }}>
            <Parts parts={welcome} author={texts.bot} />
          </PictureSourceContext>
        </div>
      )}
      {shown.map(({ id, actor_type, message_parts }) => (
        <div key={id} className={classes(styles.message, actor_type === "user" && styles.own)}>
          <span className={styles.author}>{AUTHORS[actor_type]}</span>
          <PictureSourceContext value={{ trial_message_id: id }}>
            <Parts parts={message_parts} author={AUTHORS[actor_type]} />
          </PictureSourceContext>
        </div>
      ))}
      {last && offers.length > 0 && (
        <PictureSourceContext value={{ trial_message_id: last.id }}>
          <ReplyOffers offers={offers} isDisabled={isDisabled} onChoose={(text) => choose(text, last.id)} />
        </PictureSourceContext>
      )}
      <div ref={end} />
    </div>
  );
};
