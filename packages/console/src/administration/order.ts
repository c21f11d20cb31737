/** -> the list with the entry of one position at another position */
export const movedTo = <T>(list: readonly T[], from: number, to: number): readonly T[] => {
  const entries = list.slice(from, from + 1);
  return list.toSpliced(from, 1).toSpliced(to, 0, ...entries);
};
