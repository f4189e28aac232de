/** Shortens a list of part numbers: 1、2、3、7 becomes `1–3、7`. Entries that are not numbers are unchanged. */
export function shortNumbers(addrIds: readonly string[]): string {
  const runs: { first: string; last: string }[] = []
  for (const addrId of addrIds) {
    const run = runs.at(-1)
    if (run && isNumber(run.last) && isNumber(addrId) && Number(addrId) === Number(run.last) + 1) {
      run.last = addrId
    } else runs.push({ first: addrId, last: addrId })
  }
  return runs
    .flatMap(({ first, last }) => {
      if (first === last) return [first]
      // A range of two is no shorter.
      return Number(last) === Number(first) + 1 ? [first, last] : [`${first}–${last}`]
    })
    .join('、')
}

const isNumber = (addrId: string) => /^\d{1,9}$/.test(addrId)
