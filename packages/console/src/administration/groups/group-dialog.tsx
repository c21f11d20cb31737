import type { GroupSetting } from "@parley/contract";
import { useState } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import field from "../../ui/field.module.css";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import { FormDialog } from "../form-dialog.tsx";
import { useForm } from "../use-form.ts";
import { changeOf, emptyGroup, problemsOf, ROUTINGS, settingOf, valuesOf, type Routing } from "./group-values.ts";
import styles from "./groups.module.css";
import { groupMessages as texts } from "./messages.ts";

const HELP: Readonly<Record<Routing, string>> = {
  load: texts.loadHelp,
  turn: texts.turnHelp,
  off: texts.offHelp,
  external: texts.externalHelp,
};

interface GroupDialogProps {
  /** Undefined: a new one. */
  readonly group: GroupSetting | undefined;
  /** All groups. */
  readonly groups: readonly GroupSetting[];
  readonly change: AccountConfigurationState["change"];
  readonly latest: AccountConfigurationState["latest"];
  readonly onClose: () => void;
}

/** The fields of a group. */
export const GroupDialog = ({ group, groups, change, latest, onClose }: GroupDialogProps) => {
  const others = groups.filter(({ id }) => id !== group?.id).map(({ name }) => name);
  const [initial] = useState(() => (group ? valuesOf(group) : emptyGroup));
  const form = useForm({
    initial,
    check: (values) => problemsOf(values, others),
    async save(values) {
      const present = group && (await latest()).groups?.find(({ id }) => id === group.id);
      if (group && !present) throw new Error(texts.gone(group.name));
      await change({ groups: [present ? changeOf(present, initial, values) : settingOf(undefined, values)] });
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
    </FormDialog>
  );
};
