import type { ReportRules } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Checkbox } from "../../ui/checkbox.tsx";
import field from "../../ui/field.module.css";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { FormDialog } from "../../forms/form-dialog.tsx";
import { useForm } from "../../forms/use-form.ts";
import { createReport } from "./create-report.ts";
import { rawReportMessages as texts } from "./messages.ts";
import { reportRequestsQuery } from "./report-requests-query.ts";
import { longestRange, newRequestValues, requestBody, requestProblems, spanText } from "./request-values.ts";

interface RequestDialogProps {
  readonly rules: ReportRules;
  readonly onClose: () => void;
}

/** The form of a request for a raw report. */
export const RequestDialog = ({ rules, onClose }: RequestDialogProps) => {
  const queries = useQueryClient();
  const form = useForm({
    keptAt: "raw report",
    initial: newRequestValues(Date.now()),
    check: (values) => requestProblems(values, rules, Date.now()),
    async save(values) {
      await createReport(requestBody(values));
      void queries.invalidateQueries({ queryKey: reportRequestsQuery.queryKey });
      showToast(texts.requestedToast);
      onClose();
    },
  });
  const { values, problems } = form;
  const time = (name: "from" | "to") => ({
    label: texts[name],
    type: "datetime-local",
    value: values[name],
    onChange: (value: string) => form.change({ [name]: value }),
    error: problems[name],
  });
  return (
    <FormDialog title={texts.requestTitle} form={form} action={texts.request} onClose={onClose}>
      <Select
        label={texts.event}
        help={texts.eventHelp(values.event)}
        autoFocus
        choices={rules.events.map(({ event }) => ({ id: event, label: texts[event] }))}
        value={values.event}
        onChange={(event) => form.change({ event })}
      />
      <TextField {...time("from")} />
      <TextField {...time("to")} help={texts.limit(spanText(longestRange(rules, values.event)))} />
      <Checkbox isSelected={values.excludesPii} onChange={(excludesPii) => form.change({ excludesPii })}>
        {texts.excludePii}
      </Checkbox>
      <p className={field.help}>{texts.rules(rules.per_minute, rules.per_day)}</p>
    </FormDialog>
  );
};
