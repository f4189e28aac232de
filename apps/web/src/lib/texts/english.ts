/** The type of an English table: every key of the Chinese one, its functions with no more parameters. */
export type English<Chinese> = Chinese extends string
  ? string
  : Chinese extends (...args: infer Args) => infer Said
    ? (...args: Args) => English<Said>
    : { readonly [Key in keyof Chinese]: English<Chinese[Key]> }

/** `1 battery`, `2 batteries`: the number as it is shown, the word as it is for one. */
export const counted = (count: string | number, one: string): string =>
  `${count} ${String(count) === '1' ? one : pluralOf(one)}`

export function pluralOf(one: string): string {
  if (/[^aeiou]y$/.test(one)) return `${one.slice(0, -1)}ies`
  return /(?:s|x|ch|sh)$/.test(one) ? `${one}es` : `${one}s`
}
