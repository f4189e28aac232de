/** The choices of an enumeration, in its order. */
export const choicesOf = <Value extends string | number>(
  values: readonly Value[],
  words: Readonly<Partial<Record<Value, string>>>,
) => values.map((value) => ({ value, label: words[value] }))
