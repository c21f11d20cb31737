import { Select } from "../../ui/select.tsx";
import { OVERLAPS, overlapText, type Overlap } from "./webhook-values.ts";

interface OverlapSelectProps {
  readonly label: string;
  /** Label of no overlap, if it is not that of a secret. */
  readonly none?: string;
  readonly value: Overlap;
  readonly onChange: (hours: Overlap) => void;
}

/** A choice of how long two secrets or keys are valid. */
export const OverlapSelect = ({ label, none, value, onChange }: OverlapSelectProps) => (
  <Select
    label={label}
    choices={OVERLAPS.map((hours) => ({
      id: hours,
      label: hours === 0 && none !== undefined ? none : overlapText(hours),
    }))}
    value={value}
    onChange={onChange}
  />
);
