import type { PartRow } from './device-versions.queries.ts'

/** A version's numbers; null where it is not dotted numbers. */
function numbersOf(version: string): number[] | null {
  return /^\d{1,9}(\.\d{1,9})*$/.test(version) ? version.split('.').map(Number) : null
}

/** Newest first, by number and not by letter: 1.10 is newer than 1.9. What is no dotted number comes last. */
export function compareVersions(one: string, other: string): number {
  const a = numbersOf(one)
  const b = numbersOf(other)
  if (!a || !b) return a ? -1 : b ? 1 : one.localeCompare(other)
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (b[at] ?? 0) - (a[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** The parts of one device by kind, and within a kind by version. Keeps the order of kinds and of parts. */
export function foldParts(rows: readonly PartRow[]) {
  const byKind = Map.groupBy(rows, ({ partType }) => partType)
  return [...byKind.values()].map((parts) => ({
    partType: parts[0]?.partType ?? '',
    partTypeName: parts[0]?.partTypeName ?? '',
    count: parts.length,
    versions: [...Map.groupBy(parts, ({ version }) => version)]
      .sort(([one], [other]) => compareVersions(one, other))
      .map(([version, same]) => ({
        version,
        count: same.length,
        addrIds: same.map(({ addrId }) => addrId),
      })),
    parts,
  }))
}
