/** @jsxImportSource preact */
import type { MessengerConfiguration } from "@parley/contract";
import { useDisplay } from "../elements/display.ts";
import { responseTimeText } from "./response-time.ts";

interface HoursProps {
  readonly configuration: MessengerConfiguration;
  /** One sentence only. */
  readonly isShort?: boolean;
}

/** Whether the business is open, how long it usually takes to answer, and when it opens. */
export const Hours = ({ configuration, isShort = false }: HoursProps) => {
  const display = useDisplay();
  const { texts, format } = display;
  const { is_open, opens_at } = configuration;
  const response = responseTimeText(configuration, display);
  if (is_open)
    return (
      <>
        {!isShort && <p class="hours openHours">{texts.isOpen}</p>}
        {response !== undefined && <p class="hours">{response}</p>}
      </>
    );
  const opens = opens_at === undefined ? "" : texts.opensAt(texts.at(format.day(opens_at), format.timeOfDay(opens_at)));
  return (
    <p class="hours">
      {(!isShort || opens === "") && texts.isClosed} {opens}
    </p>
  );
};
