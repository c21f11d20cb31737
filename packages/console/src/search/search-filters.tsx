import type { SearchKind } from "@parley/contract";
import { Select } from "../ui/select.tsx";
import { useWorkspace } from "../workspace/workspace.ts";
import { searchMessages as texts } from "./messages.ts";
import { hasTopics, RANGES, RESULT_KINDS, type Range, type SearchAddress } from "./search-address.ts";
import styles from "./search.module.css";

const KINDS = [{ id: undefined, label: texts.all }, ...RESULT_KINDS.map((id) => ({ id, label: texts[id] }))];
const TIMES = (Object.keys(RANGES) as Range[]).map((id) => ({ id, label: texts[id] }));

type SearchFilter = Pick<SearchAddress, "kind" | "channel" | "range">;

interface SearchFiltersProps {
  readonly filter: SearchFilter;
  readonly onChange: (filter: SearchFilter) => void;
}

/** Narrows a search by kind, topic and time. */
export const SearchFilters = ({ filter, onChange }: SearchFiltersProps) => {
  const { channels } = useWorkspace();
  const { kind: _kind, ...ofAllKinds } = filter;
  const { channel: _channel, ...ofAllTopics } = filter;
  const { range: _range, ...ofAllTimes } = filter;
  const topics = [{ id: undefined, label: texts.everyTopic }, ...channels.map(({ id, name }) => ({ id, label: name }))];
  const changeKind = (kind: SearchKind | undefined): void => {
    if (kind === undefined) return onChange(ofAllKinds);
    onChange({ ...(hasTopics(kind) ? filter : ofAllTopics), kind });
  };
  return (
    <div className={styles.filters}>
      <Select label={texts.kind} isLabelHidden choices={KINDS} value={filter.kind} onChange={changeKind} />
      {hasTopics(filter.kind) && (
        <Select
          label={texts.topic}
          isLabelHidden
          choices={topics}
          value={filter.channel}
          onChange={(channel) => onChange(channel === undefined ? ofAllTopics : { ...filter, channel })}
        />
      )}
      <Select
        label={texts.range}
        isLabelHidden
        choices={TIMES}
        value={filter.range ?? "any"}
        onChange={(range) => onChange(range === "any" ? ofAllTimes : { ...filter, range })}
      />
    </div>
  );
};
