/** The parameter with seven lamp codes, one digit each; the dictionary names the digits as LAMP_CODE. */
const lampsId = '02121010'

export interface ParameterWords {
  /** The dictionary's note on the parameter: `单位℃`, `0常开，1常闭`. */
  note: string | null | undefined
  lampNames: ReadonlyMap<string, string>
}

/**
 * What follows a parameter's value: its unit, or the meaning of the code; undefined where the dictionary has neither.
 */
export function meaningOf(
  { id, value }: { id: string; value: string },
  { note, lampNames }: ParameterWords,
): string | undefined {
  if (id === lampsId) {
    const lamps = [...value].map((digit) => lampNames.get(digit))
    return lamps.every((name) => name !== undefined) ? lamps.join('、') : undefined
  }
  const parts = (note ?? '').split(/[，,；;、\s]+/)
  const unit = parts.find((part) => part.startsWith('单位'))?.slice('单位'.length)
  if (unit) return unit
  // `0到100` is a range, not the meaning of 0.
  return parts.map((part) => /^(\d+)(?!到)(\D+)$/.exec(part)).find((option) => option?.[1] === value)?.[2]
}
