/** @jsxImportSource preact */
import type { MessengerConfiguration } from "@parley/contract";
import { useDisplay } from "../elements/display.ts";

interface HoursProps {
  readonly configuration: MessengerConfiguration;
  /** One sentence only. */
  readonly isShort?: boolean;
}

/** Whether the business is open, and when it opens. */
export const Hours = ({ configuration, isShort = false }: HoursProps) => {
  const { texts, format } = useDisplay();
  const { is_open, opens_at } = configuration;
  if (is_open) return <p class="hours openHours">{texts.isOpen}</p>;
  const opens = opens_at === undefined ? "" : texts.opensAt(texts.at(format.day(opens_at), format.timeOfDay(opens_at)));
  return (
    <p class="hours">
      {(!isShort || opens === "") && texts.isClosed} {opens}
    </p>
  );
};
