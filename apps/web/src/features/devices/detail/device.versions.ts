import type { DeviceDetail } from '@voltkeep/contract/devices'

type Version = DeviceDetail['equipSoftwareVersions'][number]

export interface PartVersions {
  partType: string
  name: string
  /** Each version with the number of parts that run it, the most frequent first. */
  shares: readonly { version: string; count: number }[]
  parts: readonly Version[]
}

/** Groups versions by part type, in order of first appearance. */
export function foldVersions(versions: readonly Version[]): PartVersions[] {
  const kinds = new Map<string, Version[]>()
  for (const version of versions) {
    kinds.set(version.partType, [...(kinds.get(version.partType) ?? []), version])
  }
  return [...kinds].map(([partType, parts]) => {
    const counts = new Map<string, number>()
    for (const { version } of parts) counts.set(version, (counts.get(version) ?? 0) + 1)
    return {
      partType,
      name: parts[0]?.partTypeName ?? partType,
      shares: [...counts]
        .map(([version, count]) => ({ version, count }))
        .sort((a, b) => b.count - a.count || b.version.localeCompare(a.version, 'en', { numeric: true })),
      parts,
    }
  })
}
