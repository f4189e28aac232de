// Reads a package's file name: `<pcbCode>_<partType>_V<major>.<minor>[_HW<hwVersion>][_M<mcuNum>]_<R|T>.<ext>`.

export interface PackageName {
  /** `<pcbCode>_<partType>`. Both may contain underscores: `splitsOf` says where one may end and the other begin. */
  head: string
  major: number
  minor: number
  hwVersion: string | null
  mcuNum: number | null
  isRelease: boolean
}

// Without leading zeros: one version has one name.
const number = String.raw`0|[1-9]\d{0,4}`
const pattern = new RegExp(
  '^(?<head>[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)+)' +
    String.raw`_V(?<major>${number})\.(?<minor>${number})` +
    '(?:_HW(?<hwVersion>[A-Za-z0-9.-]{1,32}))?' +
    String.raw`(?:_M(?<mcuNum>[1-9]\d{0,2}))?` +
    String.raw`_(?<flag>[RT])(?:\.[A-Za-z0-9]{1,10}){1,2}$`,
)

/** Null where the name does not follow the convention. */
export function parsePackageName(fileName: string): PackageName | null {
  const groups = pattern.exec(fileName)?.groups
  if (!groups) return null
  const { head = '', major, minor, hwVersion = null, mcuNum, flag } = groups
  return {
    head,
    major: Number(major),
    minor: Number(minor),
    hwVersion,
    mcuNum: mcuNum === undefined ? null : Number(mcuNum),
    isRelease: flag === 'R',
  }
}

export interface Split {
  pcbCode: string
  /** As it is written; `isPartName` compares it. */
  partName: string
}

/** Every way to read a head as board and part, the longest board first. */
export function splitsOf(head: string): Split[] {
  return [...head.matchAll(/_/g)]
    .map(({ index }) => ({ pcbCode: head.slice(0, index), partName: head.slice(index + 1) }))
    .reverse()
}

const longPrefix = 'PART_TYPE_'

/** The codes that a part's name may stand for: `wifi` for WIFI, `EC_MASTER` for PART_TYPE_EC_MASTER as well. */
export function partCodesOf(partName: string): string[] {
  const code = partName.toUpperCase()
  return code.startsWith(longPrefix) ? [code] : [code, longPrefix + code]
}

export const isPartName = (partName: string, partType: string) => partCodesOf(partName).includes(partType)
