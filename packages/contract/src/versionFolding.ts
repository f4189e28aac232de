// Comparison and display of versions, the same on both sides of the wire.

/** The numbers of a version; null if it is not dotted numbers. */
function numbersOf(version: string): number[] | null {
  return /^\d{1,9}(\.\d{1,9})*$/.test(version) ? version.split('.').map(Number) : null
}

/**
 * Newest first, by number and not alphabetically: 1.10 is newer than 1.9. A text that is not dotted numbers comes
 * last.
 */
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

/** One part of a device, which may have several of the same type. */
interface NumberedPart {
  partType: string
  partTypeName: string
  addrId: string
  version: string
}

/**
 * Groups the parts of one device by type, and within a type by version, the newest first. Keeps the order of types
 * and of parts.
 */
export function foldParts<Part extends NumberedPart>(parts: readonly Part[]) {
  const kinds = new Map<string, Part[]>()
  for (const part of parts) {
    const same = kinds.get(part.partType)
    if (same) same.push(part)
    else kinds.set(part.partType, [part])
  }
  return [...kinds].map(([partType, same]) => {
    const addrIds = new Map<string, string[]>()
    for (const { version, addrId } of same) {
      const before = addrIds.get(version)
      if (before) before.push(addrId)
      else addrIds.set(version, [addrId])
    }
    return {
      partType,
      partTypeName: same[0]?.partTypeName ?? partType,
      count: same.length,
      versions: [...addrIds]
        .sort(([one], [other]) => compareVersions(one, other))
        .map(([version, ids]) => ({ version, count: ids.length, addrIds: ids })),
      parts: same,
    }
  })
}
