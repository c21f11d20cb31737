import { useState } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { holidayName } from "./day-names.ts";
import { holidayProblem } from "./hours-values.ts";
import styles from "./hours.module.css";
import { hoursMessages as texts } from "./messages.ts";

interface HolidaysEditorProps {
  readonly holidays: readonly string[];
  readonly onChange: (holidays: readonly string[]) => void;
}

/** Days on which nobody is there. */
export const HolidaysEditor = ({ holidays, onChange }: HolidaysEditorProps) => {
  const [day, setDay] = useState("");
  const [problem, setProblem] = useState<string>();
  const add = (): void => {
    const found = holidayProblem(holidays, day);
    setProblem(found);
    if (found !== undefined) return;
    onChange([...holidays, day].toSorted());
    setDay("");
  };
  return (
    <FieldGroup label={texts.holidays} help={texts.holidayHelp}>
      {holidays.length > 0 && (
        <ul className={styles.holidays}>
          {holidays.map((each) => (
            <li key={each}>
              {holidayName(each)}
              <IconButton
                icon="trash"
                label={texts.removeHoliday(holidayName(each))}
                onPress={() => onChange(holidays.filter((other) => other !== each))}
              />
            </li>
          ))}
        </ul>
      )}
      <div className={styles.holiday}>
        <TextField
          label={texts.newHoliday}
          type="date"
          value={day}
          onChange={(next) => {
            setProblem(undefined);
            setDay(next);
          }}
          error={problem}
        />
        <Button onPress={add}>{texts.addHoliday}</Button>
      </div>
    </FieldGroup>
  );
};
