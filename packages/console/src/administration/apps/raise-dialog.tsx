import type { InvocationDetails, RaisableEvent } from "@parley/contract";
import { useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { platformCalls } from "../admin-client.ts";
import { FormDialog } from "../../forms/form-dialog.tsx";
import { useForm } from "../../forms/use-form.ts";
import { activityMessages as texts } from "./activity-messages.ts";
import type { AppOfAccount } from "./activity-query.ts";
import { jsonText, raisableId, raisedEventOf, raiseProblems, type RaiseValues } from "./activity-values.ts";

interface RaiseDialogProps {
  readonly app: AppOfAccount;
  readonly events: readonly RaisableEvent[];
  /** The event and the payload at first. */
  readonly initial: RaiseValues;
  readonly onRaised: (call: InvocationDetails) => void;
  readonly onClose: () => void;
}

/** Calls a handler of the app with a sample or a recorded payload. */
export const RaiseDialog = ({ app, events, initial, onRaised, onClose }: RaiseDialogProps) => {
  const form = useForm({
    keptAt: `event ${app.name}`,
    initial,
    check: raiseProblems,
    save: async (values) => onRaised(await platformCalls.raiseEvent({ params: app, body: raisedEventOf(values) })),
  });
  const { values, problems } = form;
  /** Payloads of the other events, as they were entered. */
  const entered = useRef(new Map<string, string>());
  const chosen = events.find((each) => raisableId(each) === values.event);
  const sample = jsonText(chosen?.sample ?? {});
  return (
    <FormDialog title={texts.raise} isWide form={form} action={texts.raise} onClose={onClose}>
      <p>{texts.raiseIntro}</p>
      <Select
        label={texts.event}
        choices={events.map((each) => ({
          id: raisableId(each),
          label: each.kind === "function" ? texts.functionNamed(each.event) : each.event,
        }))}
        value={values.event}
        onChange={(id) => {
          entered.current.set(values.event, values.payload);
          const next = jsonText(events.find((each) => raisableId(each) === id)?.sample ?? {});
          form.change({ event: id, payload: entered.current.get(id) ?? next });
        }}
        error={problems.event}
      />
      <TextField
        label={texts.payload}
        help={chosen?.sample_file === undefined ? texts.payloadHelp : texts.payloadFromFile(chosen.sample_file)}
        lines={14}
        value={values.payload}
        onChange={(payload) => form.change({ payload })}
        onKeyDown={({ key, ctrlKey, metaKey }) => void (key === "Enter" && (ctrlKey || metaKey) && form.submit())}
        error={problems.payload ?? (values.payload === sample ? chosen?.problem : undefined)}
      />
      <div>
        <Button isSmall isDisabled={values.payload === sample} onPress={() => form.change({ payload: sample })}>
          {texts.resetPayload}
        </Button>
      </div>
    </FormDialog>
  );
};
