/** Escape sequences in what somebody else wrote would act on the reader's terminal: only text and line ends are shown. */
export const printable = (text: string): string => text.replace(/(?!\n)\p{Cc}/gu, "");
