import { useRef, useState } from "react";
import { errorText } from "../ui/error-text.ts";

interface FormOptions<V extends object> {
  readonly initial: V;
  /** -> why the service would refuse the values, by field */
  readonly check: (values: V) => Partial<Record<keyof V, string>>;
  /** Its rejection is shown, and the values stay. */
  readonly save: (values: V) => Promise<void>;
}

/** The state of a form: problems are shown once it was submitted, and go when a value changes. */
export const useForm = <V extends object>({ initial, check, save }: FormOptions<V>) => {
  const [values, setValues] = useState(initial);
  const [isSubmitted, setSubmitted] = useState(false);
  const [isSaving, setSaving] = useState(false);
  // Two events before the next rendering see the same state.
  const isSubmitting = useRef(false);
  const [refusal, setRefusal] = useState<string>();
  const problems = isSubmitted ? check(values) : {};
  return {
    values,
    problems: problems as Partial<Record<keyof V, string>>,
    refusal,
    isSaving,
    /** @shape next: the changed values; a function is called with the values at that time, which callbacks of long operations don't know */
    change(next: Partial<V> | ((present: V) => Partial<V>)): void {
      setRefusal(undefined);
      setValues((present) => ({ ...present, ...(typeof next === "function" ? next(present) : next) }));
    },
    async submit(): Promise<void> {
      setSubmitted(true);
      if (isSubmitting.current || Object.values(check(values)).some((problem) => problem !== undefined)) return;
      isSubmitting.current = true;
      setSaving(true);
      setRefusal(undefined);
      try {
        await save(values);
      } catch (error) {
        setRefusal(errorText(error));
      } finally {
        isSubmitting.current = false;
        setSaving(false);
      }
    },
  };
};
export type FormState<V extends object> = ReturnType<typeof useForm<V>>;
