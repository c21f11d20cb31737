import { useEffect as useReactEffect, useLayoutEffect as useReactLayoutEffect, type DependencyList } from "react";

/**
 * An effect that returns its clean-up, or nothing. React's type also admits an expression of the type void, whose value at run time can be
 * anything: current browsers return a promise from `scrollIntoView()`, and React calls it as the clean-up. With this type the compiler
 * refuses such an expression; a body in braces returns nothing.
 */
type Effect = () => undefined | (() => void);

export const useEffect: (effect: Effect, dependencies?: DependencyList) => void = useReactEffect;
export const useLayoutEffect: (effect: Effect, dependencies?: DependencyList) => void = useReactLayoutEffect;
