import type { GroupSetting } from "@parley/contract";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { Checkbox } from "../../ui/checkbox.tsx";
import field from "../../ui/field.module.css";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import { changedSetting, presentEntry } from "../entry-merge.ts";
import { FormDialog } from "../form-dialog.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import {
  emptyGroup,
  isAutomatic,
  groupProblemsOf,
  ROUTINGS,
  groupSettingOf,
  groupValuesOf,
  type GroupValues,
  type Routing,
} from "./group-values.ts";
import styles from "./groups.module.css";
import { groupMessages as texts } from "./messages.ts";

const HELP: Readonly<Record<Routing, string>> = {
  load: texts.loadHelp,
  turn: texts.turnHelp,
  off: texts.offHelp,
  external: texts.externalHelp,
};

const LABELS: Readonly<Record<keyof GroupValues, string>> = {
  name: texts.name,
  description: texts.description,
  routing: texts.routing,
  isForSignedIn: texts.signedInOnly,
  orgId: texts.orgId,
};

interface GroupDialogProps extends Pick<AccountConfigurationState, "change" | "reread"> {
  /** Undefined for a new group. */
  readonly group: GroupSetting | undefined;
  /** All groups. */
  readonly groups: readonly GroupSetting[];
  readonly onClose: () => void;
}

/** The fields of a group. */
export const GroupDialog = ({ group, groups, change, reread, onClose }: GroupDialogProps) => {
  /** The group in a list; for a new one the group that has its name. */
  const valuesIn = (list: readonly GroupSetting[] | undefined, name = ""): GroupValues | undefined => {
    const found = presentEntry(list, group, name);
    return found && groupValuesOf(found);
  };
  const form = useEntryForm({
    keptAt: `group ${group?.id ?? "new"}`,
    initial: group ? groupValuesOf(group) : emptyGroup,
    isNew: group === undefined,
    present: group && valuesIn(groups),
    reread: async ({ name }) => valuesIn((await reread()).groups, name),
    check: (values) => groupProblemsOf(values, group, groups),
    labelOf: (member) => LABELS[member as keyof GroupValues],
    async save(values, present) {
      const before = present && groupSettingOf(group?.id, present);
      await change({ groups: [changedSetting(before, groupSettingOf(group?.id, values), ["id", "name"])] });
      showToast(texts.saved(values.name.trim()));
      onClose();
    },
  });
  const { values, problems } = form;
  return (
    <FormDialog title={group ? texts.editTitle : texts.newTitle} form={form} onClose={onClose}>
      <TextField
        label={texts.name}
        value={values.name}
        onChange={(name) => form.change({ name })}
        validationBehavior="aria"
        error={problems.name}
        autoFocus
      />
      <TextField
        label={texts.description}
        lines={2}
        value={values.description}
        onChange={(description) => form.change({ description })}
        validationBehavior="aria"
        error={problems.description}
      />
      <RadioGroup
        className={styles.routing ?? ""}
        value={values.routing}
        onChange={(id) => ROUTINGS.filter((each) => each === id).forEach((routing) => form.change({ routing }))}
      >
        <Label className={field.label ?? ""}>{texts.routing}</Label>
        {ROUTINGS.map((routing) => (
          <Radio key={routing} value={routing} className={styles.choice ?? ""}>
            <span className={styles.dot} />
            <span>
              {texts[routing]}
              <span className={field.help}>{HELP[routing]}</span>
            </span>
          </Radio>
        ))}
      </RadioGroup>
      {isAutomatic(values.routing) && (
        <Checkbox isSelected={values.isForSignedIn} onChange={(isForSignedIn) => form.change({ isForSignedIn })}>
          <span className={styles.labelled}>
            {texts.signedInOnly}
            <span className={field.help}>{texts.signedInOnlyHelp}</span>
          </span>
        </Checkbox>
      )}
      <TextField
        label={texts.orgId}
        help={texts.orgIdHelp}
        value={values.orgId}
        onChange={(orgId) => form.change({ orgId })}
        validationBehavior="aria"
        error={problems.orgId}
      />
    </FormDialog>
  );
};
