import { useRef, useState } from "react";
import { useEffect } from "../state/effects.ts";
import { errorText } from "../ui/error-text.ts";
import { useKeptInput } from "../unsaved/use-unsaved.ts";

/** The values of a form that the browser keeps until the form is saved or discarded. */
export interface KeptForm<V extends object> {
  /** The values that were entered. */
  readonly values: Partial<V>;
  /** The values that they were made from. */
  readonly base: unknown;
}

interface FormOptions<V extends object> {
  readonly initial: V;
  /** -> why the service would refuse the values, by field */
  readonly check: (values: V) => Partial<Record<keyof V, string>>;
  /** Its rejection is shown, and the values stay. */
  readonly save: (values: V) => Promise<void>;
  /** Where the browser keeps the entered values, such as `topic 12`: a place for each form and entry. Absent: a confirmation, which is not kept. */
  readonly keptAt?: string;
  /** Secrets, which are not kept. */
  readonly secrets?: readonly (keyof V)[];
  /** The state that the values are compared with, and the comparison; `initial` when absent. */
  readonly base?: { readonly get: () => unknown; readonly isSame: (values: V) => boolean };
}

const without = <V extends object>(values: V, names: readonly (keyof V)[]): Partial<V> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name as keyof V))) as Partial<V>;

/**
 * The state of a form: problems are shown once it was submitted, and go when a value changes. The browser keeps entered values until they are
 * saved or discarded.
 */
export const useForm = <V extends object>({ initial, check, save, keptAt, secrets = [], base }: FormOptions<V>) => {
  const { restored, keep, forget } = useKeptInput<KeptForm<V>>(keptAt === undefined ? undefined : `form ${keptAt}`);
  const [values, setValues] = useState<V>({ ...initial, ...restored?.values });
  const [isRestored, setRestored] = useState(restored !== undefined);
  const [isSubmitted, setSubmitted] = useState(false);
  const [isSaving, setSaving] = useState(false);
  // Two events before the next rendering see the same state.
  const isSubmitting = useRef(false);
  const [refusal, setRefusal] = useState<string>();
  const problems = isSubmitted ? check(values) : {};

  const start = useRef(initial).current;
  const kept = without(values, secrets);
  const isSame = base ? base.isSame(values) : JSON.stringify(kept) === JSON.stringify(without(start, secrets));
  const isFirst = useRef(true);
  useEffect(() => {
    // The form begins with the kept values.
    if (!isFirst.current) keep(isSame ? undefined : { values: kept, base: base?.get() });
    isFirst.current = false;
  }, [values]);

  return {
    values,
    problems: problems as Partial<Record<keyof V, string>>,
    refusal,
    isSaving,
    /** Whether the form began with what an earlier page kept. */
    isRestored,
    /** Begins again without the restored values. */
    reset(): void {
      setRestored(false);
      setRefusal(undefined);
      setValues(initial);
    },
    /** The form is closed without saving. */
    discard: forget,
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
        forget();
        setRestored(false);
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
