/** -> the class names that are set, separated by spaces */
export const classes = (...names: readonly (string | false | undefined)[]): string => names.filter(Boolean).join(" ");
