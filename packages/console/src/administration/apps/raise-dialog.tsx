import type { InvocationDetails, RaisableEvent } from "@parley/contract";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { platformCalls } from "../admin-client.ts";
import { FormDialog } from "../form-dialog.tsx";
import { useForm } from "../use-form.ts";
import { activityMessages as texts } from "./activity-messages.ts";
import type { AppOfAccount } from "./activity-query.ts";
import { jsonText, raisedEventOf, raiseProblems, type RaiseValues } from "./activity-values.ts";

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
  return (
    <FormDialog title={texts.raise} isWide form={form} action={texts.raise} onClose={onClose}>
      <p>{texts.raiseIntro}</p>
      <Select
        label={texts.event}
        choices={events.map(({ event }) => ({ id: event, label: event }))}
        value={values.event}
        onChange={(event) =>
          form.change({ event, payload: jsonText(events.find((each) => each.event === event)?.sample ?? {}) })
        }
        error={problems.event}
      />
      <TextField
        label={texts.payload}
        help={texts.payloadHelp}
        lines={14}
        value={values.payload}
        onChange={(payload) => form.change({ payload })}
        error={problems.payload}
      />
    </FormDialog>
  );
};
